"""Counting rows and files towards their total."""

from __future__ import annotations

from tesa_site.kernel.progress import Progress


class Meter:
    """Says to Progress how far a backup is."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.total = progress, total
        self.done, self.step = 0, ""

    def advance(self, count: int) -> None:
        self.done += count
        self.progress.report(self.done, self.total, self.step)
