"""A limit on calls per key: a bucket that refills steadily, counted by each web process for itself."""

from __future__ import annotations

import threading
import time

BURST_SECONDS = 2
_levels: dict[str, tuple[float, float]] = {}
_lock = threading.Lock()


def take(key: str, per_second: int) -> bool:
    """Take one call from the key's bucket; return whether there was one. 0 = no limit."""
    if not per_second:
        return True
    most, now = per_second * BURST_SECONDS, time.monotonic()
    with _lock:
        level, at = _levels.get(key, (float(most), now))
        level = min(most, level + (now - at) * per_second)
        _levels[key] = (level - 1 if level >= 1 else level, now)
    return level >= 1
