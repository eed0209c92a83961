"""What the outside asks of a running command: files in its folder, signals, and a parent that is gone."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

from kernel.errors import Cancelled
from modeling.rankers.neural.work_folder import WorkFolder


class Control:
    """Asked after each update and between tasks to score. `with_parent` also ends with the process that started it."""

    def __init__(self, folder: WorkFolder, *, with_parent: bool = False) -> None:
        self.folder = folder
        self.parent = os.getppid() if with_parent else 0
        self.signal = ""

    def listen(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.signal = signal.Signals(number).name

    def decision(self, *, is_epoch_end: bool = False) -> str:
        """Return "cancel", "stop" (at the end of an epoch only) or "" to continue."""
        if self._reason():
            return "cancel"
        return "stop" if is_epoch_end and self.folder.is_asked("stop") else ""

    def interrupt(self) -> NoReturn:
        reason = self._reason() or "another process was cancelled"
        raise Cancelled(f"Interrupted ({reason}): the same command continues where this one ended.")

    def _reason(self) -> str:
        if self.signal:
            return self.signal
        if self.folder.is_asked("cancel"):
            return "cancelled"
        return "the process that started it has ended" if self.parent and os.getppid() != self.parent else ""
