"""`make run`: starts, refuses kindly, restarts what dies, stops cleanly."""

from __future__ import annotations

import errno
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from kernel.services.jobs import MOST_SECONDS
from tesa_site import install, launch, starting
from tests.product import PATIENCE_S, Product, descendants, free_port, wait_for

ROOT = Path(__file__).parent.parent.parent
Usage = namedtuple("Usage", "total used free")
SHORT = "parameters={'seconds': 1}"


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" if sys.platform == "linux" else True
    except (ProcessLookupError, FileNotFoundError):
        return False


def parent_of(pid: int) -> int:
    return int(subprocess.run(["ps", "-o", "ppid=", "-p", str(pid)], capture_output=True, check=True).stdout)


@pytest.fixture(scope="module")
def own_product(filled):
    """A product that this module may mistreat."""
    running = Product(like=filled).start()
    yield running
    running.close()


@pytest.mark.processes
def test_it_prints_the_address_and_the_demo_sign_ins(own_product, filled):
    assert own_product.url in own_product.output
    assert set(filled.passwords) == {"ada", "ben", "cleo"}
    assert own_product.passwords == filled.passwords


@pytest.mark.processes
def test_a_killed_child_is_restarted_and_reported(own_product):
    workers = wait_for(lambda: [w["name"] for w in own_product.api("workers/") if "corpus" in w["queues"]])

    os.kill(parent_of(int(workers[0].rpartition(":")[2])), signal.SIGKILL)

    assert any("worker stopped (killed by signal 9); restarting in 1 s" in line for line in own_product.process.stdout)
    wait_for(lambda: any(w["name"] not in workers and "corpus" in w["queues"] for w in own_product.api("workers/")))


@pytest.mark.processes
def test_a_second_run_changes_nothing_and_sigterm_stops_every_process(filled):
    product = Product(like=filled).start()
    try:
        first = product.passwords
        # A web server with two processes, a worker with two, the scheduler.
        wait_for(lambda: len(descendants(product.process.pid)) >= 6)
        processes = descendants(product.process.pid)

        assert product.stop() == 0
        assert "stopped." in product.output
        wait_for(lambda: not any(alive(pid) for pid in processes))
        assert product.start().passwords == first
    finally:
        product.close()


@pytest.mark.processes
def test_sigterm_to_all_processes_together_stops_them_and_puts_their_job_back(filled):
    product = Product(like=filled).start()
    try:
        job = product.api("jobs/", {"kind": "check_worker", "seconds": MOST_SECONDS})
        product.wait_for_job(job["id"], "running")
        processes = [product.process.pid, *descendants(product.process.pid)]

        for pid in processes:
            os.kill(pid, signal.SIGTERM)
        product.process.communicate(timeout=PATIENCE_S)

        product.process = None
        wait_for(lambda: not any(alive(pid) for pid in processes))
        state = f"from kernel.models import Job; print(Job.objects.get(pk={job['id']}).status)"
        assert product.python(state) == "queued\n"
    finally:
        product.close()


def test_a_log_that_has_grown_too_large_is_shortened_while_its_process_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(launch, "LOG_BYTES", 1000)
    log = tmp_path / "worker.log"
    command = "head -c 5000 /dev/zero; echo the end; exec tail -f /dev/null"
    child = launch.KeptProcess("worker", ["sh", "-c", command], {}, log)
    child.start()
    try:
        wait_for(lambda: log.stat().st_size == 5008, every=0.01)
        child.tend()

        aside = (tmp_path / "worker.log.1").read_bytes()
        assert (log.stat().st_size, len(aside)) == (0, 1000)
        assert aside.endswith(b"\0the end\n")
    finally:
        child.kill_group()
        child.process.wait()


def test_a_log_is_shortened_before_it_reaches_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(launch, "LOG_BYTES", 1000)
    log = tmp_path / "worker.log"
    log.write_bytes(b"x" * 501)

    launch.KeptProcess("worker", [], {}, log).shorten_log()

    assert (log.stat().st_size, (tmp_path / "worker.log.1").stat().st_size) == (0, 501)


# A process that ignores SIGTERM, started by another one that does so too, and says when it has begun to.
DEAF = "trap '' TERM; (echo $BASHPID; exec tail -f /dev/null) & wait"
ORPHAN = "(trap '' TERM; echo $BASHPID; exec tail -f /dev/null) & wait"


@pytest.fixture
def kept(tmp_path):
    """Make a child from a command of bash that prints the number of a process; end what is left of it."""
    children: list[launch.KeptProcess] = []

    def keep(command: str) -> tuple[launch.KeptProcess, int]:
        child = launch.KeptProcess("worker", ["bash", "-c", command], os.environ, tmp_path / "worker.log")
        children.append(child)
        child.start()
        return child, int(wait_for(lambda: child.log.read_text().splitlines(), every=0.01)[0])

    yield keep
    for child in children:
        child.kill_group()


@pytest.mark.processes
def test_a_child_that_ignores_sigterm_is_killed_with_what_it_started(kept, monkeypatch):
    monkeypatch.setattr(launch, "STOP_SECONDS", 0.1)
    child, other = kept(DEAF)
    process = child.process

    child.stop()

    assert process.returncode == -signal.SIGKILL
    assert child.process is None
    wait_for(lambda: not alive(other))


@pytest.mark.processes
def test_stopping_everything_ends_what_ignores_sigterm(kept, monkeypatch):
    monkeypatch.setattr(launch, "STOP_SECONDS", 0.1)
    monkeypatch.setattr(launch.signal, "signal", lambda number, action: None)
    child, other = kept(DEAF)

    launch.stop_all([child])

    assert child.process.wait() == -signal.SIGKILL
    wait_for(lambda: not alive(other))


@pytest.mark.processes
def test_what_a_killed_child_leaves_behind_ends_with_everything_else(kept, monkeypatch):
    monkeypatch.setattr(launch.signal, "signal", lambda number, action: None)
    child, orphan = kept(ORPHAN)
    os.kill(child.process.pid, signal.SIGKILL)
    child.process.wait()
    child.tend()
    assert (child.process, alive(orphan)) == (None, True)

    launch.stop_all([child])

    wait_for(lambda: not alive(orphan))


@pytest.mark.processes
def test_a_killed_child_starts_again_only_once_what_it_left_behind_has_ended(kept, monkeypatch):
    child, orphan = kept(ORPHAN)
    os.kill(child.process.pid, signal.SIGKILL)
    child.process.wait()
    child.tend()
    child.restart_at = 0.0

    child.tend()
    assert child.process is None  # the orphan still has time to end

    child.kill_at = 0.0
    child.tend()
    assert child.process is not None
    wait_for(lambda: not alive(orphan))


@pytest.mark.processes
def test_a_running_job_goes_on_after_a_restart(filled):
    product = Product(like=filled).start()
    try:
        job = product.api("jobs/", {"kind": "check_worker", "seconds": MOST_SECONDS})  # still running at the stop
        product.wait_for_job(job["id"], "running")

        product.stop()
        product.python(f"from kernel.models import Job; Job.objects.filter(pk={job['id']}).update({SHORT})")
        product.start()

        assert product.wait_for_job(job["id"], "succeeded")["attempt"] == 2
    finally:
        product.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can tell a child that its parent is gone")
@pytest.mark.processes
def test_killing_the_parent_leaves_no_orphans(filled):
    product = Product(like=filled).start()
    try:
        wait_for(lambda: len(descendants(product.process.pid)) >= 6)  # the worker and its pool too
        processes = descendants(product.process.pid)
        product.process.kill()
        product.process.communicate()
        product.process = None

        assert wait_for(lambda: not any(alive(pid) for pid in processes))
    finally:
        product.close()


def launch_with(**variables: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TESA_", "DJANGO_"))}
    return subprocess.run(
        [sys.executable, "-m", "tesa_site.launch"],
        cwd=ROOT,
        env={**clean, **variables},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    return done.stderr


@pytest.mark.processes
def test_a_taken_port_is_told_with_the_way_out(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        sentence = refusal(launch_with(TESA_VAR=str(tmp_path), TESA_PORT=str(port)))

    assert f"port {port} is in use" in sentence
    assert f"make run TESA_PORT={port + 1}" in sentence


@pytest.mark.processes
def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("not a folder")

    sentence = refusal(launch_with(TESA_VAR=str(tmp_path / "file"), TESA_PORT=str(free_port())))

    assert f"cannot write {tmp_path / 'file' / 'secret-key'}" in sentence
    assert "TESA_VAR" in sentence


@pytest.mark.processes
def test_a_bad_setting_stops_the_start_with_its_sentence(tmp_path):
    assert "TESA_WEB_THREADS must be" in refusal(launch_with(TESA_VAR=str(tmp_path), TESA_WEB_THREADS="many"))


@pytest.mark.processes
def test_a_database_that_does_not_answer_is_told(tmp_path):
    url = f"postgres://nobody@127.0.0.1:{free_port()}/none"

    done = launch_with(TESA_VAR=str(tmp_path), TESA_DATABASE_URL=url, TESA_PORT=str(free_port()))

    assert done.returncode == 1
    assert done.stderr.startswith("tesa: the database does not answer")


def test_a_full_disk_is_told_before_anything_starts(monkeypatch, settings, tmp_path):
    monkeypatch.setattr(starting.processes, "prepare_folders", lambda: (tmp_path / "tmp").mkdir())
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10**9, 10**9, 5 * 1024 * 1024))

    with pytest.raises(SystemExit, match="has 5 MB free, but 100 MB are needed"):
        starting.check_machine(tmp_path, "127.0.0.1", free_port())


def test_a_disk_that_fills_up_at_the_first_write_is_told(monkeypatch, tmp_path):
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(starting.processes, "prepare_folders", full)

    with pytest.raises(SystemExit, match="is full: free some space"):
        starting.check_machine(tmp_path, "127.0.0.1", free_port())


def test_an_old_python_gets_a_sentence(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))

    with pytest.raises(SystemExit, match=r"Python 3\.11 or newer is needed, but .* is 3\.9\.2"):
        install.check_machine()


def test_the_installer_reads_on_every_python_3():
    text = (ROOT / "tesa_site" / "install.py").read_text(encoding="utf-8")

    compile(text, "install.py", "exec", dont_inherit=True)
    assert "from __future__ import annotations" not in text  # 3.6 does not know it
    assert ":=" not in text
    assert 'f"' not in text


def test_an_unknown_extra_is_named():
    with pytest.raises(SystemExit, match="there is no extra 'nonsense'; known: bart, dev, hf"):
        install.requirements({"nonsense"})


def test_a_second_install_finds_its_stamp_and_runs_nothing(monkeypatch):
    monkeypatch.setattr(install, "run", lambda *command: pytest.fail(f"ran {command}"))
    monkeypatch.setattr(install, "installed", lambda: {"digest": install.digest(), "extras": ["dev"]})
    monkeypatch.setattr(sys, "argv", ["install.py"])

    assert install.main() is None


@pytest.mark.processes
def test_ctrl_c_in_a_terminal_stops_everything(filled):
    product = Product(like=filled)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tesa_site.launch"],
        cwd=ROOT,
        env=product.environment,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
        preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
    )
    os.close(follower)  # so that reading ends where the product does
    try:
        output = ""
        while "Ctrl-C" not in output:
            assert select.select([leader], [], [], PATIENCE_S)[0], f"nothing more after:\n{output}"
            output += os.read(leader, 4096).decode()
        os.write(leader, b"\x03")
        assert process.wait(timeout=PATIENCE_S) == 0
    finally:
        process.kill()
        product.close()


def modules_after(code: str) -> set[str]:
    """Return the top-level modules a fresh process has loaded after this code."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*{{name.partition('.')[0] for name in sys.modules}})"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tesa_site.settings_test"},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.processes
def test_the_launcher_stays_small_because_it_loads_no_package():
    assert not modules_after("import tesa_site.launch") & {"django", "celery", "http", "email", "ssl"}


@pytest.mark.processes
def test_a_process_loads_numpy_and_spacy_only_when_it_needs_them():
    loaded = modules_after("import django; django.setup(); import kernel.jobs")

    assert not loaded & {"numpy", "scipy", "spacy", "sklearn", "lxml", "boto3", "vl_convert"}


@pytest.mark.processes
def test_a_problem_found_while_preparing_stops_the_web_server_that_was_already_loading(filled):
    product = Product(like=filled)  # has its static files: the web server loads beside the preparing
    try:
        url = f"postgres://nobody@127.0.0.1:{free_port()}/none"
        done = launch_with(**{**product.environment, "TESA_DATABASE_URL": url})

        assert done.returncode == 1
        assert "tesa: the database does not answer" in done.stderr
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", product.port))
    finally:
        product.close()
