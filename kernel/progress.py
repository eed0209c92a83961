"""How long work reports that it goes on, whether a job's page, a terminal or nobody watches."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Where long work reports. Call `report` at least once a second: it is also where a cancel takes effect."""

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        """Record how far the work is; raise Cancelled if somebody asked it to stop."""

    def log(self, text: str) -> None:
        """Keep one line for people to read later."""


class Silent:
    """Progress that nobody watches."""

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        pass

    def log(self, text: str) -> None:
        pass


class Meter:
    """Adds up counts and reports them against a total; `step` names what is being counted."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.total = progress, total
        self.done, self.step = 0, ""

    def advance(self, count: int) -> None:
        self.done += count
        self.progress.report(self.done, self.total, self.step)
