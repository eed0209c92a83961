"""A kind of job: a label, a queue, and the function that does the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from kernel.progress import Progress

MOST_ATTEMPTS = 3  # of a repeatable job whose worker is lost each time: perhaps it is the job that kills it


@dataclass(frozen=True)
class JobResult:
    """The result of a job: one sentence, a link to it, and the job that should follow."""

    text: str = ""
    url: str = ""
    then: tuple[str, Mapping[str, Any]] | None = None  # kind and parameters


@dataclass(frozen=True)
class JobKind:
    """`run` gets the job's parameters and reports through Progress. It must be safe to run again after a crash.

    `repeatable`: when its worker is lost, the sweep starts the job again. A kind says False if a person should decide
    that (it spends money), or if the loss is the result (it checks a worker).
    """

    label: str
    queue: str
    run: Callable[[Mapping[str, Any], Progress], JobResult]
    repeatable: bool = field(kw_only=True)
    permission: str = "kernel.run_job"  # who may start, cancel and retry it
    reserve: Callable[[], AbstractContextManager[bool]] | None = None  # what it needs alone; False: it stays queued
