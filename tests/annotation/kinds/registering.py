"""The test types in the registry, with their templates, and a sample of texts to ask about."""

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
TEXTS = ("Ida Lind met Karl Moe in Arden.", "It  rained in Dun.", "Nothing happened to Nora Sand.")


@contextmanager
def registered() -> Iterator[None]:
    (engine,) = django_settings.TEMPLATES
    templates = [{**engine, "DIRS": [*engine["DIRS"], Path(__file__).parent / "templates"]}]
    with patch.dict(TASK_TYPES.paths, KINDS), override_settings(TEMPLATES=templates):
        yield


def make_sample_of_texts(folder: Path) -> Sample:
    """Return a sample that the product imported."""
    path = folder / "texts.jsonl"
    path.write_text("\n".join(json.dumps({"title": f"Text {n}", "text": text}) for n, text in enumerate(TEXTS)))
    call_command("import_instances", path, name="Texts", item_kind="text", stdout=io.StringIO())
    return Sample.objects.get(name="Texts")
