"""Searchable log lines: one event a line, ids as key=value, with the id of the request; secrets are redacted."""

from __future__ import annotations

import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime

CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# Patterns of what precedes the secret in every URL that contains one. A test compares this list with the product's
# URLs, so that a new one cannot be forgotten.
SECRET_ROUTES = (
    r"task/panel/",
    r"task/join/",
    r"task/(?!panel/|join/|start/)",
    r"marketplace/enter/",
    r"marketplace/submit/",
    r"account/forgot/[\w-]+/",
    r"campaigns/coreference/",
    r"campaigns/links/",
)
SLASH = r"(?:/|%2[Ff])"  # a URL inside a query has its slashes escaped
BEFORE = "|".join(SLASH + route.replace("/", SLASH) for route in SECRET_ROUTES)
SECRET = re.compile(rf"""({BEFORE})((?:(?!%2[Ff])[^/\s"'?#&<>\\])+)""")
QUERY = re.compile(r"""(?<=/)\?[^\s"'<>\\]+""")
# PostgreSQL quotes the row it refused, which may contain secrets, ids and answers.
ROW = re.compile(r"""(Failing row contains \().*?(?=\n\n|\\n\\n|"[,}]| request=[\w.-]+|\Z)""", re.DOTALL)
VALUE = re.compile(
    r"(Key \([^)]*\)=\().*?(?=\) (?:already exists|is not present|is still referenced|conflicts))", re.DOTALL
)
KEPT = 4  # characters of a secret that are logged, to tell two people apart
request_id: ContextVar[str] = ContextVar("request_id", default="")


def redacted(text: str) -> str:
    """Remove the secrets and queries of URLs, and the rows and values that a database quotes.

    The first four characters of a long secret stay.
    """
    if "Failing row" in text or "Key (" in text:
        text = VALUE.sub(r"\1…", ROW.sub(r"\1…)", text))
    return QUERY.sub("?…", SECRET.sub(_shortened, text))


def _shortened(match: re.Match[str]) -> str:
    before, secret = match.groups()
    is_done = len(secret) <= KEPT + 1 and secret.endswith("…")
    return match[0] if is_done else f"{before}{secret[:KEPT] if len(secret) > 4 * KEPT else ''}…"


class NoProbes(logging.Filter):
    """Drops "Service Unavailable: /readyz": the probe's answer already says so."""

    def filter(self, record: logging.LogRecord) -> bool:
        return getattr(record, "status_code", 0) != 503


class TextFormatter(logging.Formatter):
    """For people: time, level, logger, message, request."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        # A message may contain what a stranger typed: it must not forge a log line.
        message = CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", record.getMessage())
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
