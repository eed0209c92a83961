"""What the crowd did, in its own words: one JSON object a line, kept apart from the application it tests."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from typing import Any, TextIO


@dataclass
class Log:
    """Events in the order they happened; `file` gets each as it happens."""

    file: TextIO | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, person: int, event: str, **more: Any) -> None:
        row = {"time": round(time.time(), 3), "person": person, "event": event, **more}
        with self._lock:
            self.events.append(row)
            if self.file:
                self.file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def of(self, event: str) -> list[dict[str, Any]]:
        return [row for row in self.events if row["event"] == event]
