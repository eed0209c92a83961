"""The test types in the registry, with their templates, and samples of texts and rows to ask about."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from django.conf import settings as django_settings
from django.core.management import call_command
from django.test import override_settings

from annotation.task_types import TASK_TYPES
from corpus.models import Sample

KINDS = {"stars": "tests.annotation.kinds.stars:STARS", "spans": "tests.annotation.kinds.spans:SPANS"}
OF_ROWS = {"preference": "tests.annotation.kinds.preference:PREFERENCE"}
TEXTS = ("Ida Lind met Karl Moe in Arden.", "It  rained in Dun.", "Nothing happened to Nora Sand.")


ROWS: tuple[dict[str, object], ...] = (
    {"first": "Ida  came.", "second": "Nobody came.", "title": "Who came?", "words: all": 4, "year": 1999, "rated": 3},
    {"title": "When?", "first": "Today.", "second": "On Monday.", "words: all": 2.5, "year": 2001, "rated": "not yet"},
    {"title": "Where?", "first": "Here.", "second": "In Dun.", "a.b": True, "year": 10**17},
)
COLUMN_TYPES = {
    "title": "string", "first": "string", "second": "string",
    "words: all": "float64", "year": "int64", "rated": "string", "a.b": "bool",
}  # fmt: skip


@contextmanager
def registered() -> Iterator[None]:
    (engine,) = django_settings.TEMPLATES
    templates = [{**engine, "DIRS": [*engine["DIRS"], Path(__file__).parent / "templates"]}]
    with patch.dict(TASK_TYPES.paths, KINDS | OF_ROWS), override_settings(TEMPLATES=templates):
        yield


def make_sample_of_texts(folder: Path) -> Sample:
    """Return a sample that the product imported."""
    path = folder / "texts.jsonl"
    path.write_text("\n".join(json.dumps({"title": f"Text {n}", "text": text}) for n, text in enumerate(TEXTS)))
    call_command("import_instances", path, name="Texts", item_kind="text", stdout=io.StringIO())
    return Sample.objects.get(name="Texts")


def make_sample_of_rows(folder: Path) -> Sample:
    """Return a sample that the product imported: no row has the columns of another."""
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    call_command("import_instances", path, name="Rows", item_kind="rows", stdout=io.StringIO())
    return Sample.objects.get(name="Rows")
