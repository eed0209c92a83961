"""A run that is killed in any phase continues to the same bytes as one that nobody disturbed."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from modeling.rankers.neural import checkpoints, kinds, saving, training
from modeling.rankers.neural.running import run
from modeling.rankers.neural.work_folder import FINISHED, INTERRUPTED, LOCKED
from tests.modeling.neural.conftest import die
from tests.modeling.neural.test_running import contents
from tests.modeling.neural.torch_values import COMMAND, run_command, toy_folder
from tests.product import wait_for

pytestmark = [pytest.mark.neural, pytest.mark.processes]
SMALL = {"sizes": (8, 2, 2), "max_sentences": 4, "epochs": 2, "checkpoint_minutes": 1e-9, "dropout": 0.3}
_calls = 0


def dying_at(real, number: int):
    """Return the function, which ends the process instead of its call of this number."""

    def call(*arguments, **options):
        global _calls
        _calls += 1
        if _calls == number:
            die()
        return real(*arguments, **options)

    return call


PHASES = [
    pytest.param(training.Training, "_update", 1, id="before the first update"),
    pytest.param(training.Training, "_update", 11, id="in the second epoch"),
    pytest.param(saving, "save_file", 6, id="while a checkpoint is written"),
    pytest.param(training, "save_best", 1, id="before the best weights are kept"),
    pytest.param(training.Training, "_validate", 2, id="before the last validation"),
    pytest.param(checkpoints, "save_file", 1, id="while the model is written"),
    pytest.param(kinds.CrossEncoder, "scores", 6, id="while it scores"),
]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = toy_folder(tmp_path_factory.mktemp("whole"), **SMALL)
    assert run(folder.path) == FINISHED
    return contents(folder)


@pytest.mark.parametrize(("owner", "name", "number"), PHASES)
def test_a_killed_run_continues_to_the_same_bytes(tmp_path, in_child, undisturbed, owner, name, number):
    folder = toy_folder(tmp_path, **SMALL)

    def killed() -> int:
        setattr(owner, name, dying_at(getattr(owner, name), number))
        return run(folder.path)

    assert in_child(killed) == -signal.SIGKILL
    assert not folder.is_running()
    assert folder.state().state in ("training", "scoring")

    assert in_child(lambda: run(folder.path)) == FINISHED
    assert contents(folder) == undisturbed


def test_a_checkpoint_that_cannot_be_read_is_passed_over(tmp_path, in_child, undisturbed):
    folder = toy_folder(tmp_path, **SMALL)

    def killed() -> int:
        setattr(training.Training, "_update", dying_at(training.Training._update, 11))  # noqa: B010
        return run(folder.path)

    in_child(killed)
    newest = max((folder.path / "checkpoints").glob("step-*"))
    newest.write_bytes(newest.read_bytes()[:-1000])

    assert in_child(lambda: run(folder.path)) == FINISHED
    assert contents(folder) == undisturbed


def test_the_command_needs_no_django_and_ends_by_a_signal(tmp_path):
    folder = toy_folder(tmp_path, sizes=(8, 2, 2), epochs=2000, max_sentences=4)
    program = (
        "import sys, runpy; sys.modules.update(django=None, celery=None, rest_framework=None, spacy=None);"
        f"sys.argv[1:] = [{str(folder.path)!r}]; runpy.run_module('modeling.rankers.neural', run_name='__main__')"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
    wait_for(lambda: folder.progress() and folder.progress()[-1]["kind"] == "update", seconds=120)

    assert folder.is_running()
    child.send_signal(signal.SIGTERM)

    assert child.wait(60) == INTERRUPTED
    assert folder.state().sentence.startswith("Interrupted (SIGTERM)")
    assert not folder.is_running()


def test_the_command_ends_with_its_parent(tmp_path):
    folder = toy_folder(tmp_path, sizes=(8, 2, 2), epochs=100_000, max_sentences=4)
    program = f"import subprocess; subprocess.Popen({[*COMMAND, str(folder.path), '--with-parent']!r}); input()"
    parent = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_for(lambda: folder.state().state == "training", seconds=120)

    parent.kill()
    parent.wait()

    wait_for(lambda: not folder.is_running(), seconds=60)
    assert folder.state().sentence.startswith("Interrupted (the process that started it has ended)")


def test_of_two_workers_that_take_up_one_run_the_first_goes_on_and_the_other_ends_at_once(tmp_path):
    folder = toy_folder(tmp_path, sizes=(8, 2, 2), epochs=100_000, max_sentences=4)
    first = subprocess.Popen([*COMMAND, str(folder.path)])
    wait_for(lambda: folder.state().state == "training", seconds=120)

    second = run_command(folder)
    folder.ask("stop")

    assert second.returncode == LOCKED
    assert first.wait(120) == FINISHED
    assert folder.state().state == "finished"
    assert len(folder.scores()) == 4


def test_two_processes_give_the_result_of_one(tmp_path):
    settings = {"sizes": (9, 3, 2), "dropout": 0.0, "attention_dropout": 0.0, "max_sentences": 6}
    by_one, by_two = (toy_folder(tmp_path / name, **settings) for name in ("one", "two"))
    assert run(by_one.path) == FINISHED

    started = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    result = subprocess.run(
        [*started, "-m", "modeling.rankers.neural", str(by_two.path)], capture_output=True, text=True
    )

    assert result.returncode == 0, result.stderr
    assert by_two.machine()["processes"] == 2
    for key, scores in by_one.scores().items():
        assert by_two.scores()[key] == pytest.approx(scores, abs=1e-5)
    assert [row["valid_ap"] for row in by_two.model()["curve"]] == [row["valid_ap"] for row in by_one.model()["curve"]]
