"""A campaign whose participants link marks to pages, for tests of look-ups."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from annotation.models import Campaign
from annotation.selectors.descriptions import chosen_task
from corpus.services import titles
from kernel.progress import Silent
from tests.annotation.describing import make_description
from tests.make import make_campaign, make_texts

TEXT = "Mira Holt left Arden. Arden is small, and Mira Holt knew Dun."
LINKING = """\
name: Linking
items: text
parts:
  - name: names
    kind: spans
    ask: Mark the names and link them.
    text: text
    labels: [{id: name, label: Name}, {id: other, label: Other}]
    none: The text has none
    attributes:
      - {name: page, kind: page, ask: Which page?, most: 2, labels: [name]}
instructions: {summary: Mark., details: Link., examples: + Linked.}
"""
PAGES: list[dict[str, Any]] = [
    {"title": "Arden (town)", "text": "Arden is a town on a river. It is old.", "redirects": ["Old Arden"]},
    {"title": "Arden", "text": "Arden may refer to:", "disambiguation": True},
    {"title": "Arden Hill", "text": "Arden Hill is a hill."},
    {"title": "Mira Holt", "text": "Mira Holt (born 1950) is a pilot."},
    {"title": "Is <b>Dun</b>", "text": "A <script>alert(1)</script> page."},
    {"title": "أردن", "text": "أردن مدينة."},
]


def load_pages(folder: Path, rows: list[dict[str, Any]] = PAGES) -> None:
    path = folder / "pages.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    titles.load_dump(path, Silent())


def make_linking_campaign(folder: Path, **fields: Any) -> Campaign:
    load_pages(folder)
    row = make_description(LINKING)
    task_type, settings = chosen_task(row.key)
    sample = make_texts(row.key, size=1, text=TEXT)
    return make_campaign(row.key, sample=sample, task_type=task_type, task_settings=settings, **fields)
