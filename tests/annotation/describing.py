"""Own tasks in tests: a kept description, a sample of its practice items, a campaign that invented people answer."""

from __future__ import annotations

import io
import json
from pathlib import Path
from random import Random
from typing import Any

from django.core.management import call_command
from django.test import Client

from annotation.models import Assignment, Campaign, TaskDescription
from annotation.selectors.descriptions import chosen_task
from annotation.services import submitting
from annotation.services.descriptions import keep_description
from annotation.simulation.invented_people import crowd
from annotation.task_types import type_of
from annotation.task_types.base import InvalidAnswer, as_objections
from annotation.task_types.own import library
from corpus.models import Sample
from tests.make import make_campaign, make_participation

SMALLEST = """\
name: Rain
parts:
  - {name: rain, kind: choice, ask: Does it rain?, options: [yes, no]}
instructions: {summary: Read., details: Choose., examples: + yes}
"""


def make_description(text: str = SMALLEST, number: int | None = None) -> TaskDescription:
    return keep_description(text, by=None, number=number)


def make_sample_for(row: TaskDescription, folder: Path, copies: int = 2) -> Sample:
    """Return a sample of the items that a description practises with, each in several versions."""
    items = [dict(lesson["item"]) for lesson in row.value["practice"]] or [{"title": "Dun", "text": "It rained."}]
    rows = [{**item, **_varied(item, copy)} for copy in range(copies) for item in items]
    path = folder / f"{row.key}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    call_command("import_instances", path, name=row.key, item_kind=row.value["items"], stdout=io.StringIO())
    return Sample.objects.get(name=row.key)


def _varied(item: dict[str, Any], copy: int) -> dict[str, str]:
    return {name: f"{own} ({copy + 1})" for name, own in item.items() if isinstance(own, str)} if copy else {}


def make_own_campaign(row: TaskDescription, folder: Path, **fields: Any) -> Campaign:
    task_type, settings = chosen_task(row.key)
    sample = make_sample_for(row, folder)
    return make_campaign(row.key, sample=sample, task_type=task_type, task_settings=settings, **fields)


def let_people_answer(campaign: Campaign, people: int) -> None:
    """Let invented people answer every task through its page."""
    type_ = type_of(campaign)
    for person in crowd(people, seed=4):
        entry = make_participation(campaign, f"person {person.number}")
        for number in range(campaign.tasks_made):
            page = Client().get(f"/task/{entry.secret}/").content.decode()
            turn = Assignment.objects.get(participation=entry, status="taken")
            reading = type_.crowd.read_page(page)
            form = type_.crowd.invent(reading, person.steady(), Random(10 * person.number + number))
            try:
                submitting.submit(entry.secret, turn.pk, form)
            except InvalidAnswer as refused:
                sure = " ".join(as_objections(refused.remarks))
                submitting.submit(entry.secret, turn.pk, {**form, "confirmed": sure})


def in_library(name: str) -> str:
    return library.text_of(name)
