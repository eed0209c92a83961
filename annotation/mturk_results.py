"""MTurk's result files: one row an assignment, read leniently, so that one bad row costs nothing but itself."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tesa_site.kernel.csv_files import MARK, unguarded
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import storable

ID, WORKER, FIRST = "Input.id_", "WorkerId", "Answer.utterance_1"
SECOND, BOX, SECONDS = "Answer.utterance_2", "Answer.box_impossible.on", "WorkTimeInSeconds"
NEEDED = (ID, WORKER, FIRST)
TRUE = {"true", "on", "1", "yes"}
FALSE = {"", "false", "off", "0", "no", "nan"}
LONGEST_TIME = 2_000_000_000  # seconds that fit into a column
LONGEST_NUMBER = 100  # its digits
LONGEST_CELL = 1_000_000


@dataclass(frozen=True)
class Result:
    """What one worker submitted, as they typed it."""

    line: int
    id: str
    worker: str
    seconds: int
    phrases: tuple[str, ...]
    impossible: bool


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used, and why."""

    line: int
    reason: str


def read_results(lines: Iterable[str]) -> Iterator[Result | BadRow]:
    """Yield every row of a result file. Columns may stand in any order; cells missing at a row's end are empty."""
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(line.replace("\x00", "").removeprefix(MARK) for line in lines)
    header = [name.strip() for name in _next(reader) or []]
    missing = [name for name in NEEDED if name not in header]
    if missing:
        raise InvalidInput(f"this is no MTurk result file: the column {missing[0]} is not there", where="line 1")
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield BadRow(start, f"is not CSV: {error}")
            continue
        if any(cell.strip() for cell in cells):
            yield _result(start, header, cells)


def _next(reader: Iterator[list[str]]) -> list[str] | None:
    try:
        return next(reader, None)
    except csv.Error as error:
        raise InvalidInput(f"is not CSV: {error}", where="line 1") from error


def _result(line: int, header: Sequence[str], cells: Sequence[str]) -> Result | BadRow:
    if len(cells) > len(header):
        return BadRow(line, f"has {len(cells)} cells for {len(header)} columns")
    # Real result files have rows two columns shorter than their header: Approve and Reject stand empty there.
    row = dict(zip(header, [unguarded(storable(cell).strip()) for cell in cells], strict=False))
    for name in (ID, WORKER):
        if not row.get(name):
            return BadRow(line, f"has no {name}")
    time = row.get(SECONDS, "") or "0"
    if not time.isascii() or not time.isdigit() or len(time) > LONGEST_NUMBER or int(time) > LONGEST_TIME:
        return BadRow(line, f"{SECONDS} is {time[:40]!r}, not a number of seconds")
    box = row.get(BOX, "").lower()
    if box not in TRUE | FALSE:
        return BadRow(line, f"{BOX} is {box[:40]!r}, neither true nor false")
    phrases = tuple(phrase for phrase in (row.get(FIRST, ""), row.get(SECOND, "")) if phrase)
    return Result(line, row[ID][:200], row[WORKER][:200], int(time), phrases, box in TRUE)
