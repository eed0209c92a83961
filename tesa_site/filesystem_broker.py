"""Celery's file-system broker, which skips a message that is still being written instead of failing."""

from __future__ import annotations

from queue import Empty
from typing import Any

from kombu.transport import filesystem


class Channel(filesystem.Channel):
    def _get(self, queue: str, timeout: Any = None) -> Any:
        try:
            return super()._get(queue)
        except ValueError as error:  # half a message; it was only a nudge, and the sweep sends it again
            raise Empty from error


class Transport(filesystem.Transport):
    Channel = Channel
