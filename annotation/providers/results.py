"""Result files of other platforms: answers that people gave, and were paid for, elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Protocol

from annotation.task_types.base import JsonObject, ResultColumns


@dataclass(frozen=True)
class ResultRejection:
    """The requester did not pay for an answer: why, and when if the file says so."""

    why: str
    at: datetime | None = None


@dataclass(frozen=True)
class Result:
    """One answer of one worker. `id` names the item, `worker` the person as the platform knows them."""

    line: int
    id: str
    worker: str
    seconds: int
    answer: JsonObject
    accepted: datetime | None = None  # when they took the task
    submitted: datetime | None = None
    rejection: ResultRejection | None = None


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used, and why."""

    line: int
    reason: str


class ResultFormat(Protocol):
    """The result files of one platform. Its folder of templates has `results.html`, which describes the columns."""

    name: ClassVar[str]  # stored with the workers: where their ids are valid
    label: ClassVar[str]
    came: ClassVar[str]  # how these workers came in, after a date

    def read(self, lines: Iterable[str], columns: ResultColumns) -> Iterator[Result | BadRow]:
        """Yield every row. Raise InvalidInput if this is not a result file with these columns."""
