"""The comparisons of chains and of links that a person made within the last day."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

from django.conf import settings

from annotation.linking.evaluation import text_at
from annotation.task_types.base import JsonObject
from annotation.task_types.coreference.comparison import ChainComparison, comparison_from, document_in
from annotation.task_types.coreference.document import CorefDocument
from kernel.clock import now
from kernel.errors import NotFound
from kernel.models import User

SUMMARY = "comparison.json"
LINK_SUMMARY, LINK_LINES = "links.json", "texts.jsonl"
DAYS = 1
TOKEN = re.compile(r"[\w-]{22}", re.ASCII)
FILES = {"csv": ("scores.csv", "text/csv; charset=utf-8"), "tex": ("scores.tex", "application/x-tex; charset=utf-8")}


def folder() -> Path:
    return Path(settings.VAR) / "comparisons"


def folder_name(user: User, token: str) -> str:
    return f"{user.pk}-{token}"


def is_old(path: Path) -> bool:
    try:
        return path.stat().st_mtime < (now() - timedelta(days=DAYS)).timestamp()
    except OSError:  # somebody else has just deleted it
        return False


def comparison_of(user: User, token: str) -> ChainComparison:
    return comparison_from(json.loads(_read(user, token, SUMMARY)))


def file_of(user: User, token: str, format: str) -> tuple[str, str]:
    """Return a file's text and its content type."""
    name, content_type = FILES[format]
    return _read(user, token, name).decode(), content_type


def document_of(user: User, token: str, response: int, number: int) -> tuple[CorefDocument, CorefDocument]:
    """Return a document of the key and of a response, which is counted from 1."""
    path = _path(user, token)
    documents = []
    for side in ("key", f"response-{response}"):
        try:
            with (path / f"{side}.jsonl").open("rb") as lines:
                documents.append(document_in(lines, number))
        except FileNotFoundError:
            raise NotFound from None
    key, answered = documents
    if key is None or answered is None:
        raise NotFound
    return key, answered


def link_summary(user: User, token: str) -> JsonObject:
    """Return the summary of an evaluation of links."""
    value: JsonObject = json.loads(_read(user, token, LINK_SUMMARY))
    return value


def linked_text_of(user: User, token: str, number: int) -> JsonObject:
    """Return a text of an evaluation of links, with what each system predicts in it."""
    try:
        with (_path(user, token) / LINK_LINES).open("rb") as lines:
            text = text_at(lines, number)
    except FileNotFoundError:
        raise NotFound from None
    if text is None:
        raise NotFound
    return text


def _read(user: User, token: str, name: str) -> bytes:
    try:
        return (_path(user, token) / name).read_bytes()
    except FileNotFoundError:
        raise NotFound from None


def _path(user: User, token: str) -> Path:
    path = folder() / folder_name(user, token)
    if not TOKEN.fullmatch(token) or is_old(path):
        raise NotFound
    return path
