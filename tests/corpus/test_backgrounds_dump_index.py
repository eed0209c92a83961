"""The index of a dump: what cannot be read, when it is built, what it costs."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import tracemalloc

import pytest

from corpus.backgrounds import dump_index
from corpus.backgrounds.dump import DumpSource
from kernel.errors import Cancelled, InvalidInput, Unavailable
from kernel.progress import Silent
from tests.corpus.dumps import row, title_of, write


def test_a_broken_line_is_reported_and_the_rest_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(dump_index, "MAX_LINE_BYTES", 500)
    rows = [
        row("First"),
        "{not json",
        "[1]",
        "",
        '{"text": "no title"}',
        row("Wrong", text=3),
        row("Bad", url="javascript:alert(1)"),
        row("Bad", retrieved="yesterday"),
        row("Bad", type="animal"),
        row("Bad", aliases="x"),
        row("Bad", page_id=True),
        row("Long", "x" * 600),
        "[" * 499,
        row("First", "Again."),
        row("Last"),
    ]
    path = write(tmp_path, *rows)
    summary = (source := DumpSource(path)).summary

    assert (summary.pages, summary.problem_count) == (2, 12)
    reported = {int(problem.where.rpartition(":")[2]): problem.reason for problem in summary.problems}
    assert sorted(reported) == [2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
    assert reported[2].startswith("this is not JSON")
    assert reported[5] == "title: must not be empty"
    assert reported[12] == "the line is too long (at most 500 bytes are read)"
    assert reported[14] == 'the title "First" was on line 1 already'
    assert summary.problems[0].where == f"{path}:2"
    assert title_of(source.look_up("Last")) == "Last"
    first = source.look_up("First")
    assert first is not None
    assert first.text == "It is what it is."


def test_a_licence_too_long_to_keep_is_a_problem_of_its_line(tmp_path):
    path = write(tmp_path, row("Arden", licence="x" * 201), row("Karsk", licence="x" * 200))
    source = DumpSource(path)

    assert [problem.reason for problem in source.summary.problems] == [
        "licence: must have at most 200 characters: a name or an address"
    ]
    assert source.look_up("Arden") is None
    assert source.look_up("Karsk") is not None


def test_a_compressed_dump_that_is_cut_short_gives_what_it_has(tmp_path):
    path = write(
        tmp_path, *(row(f"Buoy {number}", os.urandom(30).hex()) for number in range(500)), name="pages.jsonl.gz"
    )
    path.write_bytes(path.read_bytes()[:-400])

    summary = DumpSource(path).summary

    assert 0 < summary.pages < 500
    assert "damaged or cut short" in summary.problems[-1].reason


def test_an_empty_dump_has_no_pages(tmp_path):
    source = DumpSource(write(tmp_path))

    assert source.summary.pages == 0
    assert source.look_up("Arden") is None


def test_a_dump_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"nowhere\.jsonl: the dump cannot be read"):
        DumpSource(tmp_path / "nowhere.jsonl")
    with pytest.raises(InvalidInput, match="cannot be read"):
        DumpSource(tmp_path)


def test_an_index_that_cannot_be_written_is_refused(tmp_path):
    path = write(tmp_path, row("Arden"))
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(InvalidInput, match="cannot be written"):
        DumpSource(path, tmp_path / "file" / "index.sqlite3")


def test_the_index_is_built_once_and_again_when_the_dump_changes(tmp_path):
    path = write(tmp_path, row("Arden"))
    index = DumpSource(path).index
    built = index.stat().st_ino

    DumpSource(path)
    assert index.stat().st_ino == built

    old = DumpSource(path)
    write(tmp_path, row("Arden"), row("Karsk"))
    assert title_of(DumpSource(path).look_up("Karsk")) == "Karsk"
    assert index.stat().st_ino != built
    assert title_of(old.look_up("Arden")) == "Arden"  # an open source keeps what it had


def test_a_change_that_keeps_size_and_time_is_noticed_by_the_head(tmp_path):
    path = write(tmp_path, row("Arden"))
    status = path.stat()
    DumpSource(path)
    write(tmp_path, row("Karsk"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert title_of(DumpSource(path).look_up("Karsk")) == "Karsk"


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"x" * 5_000])
def test_a_damaged_index_is_built_again(tmp_path, content):
    path = write(tmp_path, row("Arden"))
    index = DumpSource(path).index
    index.write_bytes(content)

    assert title_of(DumpSource(path).look_up("Arden")) == "Arden"


def test_an_index_that_is_damaged_while_it_is_read_is_unavailable(tmp_path):
    source = DumpSource(write(tmp_path, row("Arden")))
    source._database.close()
    source._database = sqlite3.connect(":memory:", check_same_thread=False)

    with pytest.raises(Unavailable):
        source.look_up("Arden")


def test_a_cancelled_build_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(dump_index, "REPORT_EVERY", 2)
    path = write(tmp_path, *(row(f"Buoy {number}") for number in range(9)))

    class Impatient(Silent):
        def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
            assert total == path.stat().st_size
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        dump_index.make_current(path, tmp_path / "index.sqlite3", Impatient())
    assert list(tmp_path.iterdir()) == [path]


def test_two_that_build_at_once_both_read_a_whole_index(tmp_path):
    path = write(tmp_path, *(row(f"Buoy {number}") for number in range(3_000)))
    titles: list[str | None] = []

    def use() -> None:
        titles.append(title_of(DumpSource(path).look_up("Buoy 2999")))

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert titles == ["Buoy 2999"] * 4
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
def test_memory_does_not_grow_with_the_dump(tmp_path):
    def peak(count: int) -> int:
        path = tmp_path / f"{count}.jsonl"
        with path.open("w") as file:
            for number in range(count):
                file.write(json.dumps(row(f"Buoy {number}", "A buoy is a float. " * 10)) + "\n")
        tracemalloc.start()
        DumpSource(path).close()
        high = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return high

    assert peak(12_000) < 1.3 * peak(4_000)
