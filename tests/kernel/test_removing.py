from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from kernel.clock import now
from kernel.errors import Cancelled
from kernel.models import Attempt, Job, JobLog, WorkerHeartbeat
from kernel.progress import Silent
from kernel.services import removing

pytestmark = pytest.mark.django_db
DAY = 24 * 3600


@pytest.fixture(autouse=True)
def var(settings, tmp_path):
    settings.VAR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    settings.BROKER_DIR = tmp_path / "broker"
    return tmp_path


def make_file(path: Path, *, days: float) -> Path:
    """Write a file that was last changed so many days ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    make_old(path, days=days)
    return path


def make_old(path: Path, *, days: float) -> None:
    os.utime(path, (time.time() - days * DAY,) * 2)


def make_log(*, days: float | None) -> JobLog:
    """Add a line to a job that ended so many days ago (None: it has not ended)."""
    finished_at = None if days is None else now() - timedelta(days=days)
    job = Job.objects.create(kind="check_worker", queue="default", finished_at=finished_at)
    return JobLog.objects.create(job=job, attempt=1, text="a line")


def test_with_nothing_old_there_is_nothing_to_remove(var):
    assert removing.remove_old_data(Silent()) == "There was nothing to remove."


def test_rows_go_when_their_time_has_come_and_not_before():
    kept = [make_log(days=None), make_log(days=89)]
    make_log(days=91)
    for key, days in (("live", 1), ("expired", -1)):
        Session.objects.create(session_key=key, session_data="", expire_date=now() + timedelta(days=days))
    for days in (29, 31):
        Attempt.objects.create(key="x", at=now() - timedelta(days=days))
    WorkerHeartbeat.objects.create(name="live")
    WorkerHeartbeat.objects.create(name="silent", beat_at=now() - timedelta(hours=2))

    text = removing.remove_old_data(Silent())

    assert text == "Removed 1 expired session, 1 old attempt, 1 old job log line, 1 silent worker."
    assert list(JobLog.objects.order_by("id")) == kept
    assert Job.objects.count() == 3  # only the lines go
    assert Session.objects.get().session_key == "live"
    assert Attempt.objects.count() == 1
    assert WorkerHeartbeat.objects.get().name == "live"


def test_files_go_when_their_time_has_come_and_not_before(var):
    old = [
        make_file(var / "tmp" / "backup-x" / "copy.sqlite3", days=1.1),
        make_file(var / "cache" / "dumps" / "0123.sqlite3", days=91),
        make_file(var / "mail" / "a.log", days=31),
        make_file(var / "broker" / "messages" / "1.default.msg", days=8),
        make_file(var / "files" / "checks" / "worker.bin", days=1.1),
    ]
    young = [
        make_file(var / "tmp" / "in-use", days=0.9),
        make_file(var / "cache" / "dumps" / "4567.sqlite3", days=89),
        make_file(var / "cache" / "features" / "1", days=400),
        make_file(var / "mail" / "b.log", days=29),
        make_file(var / "broker" / "messages" / "2.default.msg", days=6),
        make_file(var / "files" / "checks" / "worker_2.bin", days=0.5),
        make_file(var / "files" / "runs" / "1", days=400),
        make_file(var / "tesa.sqlite3", days=400),
    ]

    text = removing.remove_old_data(Silent())

    removed = "1 temporary file, 1 unused index file, 1 old mail file, 1 lost broker message, 1 check leftover"
    assert text == f"Removed {removed}."
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in young)


def test_a_folder_goes_when_it_has_been_empty_for_long(var):
    for name, days in (("old", 2), ("young", 0)):
        (var / "tmp" / name).mkdir(parents=True)
        make_old(var / "tmp" / name, days=days)
    make_file(var / "tmp" / "full" / "file", days=0)
    make_old(var / "tmp" / "full", days=2)

    removing.remove_old_data(Silent())

    assert sorted(path.name for path in (var / "tmp").iterdir()) == ["full", "young"]


def test_a_work_folder_goes_whole_when_nothing_in_it_has_changed_for_long(var):
    for name, days in (("run-1", (100, 91)), ("run-2", (100, 89))):
        for number, age in enumerate(days):
            make_file(var / "work" / name / f"{number}.json", days=age)
        make_old(var / "work" / name, days=100)

    assert removing.remove_old_data(Silent()) == "Removed 1 old work folder."

    assert sorted(str(path.relative_to(var / "work")) for path in (var / "work").rglob("*.json")) == [
        "run-2/0.json", "run-2/1.json",
    ]  # fmt: skip


def test_a_link_is_removed_and_not_followed(var):
    precious = make_file(var / "elsewhere" / "precious", days=400)
    (var / "tmp").mkdir()
    (var / "tmp" / "link").symlink_to(precious.parent)
    os.utime(var / "tmp" / "link", (0, 0), follow_symlinks=False)

    removing.remove_old_data(Silent())

    assert precious.exists()


def test_many_rows_are_removed_batch_by_batch(monkeypatch):
    monkeypatch.setattr(removing, "BATCH", 10)
    old = now() - timedelta(days=31)
    Attempt.objects.bulk_create([Attempt(key="x", at=old) for _ in range(25)])

    with CaptureQueriesContext(
        connection,
    ) as queries:
        text = removing.remove_old_data(Silent())

    assert text == "Removed 25 old attempts."
    deletes = [query for query in queries if query["sql"].startswith('DELETE FROM "kernel_attempt"')]
    assert len(deletes) == 3


def test_cleaning_can_be_stopped_between_two_batches(monkeypatch):
    class StopAtSecond(Silent):
        reports = 0

        def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
            self.reports += "attempt" in (step or "")
            if self.reports == 2:
                raise Cancelled("asked to stop")

    monkeypatch.setattr(removing, "BATCH", 10)
    old = now() - timedelta(days=31)
    Attempt.objects.bulk_create([Attempt(key="x", at=old) for _ in range(25)])

    with pytest.raises(Cancelled):
        removing.remove_old_data(StopAtSecond())

    assert Attempt.objects.count() == 15


def test_the_command_prints_the_sentence(capsys):
    default_storage.save("checks/new.bin", ContentFile(b""))

    call_command("clean_up")

    assert capsys.readouterr().out == "There was nothing to remove.\n"
