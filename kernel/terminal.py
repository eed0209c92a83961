"""Progress of a command: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

SECONDS_BETWEEN_LINES = 5.0


class TerminalProgress:
    """A Progress on stderr, used as a context manager: the bar disappears at the end, lines stay."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True, highlight=False)
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, console=self.console, transient=True)
        self.task = self.bar.add_task("", total=None)
        self.done, self.step = 0, ""
        self.total: int | None = None
        self.printed_at = float("-inf")

    def __enter__(self) -> TerminalProgress:
        if self.console.is_terminal:
            self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.console.is_terminal:  # elsewhere it would print an empty line
            self.bar.stop()

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        self.done = done
        self.total = self.total if total is None else total
        self.step = self.step if step is None else step
        if self.console.is_terminal:
            self.bar.update(self.task, completed=done, total=self.total, description=escape(self.step))
        elif time.monotonic() - self.printed_at >= SECONDS_BETWEEN_LINES:
            self.printed_at = time.monotonic()
            self.console.print(self._line(), markup=False, soft_wrap=True)

    def log(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)

    def _line(self) -> str:
        count = f"{self.done:,}" if self.total is None else f"{self.done:,} of {self.total:,}"
        return f"{self.step}: {count}" if self.step else count
