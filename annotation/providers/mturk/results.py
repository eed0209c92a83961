"""MTurk's result files: one row for each assignment. A bad row is reported and does not stop the rest."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import ClassVar

from annotation.providers.results import BadRow, Result, ResultRejection
from annotation.task_types.base import ResultColumns
from kernel.csv_files import MARK, unguarded
from kernel.errors import InvalidInput
from kernel.values import storable

WORKER, SECONDS = "WorkerId", "WorkTimeInSeconds"
ACCEPTED, SUBMITTED, REJECTED = "AcceptTime", "SubmitTime", "RejectionTime"
STATUS, FEEDBACK, REJECT = "AssignmentStatus", "RequesterFeedback", "Reject"
PLATFORM = ("HITId", "HITTypeId", "AssignmentId", WORKER)  # columns of every result file, whatever its HIT asks
TICKED = {"x", "true", "on", "1", "yes"}  # in the column Reject: rejected without a reason
LONGEST_TIME = 2_000_000_000  # seconds that fit into a column
LONGEST_NUMBER = 100  # its digits
LONGEST_CELL = 1_000_000
LONGEST_REASON = 1000
FIRST_YEAR, LAST_YEAR = 2005, 2100  # of times that can be true
# The requester's site wrote "Mon Nov 05 08:21:36 PST 2018".
SITE_TIME = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2} \d{1,2} \d{2}:\d{2}:\d{2}) ([A-Z]{3,4}) (\d{4})")
ZONES = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}


def read_results(lines: Iterable[str], columns: ResultColumns) -> Iterator[Result | BadRow]:
    """Yield every row of a result file. Columns may be in any order; cells missing at a row's end are empty."""
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(line.replace("\x00", "").removeprefix(MARK) for line in lines)
    header = [name.strip() for name in _next(reader) or []]
    _check_columns(header, columns)
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
            yield _result(start, header, cells, columns)


def _check_columns(header: Sequence[str], columns: ResultColumns) -> None:
    """Raise InvalidInput that names every missing column, and what the file has instead."""
    missing = [name for name in (columns.item, WORKER, *columns.needed) if name not in header]
    if not missing:
        return
    column, are = ("column", "is") if len(missing) == 1 else ("columns", "are")
    lacks = f"the {column} {_listed(missing)} {are} missing"
    if not set(PLATFORM) & set(header):
        raise InvalidInput(f"this is no MTurk result file: {lacks}", where="line 1")
    own = [name for name in header if name.startswith(("Input.", "Answer."))]
    has = f"; it has {_listed(own[:10])}{' …' if len(own) > 10 else ''}" if own else ""
    raise InvalidInput(f"these are results of another HIT: {lacks}{has}", where="line 1")


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _next(reader: Iterator[list[str]]) -> list[str] | None:
    try:
        return next(reader, None)
    except csv.Error as error:
        raise InvalidInput(f"is not CSV: {error}", where="line 1") from error


def _result(line: int, header: Sequence[str], cells: Sequence[str], columns: ResultColumns) -> Result | BadRow:
    if len(cells) > len(header):
        return BadRow(line, f"has {len(cells)} cells for {len(header)} columns")
    # Real result files have rows two columns shorter than their header: Approve and Reject stand empty there.
    row = dict(zip(header, [unguarded(storable(cell).strip()) for cell in cells], strict=False))
    for name in (columns.item, WORKER):
        if not row.get(name):
            return BadRow(line, f"has no {name}")
    time = row.get(SECONDS, "") or "0"
    if not time.isascii() or not time.isdigit() or len(time) > LONGEST_NUMBER or int(time) > LONGEST_TIME:
        return BadRow(line, f"{SECONDS} is {time[:40]!r}, not a number of seconds")
    times = {name: _moment(row.get(name, "")) for name in (ACCEPTED, SUBMITTED, REJECTED)}
    for name, moment in times.items():
        if moment is None and row.get(name):
            return BadRow(line, f"{name} is {row[name][:40]!r}, not a time")
    try:
        answer = columns.answer(row)
    except InvalidInput as error:
        return BadRow(line, error.problem)
    return Result(
        line,
        row[columns.item][:200],
        row[WORKER][:200],
        int(time),
        answer,
        accepted=times[ACCEPTED],
        submitted=times[SUBMITTED],
        rejection=_rejection(row, times[REJECTED]),
    )


def _rejection(row: Mapping[str, str], at: datetime | None) -> ResultRejection | None:
    """Return the rejection that the status, its time or the column Reject reports."""
    reject = row.get(REJECT, "")
    if row.get(STATUS, "").lower() != "rejected" and not at and not reject:
        return None
    why = row.get(FEEDBACK, "") or ("" if reject.lower() in TICKED else reject)
    return ResultRejection(why[:LONGEST_REASON], at)


def _moment(text: str) -> datetime | None:
    """Return the time in a cell, as the site or the API writes it; None if it is not a time."""
    try:
        if match := SITE_TIME.fullmatch(text):
            zone = timezone(timedelta(hours=ZONES[match[2]]))
            moment = datetime.strptime(f"{match[1]} {match[3]}", "%b %d %H:%M:%S %Y").replace(tzinfo=zone)
        else:
            moment = datetime.fromisoformat(text)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC) if FIRST_YEAR <= moment.year < LAST_YEAR else None
    except (ValueError, KeyError, OverflowError):
        return None


class MTurkResults:
    name: ClassVar[str] = "mturk"
    label: ClassVar[str] = "MTurk"
    came: ClassVar[str] = "in a file of MTurk results"
    read = staticmethod(read_results)


MTURK_RESULTS = MTurkResults()
