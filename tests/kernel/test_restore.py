from __future__ import annotations

import json
from typing import Any

import pytest

from kernel.errors import Cancelled, InvalidInput, WrongState
from kernel.models import Job, User
from kernel.progress import Silent
from kernel.services import backup
from kernel.services.backup import archive, files, tables
from tests.kernel.archives import all_files, all_rows, make_state, repacked, written
from tests.make import NO_ROW

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.VAR = tmp_path / "var"
    settings.MEDIA_ROOT = tmp_path / "var" / "files"
    return tmp_path


# ---- What is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../evil", "a/../../evil", "/etc/evil", "a//b", "./a", "..", "a\\..\\b", "", "backups/tesa-old.tar.gz"]
)
def test_no_file_name_leads_out_of_the_storage(name, tmp_path):
    source = repacked(written(), lambda members: members.update({f"files/{name}": b"evil"}))

    with pytest.raises(InvalidInput, match="must not have a member named"):
        backup.restore_backup(source, Silent(), replace=True)

    assert not list(tmp_path.rglob("*evil*"))


def without_jobs(members: dict[str, bytes]) -> None:
    del members["tables/kernel.job.jsonl"]


def test_backups_of_other_formats_and_versions_are_refused():
    make_state()
    rows, source = all_rows(), written()
    cases = {
        "has format 2": repacked(source, format=2),
        "made by version 9.9.*install that version": repacked(
            source, version="9.9", migrations=["kernel.0001_initial"]
        ),
        "tables are not those": repacked(source, without_jobs),
    }
    for problem, changed in cases.items():
        with pytest.raises(InvalidInput, match=problem):
            backup.restore_backup(changed, Silent(), replace=True)

    assert all_rows() == rows


def test_a_database_that_holds_data_is_refused_unless_told_to_replace_it():
    make_state()
    rows, source = all_rows(), written()

    with pytest.raises(WrongState, match=r"already contains .*jobs.*users"):
        backup.restore_backup(source, Silent(), replace=False)

    assert all_rows() == rows


# ---- What goes wrong on the way -----------------------------------------------------------------


def second_job(members: dict[str, bytes], **changes: Any) -> None:
    """Add a copy of the only job to an archive."""
    table = members["tables/kernel.job.jsonl"]
    names, row = (json.loads(line) for line in table.splitlines())
    changed = {**dict(zip(names, row, strict=True)), **changes}
    members["tables/kernel.job.jsonl"] = table + json.dumps([*changed.values()]).encode() + b"\n"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, r"tables/kernel\.job\.jsonl, lines 2 to 3: cannot be stored"),
        ({"id": NO_ROW, "created_by_id": NO_ROW}, "refer to rows it does not have"),
        ({"id": NO_ROW, "created_at": "yesterday"}, r"kernel\.job\.jsonl, line 3: .*yesterday"),
        ({"id": NO_ROW, "kind": None}, r"kernel\.job\.jsonl, lines 2 to 3: cannot be stored"),
        ({"id": NO_ROW, "more": 1}, r"kernel\.job\.jsonl, line 3: "),
        ({"id": NO_ROW, "subject": ["a"]}, r"kernel\.job\.jsonl, line 3: "),
        ({"id": 10**400}, r"kernel\.job\.jsonl, lines 2 to 3: "),
    ],
    ids=["twice", "no such user", "no date", "no value", "too many values", "a list", "a large number"],
)
def test_a_row_that_cannot_be_stored_leaves_everything_as_it_was(changes, problem):
    make_state()
    source = repacked(written(), lambda members: second_job(members, **changes))
    Job.objects.update(subject="after the backup")
    User.objects.create(username="ben")
    rows, stored = all_rows(), all_files()

    with pytest.raises(InvalidInput, match=problem):
        backup.restore_backup(source, Silent(), replace=True)

    assert all_rows() == rows
    assert all_files() == stored
    assert User.objects.create(username="cleo").pk > User.objects.get(username="ben").pk


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'"a text that has as many characters"', "is not a list of [0-9]+ values"),
        (b"{}", "is not a list"),
        (b"7", "is not a list"),
        (b"[" * 2900, "nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"[", "cannot be read"),
        (b"[" + b" " * 5000 + b"]", "is longer than"),
    ],
    ids=lambda value: str(value[:12]),
)
@pytest.mark.parametrize("place", [1, 2])
def test_a_line_that_is_no_row_is_named_and_leaves_everything_as_it_was(monkeypatch, place, line, problem):
    monkeypatch.setattr(tables, "MOST_LINE", 3000)
    make_state()

    def spoil(members: dict[str, bytes]) -> None:
        lines = members["tables/kernel.job.jsonl"].splitlines(keepends=True)
        members["tables/kernel.job.jsonl"] = b"".join([*lines[: place - 1], line + b"\n", *lines[place:]])

    source, rows = repacked(written(), spoil), all_rows()

    with pytest.raises(InvalidInput, match=rf"^tables/kernel\.job\.jsonl, line {place}: .*{problem}") as refused:
        backup.restore_backup(source, Silent(), replace=True)

    assert len(str(refused.value)) < 300
    assert all_rows() == rows


def test_a_row_of_more_values_than_any_table_has_columns_is_not_parsed(monkeypatch):
    monkeypatch.setattr(archive, "FEW_BYTES", 1000)
    make_state()

    def spoil(members: dict[str, bytes]) -> None:
        members["tables/kernel.job.jsonl"] += b"[" + b"{}," * 1000 + b"0]\n"

    with pytest.raises(InvalidInput, match=r"job\.jsonl, line 3: cannot be read: it has over 100 values"):
        backup.restore_backup(repacked(written(), spoil), Silent(), replace=True)


def test_no_table_has_more_columns_than_a_row_may_have_values():
    assert max(len(tables.stored_fields(model)) for model in tables.stored_models()) < tables.MOST_VALUES


def test_long_rows_are_stored_in_small_groups(monkeypatch):
    monkeypatch.setattr(tables, "MOST_GROUP_BYTES", 1)
    make_state()
    for number in range(3):
        User.objects.create(username=f"worker {number}")
    rows, source = all_rows(), written()

    backup.restore_backup(source, Silent(), replace=True)

    assert all_rows() == rows


def test_a_row_that_could_not_be_read_again_is_not_written(monkeypatch):
    make_state()
    monkeypatch.setattr(tables, "MOST_LINE", 300)

    with pytest.raises(WrongState, match=r"kernel\.job has a row .* longer than"):
        written()


def test_a_storage_that_fails_leaves_the_rows_as_they_were(monkeypatch):
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    make_state()
    source = written()
    users = [User.objects.create(username=f"worker {number}").pk for number in range(5)]
    rows = all_rows()
    monkeypatch.setattr(files, "hand_over", full)

    with pytest.raises(OSError, match="No space left"):
        backup.restore_backup(source, Silent(), replace=True)

    assert all_rows() == rows
    assert User.objects.create(username="next").pk > max(users)  # the numbering was rolled back too


def test_a_stopped_restore_leaves_the_rows_as_they_were():
    make_state()
    source = written()
    Job.objects.update(subject="after the backup")
    rows = all_rows()

    class StopAtJobs(Silent):
        def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
            if step == "Jobs":
                raise Cancelled("asked to stop")

    with pytest.raises(Cancelled):
        backup.restore_backup(source, StopAtJobs(), replace=True)

    assert all_rows() == rows
