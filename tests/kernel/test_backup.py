from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest
from django.contrib.auth import authenticate
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.test.utils import isolate_apps

from kernel.errors import Cancelled
from kernel.models import ApiToken, Job, User, WorkerHeartbeat
from kernel.progress import Silent
from kernel.roles import Role
from kernel.services import backup, people, tokens
from kernel.services.backup import files, snapshot, tables
from tests.kernel.archives import MOMENT, all_files, all_rows, make_state, unpacked, written
from tests.product import PATIENCE_S

ROOT = Path(__file__).resolve().parent.parent.parent
database = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.VAR = tmp_path / "var"
    settings.MEDIA_ROOT = tmp_path / "var" / "files"
    return tmp_path


# ---- The round trip -----------------------------------------------------------------------------


@database
def test_a_restore_brings_back_every_row_and_every_file():
    key = make_state()
    rows, stored, source = all_rows(), all_files(), written()
    Job.objects.all().delete()
    User.objects.update(username="mallory", password="")
    User.objects.create(username="eve")
    ApiToken.objects.all().delete()
    default_storage.delete("empty")
    default_storage.delete("runs/1/π.txt")
    default_storage.save("runs/1/π.txt", ContentFile(b"something else"))

    report = backup.restore_backup(source, Silent(), replace=True)

    assert all_rows() == rows
    assert all_files() == stored
    assert report.rows == sum(map(len, rows.values()))
    assert report.files == 3
    ada = User.objects.get()
    assert tokens.token_of_key(key).user == ada
    assert authenticate(username="ada", password="Été-2026-ключ") == ada
    assert people.role_of(ada) == Role.ADMINISTRATOR
    assert ada.has_perm("kernel.operate")


@database
def test_rows_made_after_a_restore_get_new_numbers():
    make_state()
    last = Job.objects.create(kind="check_worker", queue="default").pk
    source = written()
    Job.objects.all().delete()

    backup.restore_backup(source, Silent(), replace=True)

    assert Job.objects.create(kind="check_worker", queue="default").pk > last
    assert people.create_user("ben", role=Role.RESEARCHER).pk > User.objects.get(username="ada").pk


@database
def test_an_empty_database_takes_a_backup_without_being_told_to_replace():
    make_state()
    rows, source = all_rows(), written()
    call_command("flush", interactive=False, verbosity=0)  # as after `migrate`: content types, permissions, groups

    backup.restore_backup(source, Silent(), replace=False)

    assert all_rows() == rows


@database
def test_the_manifest_tells_what_is_in_the_archive_and_what_is_not():
    make_state()
    manifest = json.loads(unpacked(written())["manifest.json"])

    assert manifest["format"] == 1
    assert manifest["database"] == connection.vendor
    assert "kernel.0001_initial" in manifest["migrations"]
    assert any("sessions" in line for line in manifest["left_out"])
    rows = {member["name"]: member["rows"] for member in manifest["members"]}
    assert rows["tables/kernel.user.jsonl"] == 1
    assert rows["tables/kernel.user_groups.jsonl"] == 1
    assert rows["files/empty"] is None


@database
def test_sessions_heartbeats_backups_and_checks_are_left_out():
    make_state()
    SessionStore().create()
    WorkerHeartbeat.objects.create(name="a worker")
    for name in ("backups/old.tar.gz", "checks/worker.bin", "runs/backups/kept"):
        default_storage.save(name, ContentFile(b"x"))

    source = written()
    names = set(unpacked(source))
    backup.restore_backup(source, Silent(), replace=True)

    assert not {"tables/sessions.session.jsonl", "tables/kernel.workerheartbeat.jsonl"} & names
    assert {name for name in names if "backups" in name or "checks" in name} == {"files/runs/backups/kept"}
    assert not Session.objects.exists()  # whoever was signed in may be somebody else now
    assert WorkerHeartbeat.objects.get().name == "a worker"
    assert default_storage.exists("backups/old.tar.gz")


@database
@isolate_apps("kernel")
def test_every_kind_of_value_comes_back_exactly():
    class Everything(models.Model):  # noqa: DJ008
        id = models.UUIDField(primary_key=True)
        day = models.DateField(null=True)
        clock = models.TimeField(null=True)
        moment = models.DateTimeField(null=True)
        changed = models.DateTimeField(auto_now=True)
        span = models.DurationField(null=True)
        price = models.DecimalField(max_digits=14, decimal_places=4, null=True)
        ratio = models.FloatField(null=True)
        blob = models.BinaryField(null=True)
        text = models.TextField(null=True)  # noqa: DJ001
        address = models.GenericIPAddressField(null=True)
        flag = models.BooleanField(null=True)
        tree = models.JSONField(null=True)
        parent = models.ForeignKey("self", null=True, on_delete=models.CASCADE)

        class Meta:
            app_label = "kernel"

    first, second, rows = UUID(int=1), UUID(int=2), Everything._default_manager
    with connection.schema_editor() as editor:
        editor.create_model(Everything)
    try:
        rows.create(id=second)
        rows.create(
            id=first,
            day=date(1, 1, 1),
            clock=time(23, 59, 59, 999999),
            moment=MOMENT,
            span=timedelta(days=-3, microseconds=1),
            price=Decimal("1234567890.1200"),
            ratio=0.1 + 0.2,
            blob=bytes(range(256)),
            text='é\u2028"\\\r\n\t',
            address="2001:db8::1",
            flag=False,
            tree={"b": [1.0, 2**70, "ü"], "a": {}},
            parent_id=second,
        )
        rows.create(id=UUID(int=3), tree=models.Value(None, models.JSONField()), text="")
        rows.update(changed=MOMENT)
        before = list(rows.order_by("id").values())
        lines = b"".join(tables.table_lines(Everything, "default", lambda count: None)).splitlines(keepends=True)
        rows.all().delete()

        assert tables.load_table(Everything, io.BytesIO(b"".join(lines)), lambda count: None) == 3

        after = list(rows.order_by("id").values())
        for row in (*before, *after):
            row["blob"] = row["blob"] and bytes(row["blob"])
        assert after == before
        assert after[0]["blob"] == bytes(range(256))
        assert {row["changed"] for row in after} == {MOMENT}  # auto_now was not asked
        # JSON's null is not the database's NULL.
        assert rows.get(tree__isnull=True).pk == second
        assert str(after[0]["price"]) == "1234567890.1200"
    finally:
        with connection.schema_editor() as editor:
            editor.delete_model(Everything)


# ---- While others write -------------------------------------------------------------------------


class Writing(Silent):
    """Adds a Job each time the backup reports."""

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        Job.objects.create(kind="check_worker", queue="default", subject="too late")


@database
def test_a_backup_shows_one_moment():
    make_state()
    Writing().report(0)
    target = io.BytesIO()

    backup.write_backup(target, Writing())

    assert Job.objects.count() > 5
    lines = unpacked(target)["tables/kernel.job.jsonl"].splitlines()
    assert len(lines) == 1 + 2  # the names of the columns, and what was there at the start


@database
def test_a_file_deleted_during_the_backup_is_left_out_and_told_of(monkeypatch):
    class Listening(Silent):
        lines: list[str] = []

        def log(self, text: str) -> None:
            self.lines.append(text)

    monkeypatch.setattr(files, "stored_names", lambda: ["gone.txt", "a\\b.txt"])

    report = backup.write_backup(io.BytesIO(), Listening())

    assert report.files == 0
    assert ["deleted during" in line for line in Listening.lines] == [True, False]


WRITER_BESIDE_A_BACKUP = """
import io, threading
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.db import connection
from kernel.models import Job
from kernel.progress import Silent
from kernel.services import backup

class WritingMeanwhile(Silent):
    # While the database is being copied, waits until another thread has written to it.
    written = 0

    def report(self, done, total=None, step=None):
        if step != "Copying the database":
            return
        writer = threading.Thread(target=self.write, daemon=True)
        writer.start()
        writer.join({patience})
        assert not writer.is_alive(), "a writer waits for the backup"

    def write(self):
        Job.objects.create(kind="k", queue="default")
        connection.close()
        self.written += 1

meanwhile = WritingMeanwhile()
backup.write_backup(io.BytesIO(), meanwhile)
print(meanwhile.written)
"""


def run_on_sqlite(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the real settings and a SQLite database of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TESA_")}
    environment |= {"TESA_VAR": str(folder), "DJANGO_SETTINGS_MODULE": "tesa_site.settings"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=2 * PATIENCE_S
    )


@pytest.mark.processes
def test_nobody_waits_for_a_backup_of_a_sqlite_file(tmp_path):
    done = run_on_sqlite(tmp_path, "-c", WRITER_BESIDE_A_BACKUP.replace("{patience}", str(PATIENCE_S)))

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


def test_a_backup_inside_a_transaction_is_refused_at_once(django_db_blocker, monkeypatch):
    with django_db_blocker.unblock():
        # Of the connection itself: undone on the proxy, the attribute would be gone for every later test.
        monkeypatch.setattr(connections[DEFAULT_DB_ALIAS], "in_atomic_block", True)

        with pytest.raises(RuntimeError, match="inside a transaction"):
            backup.write_backup(io.BytesIO(), Silent())


class Stopping(Silent):
    """Stops the work at its third report."""

    def __init__(self, error: BaseException) -> None:
        self.error, self.reports = error, 0

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        self.reports += 1
        if self.reports == 3:
            raise self.error


@database
@pytest.mark.parametrize("error", [Cancelled("asked to stop"), KeyboardInterrupt()], ids=["cancel", "Ctrl-C"])
def test_a_stopped_backup_leaves_nothing_behind(error, own_folder):
    make_state()
    target = own_folder / "out" / "x.tar.gz"

    with pytest.raises(type(error)):
        backup.save_backup(target, Stopping(error))

    assert list(target.parent.iterdir()) == []
    assert list((own_folder / "var" / "tmp").iterdir()) == []


KILLED = """
import os, signal, sys
from pathlib import Path
import django
django.setup()
from kernel.progress import Silent
from kernel.services import backup

class Dying(Silent):
    def report(self, done, total=None, step=None):
        if step == "Files" and done == total:  # the last file, after the large one
            os.kill(os.getpid(), signal.SIGKILL)

from django.core.management import call_command
call_command("migrate", verbosity=0)
backup.save_backup(Path(sys.argv[1]), Dying())
"""


@database
@pytest.mark.processes
def test_the_next_backup_deletes_what_a_killed_one_left_but_nothing_of_a_running_one(own_folder):
    make_state()
    target, scratch = own_folder / "out", own_folder / "var" / "tmp"
    killed = run_on_sqlite(own_folder / "var", "-c", KILLED, str(target / "first.tar.gz"))
    left = {*target.iterdir(), *scratch.iterdir()}
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(left) == 2

    with snapshot.work_folder() as running, (target / "other").open("w"):
        (running / "copy.sqlite3").write_text("a copy")
        backup.save_backup(target / "second.tar.gz", Silent())

        assert (running / "copy.sqlite3").exists()
    assert {path.name for path in target.iterdir()} == {"second.tar.gz", "other"}
    assert not list(scratch.iterdir())


# ---- From one database to the other -------------------------------------------------------------


THERE_AND_BACK = """
import sys
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("restore", sys.argv[1])
call_command("backup", sys.argv[2])
"""


@database
@pytest.mark.processes
def test_a_backup_moves_from_sqlite_to_this_database_and_back(tmp_path):
    make_state()
    rows, stored = all_rows(), all_files()
    here, there = tmp_path / "here.tar.gz", tmp_path / "there.tar.gz"
    backup.save_backup(here, Silent())

    # This database (SQLite or PostgreSQL, as the tests are run) → a new SQLite file → this database.
    done = run_on_sqlite(tmp_path / "other", "-c", THERE_AND_BACK, str(here), str(there))
    assert done.returncode == 0, done.stderr
    Job.objects.all().delete()
    default_storage.delete("big.bin")
    with there.open("rb") as source:
        report = backup.restore_backup(source, Silent(), replace=True)

    assert report.database == "sqlite"
    assert all_rows() == rows
    assert all_files() == stored
