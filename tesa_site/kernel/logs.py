"""Log lines that can be searched: one event a line, ids as key=value, the request they belong to."""

from __future__ import annotations

import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime

CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
SECRET = re.compile(r"(?<=/task/)([\w-]{4})[\w-]{12,}")  # an annotator's key, below whatever path we are
request_id: ContextVar[str] = ContextVar("request_id", default="")


def redacted(text: str) -> str:
    """Return a text without annotators' keys: four letters of one tell enough."""
    return SECRET.sub(r"\1…", text)


class NoProbes(logging.Filter):
    """Drops "Service Unavailable: /readyz": the probe's answer has told it already."""

    def filter(self, record: logging.LogRecord) -> bool:
        return getattr(record, "status_code", 0) != 503


class TextFormatter(logging.Formatter):
    """For people: time, level, logger, message, request."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        # A message may hold what a stranger typed: it must not start a line of its own.
        message = CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", record.getMessage())
        line = f"{time} {record.levelname.lower():<7} {record.name}: {message}"
        if current := request_id.get():
            line += f" request={current}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return redacted(line)


class JsonFormatter(logging.Formatter):
    """For machines: one JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if current := request_id.get():
            entry["request"] = current
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return redacted(json.dumps(entry, ensure_ascii=False))
