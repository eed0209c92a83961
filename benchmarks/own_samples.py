"""Own tasks to measure with: descriptions of the library, asked about their practice items repeated with numbers."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import yaml

from annotation.models import TaskDescription
from annotation.selectors.descriptions import chosen_task
from annotation.services.campaigns import CampaignPlan
from annotation.services.descriptions import keep_description
from annotation.simulation.invented_people import Habit, crowd
from annotation.task_types import type_of
from annotation.task_types.base import as_objections
from annotation.task_types.own import library
from corpus.models import Sample
from corpus.services import importing
from corpus.services.importing import ImportOrder

BASE = "pairwise_preference"  # what the long description begins as
MORE = ("likert_grid", "sentiment", "paraphrase_writing")  # whose parts it has as well


def make_plan(name: str, size: int) -> CampaignPlan:
    """Return a campaign that asks this description of the library about `size` items."""
    row = keep_description(library.text_of(name), by=None)
    task_type, settings = chosen_task(row.key)
    sample = _make_sample(f"{size} {name}", size, row)
    more: dict[str, Any] = {"task_type": task_type, "task_settings": settings, "contact": "team@tesa.invalid"}
    return CampaignPlan(name=f"{size} {name} tasks", sample=sample, **more)


def _make_sample(name: str, size: int, row: TaskDescription) -> Sample:
    item = dict(row.value["practice"][0]["item"])  # all begin alike, so that a form with marks fits each
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for number in range(size):
                numbered = {column: f"{own} ({number})" for column, own in item.items() if isinstance(own, str)}
                file.write(json.dumps({**item, **numbered}) + "\n")
        return importing.import_items(
            ImportOrder(path, name, row.value["items"]), by=None, report=lambda *_: None
        ).sample


def form_for(plan: CampaignPlan) -> str:
    """Return a form that every task of this campaign accepts, as a browser sends it."""
    type_ = type_of(plan)
    item = type_.practice[0].item
    somebody = replace(crowd(1, seed=1)[0], habit=Habit.CAREFUL, skill=1.0, misses=0.0, typo=0.0)
    form = type_.crowd.invent(type_.crowd.read_item(item), somebody, Random(1))
    sure = " ".join(as_objections(type_.checks(type_.question(item), form)))
    signals = '{"active_ms":9000,"keys":40,"pastes":0,"pasted":0,"blurs":1}'
    return urlencode({**form, "confirmed": sure, "signals": signals})


def long_description(lines: int) -> str:
    """Return a description with every kind of part and as many practice questions as make it this long."""
    task = yaml.safe_load(library.text_of(BASE))
    for name in MORE:
        for part in yaml.safe_load(library.text_of(name))["parts"]:
            task["parts"].append({**part, "optional": True})
    lessons: Sequence[Any] = task["practice"]
    while len((text := _written(task)).splitlines()) < lines:
        number = len(task["practice"])
        lesson = lessons[number % 3]
        item = {column: f"{own} ({number})" for column, own in lesson["item"].items()}
        task["practice"] = [*task["practice"], {**lesson, "item": item}]
    return text


def _written(task: Any) -> str:
    plain = json.loads(json.dumps(task))  # nothing in it twice, which YAML would write as an alias
    written: str = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=110)
    return written
