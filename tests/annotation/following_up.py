"""Follow-ups in tests: campaigns in which people wrote or marked, and what is asked about their answers."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.management import call_command

from annotation.models import Annotation, Assignment, AssignmentStatus, Campaign, FollowUp, Participation, Task
from annotation.selectors.descriptions import chosen_task
from annotation.services import campaigns, follow_ups
from annotation.services.follow_ups import FollowUpOrder
from corpus.models import Sample
from kernel.clock import now
from tests.annotation.answered import join
from tests.annotation.describing import make_description
from tests.make import make_campaign, make_texts

WRITING = """\
name: In other words
show: [text]
parts:
  - {name: text, kind: text, ask: Write it in other words.}
instructions: {summary: Read., details: Write., examples: + so}
"""
IMPROVING = """\
name: Improve
items: rows
show: [answer]
parts:
  - {name: better, kind: text, ask: Improve it.}
instructions: {summary: Read., details: Write., examples: + so}
"""
MARKING = """\
name: Names
parts:
  - {name: names, kind: spans, ask: Who is named?, text: text, labels: [person, place]}
instructions: {summary: Read., details: Mark., examples: + so}
"""


def written_campaign(*answers_by_task: Mapping[str, Any], name: str = "Written", text: str = WRITING) -> Campaign:
    """Return a campaign about texts whose n-th task got these values of its first part, by person."""
    task_type, settings = chosen_task(make_description(text).key)
    sample = make_texts(f"Texts of {name}", len(answers_by_task))
    campaign = make_campaign(name, sample=sample, task_type=task_type, task_settings=settings)
    part = settings["description"]["parts"][0]["name"]
    for task, answers in zip(campaign.tasks.order_by("member__position"), answers_by_task, strict=True):
        for person, value in answers.items():
            say(task, person, {part: value})
    return campaign


def say(task: Task, person: str, answer: Mapping[str, Any]) -> Annotation:
    """Store an answer as a submitted one, without going through the pages."""
    entry = join(task.campaign, person)
    turn = Assignment.objects.create(
        campaign=task.campaign, task=task, participation=entry, group=task.group,
        status=AssignmentStatus.SUBMITTED, expires_at=now() + timedelta(hours=1), ended_at=now(),
    )  # fmt: skip
    Task.objects.filter(pk=task.pk).update(answers=task.assignments.count())
    return Annotation.objects.create(assignment=turn, answer=dict(answer), seconds=9)


def person_in(campaign: Campaign, name: str) -> Participation:
    return Participation.objects.get(campaign=campaign, worker__external_id=name)


def follow_up(campaign: Campaign, kind: str, name: str = "Judged", **fields: Any) -> FollowUp:
    """Make a follow-up, as its job does."""
    row = follow_ups.open_follow_up(campaign, FollowUpOrder(name, kind, **fields), by=None)
    follow_ups.make_follow_up(row, by=None, report=lambda *_: None)
    row.refresh_from_db()
    return row


def rows_of(sample: Sample) -> list[dict[str, Any]]:
    return [value["columns"] for value in sample.members.order_by("position").values_list("value", flat=True)]


def import_rows(folder: Path, name: str, *rows: Mapping[str, Any]) -> Sample:
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    call_command("import_instances", path, name=name, item_kind="rows", stdout=io.StringIO())
    return Sample.objects.get(name=name)


def three_stages() -> tuple[Campaign, Campaign, FollowUp]:
    """Return campaigns in which people wrote, improved what others wrote, and rate that."""
    first = written_campaign({"ann": "It rained.", "bob": "Rain."})
    row = follow_up(first, "rate-text", "Improved sample")
    assert row.campaign is not None
    campaigns.delete_campaign(row.campaign.pk, by=None)
    task_type, settings = chosen_task(make_description(IMPROVING).key)
    second = make_campaign("Improved", sample=row.sample, task_type=task_type, task_settings=settings)
    for task in second.tasks.all():
        say(task, "cleo", {"better": f"Better: {task.member.value['columns']['answer']}"})
    return first, second, follow_up(second, "rate-better", "Rated")
