"""How long work tells that it goes on, whoever is watching: a job's page, a terminal, nobody."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Where long work reports. Call `report` at least once a second: it is also where a cancel takes effect."""

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        """Say how far the work is; raise Cancelled when somebody asked it to stop."""

    def log(self, text: str) -> None:
        """Keep one line for people to read later."""


class Silent:
    """Progress that nobody watches."""

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        pass

    def log(self, text: str) -> None:
        pass
