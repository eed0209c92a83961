"""Campaigns that people have answered, in a few lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from annotation.models import Annotation, Assignment, AssignmentStatus, Campaign, Participation, Task, Worker
from annotation.services import joining
from kernel.clock import now
from tests.make import make_answer, make_campaign, make_participation

PhrasesByPerson = Mapping[str, Sequence[str] | None]  # person → phrases; None: not aggregatable


def join(campaign: Campaign, name: str) -> Participation:
    worker, _ = Worker.objects.get_or_create(provider="local", external_id=name)
    return joining.place_of(campaign, worker)


def answer(task: Task, name: str, phrases: Sequence[str] | None, **fields: Any) -> Annotation:
    """Store what a person said, without going through the pages."""
    person = join(task.campaign, name)
    assignment = Assignment.objects.create(
        campaign=task.campaign,
        task=task,
        participation=person,
        group=task.group,
        status=fields.pop("status", AssignmentStatus.SUBMITTED),
        expires_at=now() + timedelta(hours=1),
        ended_at=now(),
    )
    content = {"phrases": list(phrases or []), "impossible": phrases is None, "reason": ""}
    return Annotation.objects.create(assignment=assignment, answer=content, seconds=37, **fields)


def answered_campaign(*answers_by_task: PhrasesByPerson, name: str = "Phrases", **fields: Any) -> Campaign:
    """Return a campaign whose n-th task got the n-th answers."""
    campaign = make_campaign(name, size=len(answers_by_task), **fields)
    for task, answers in zip(campaign.tasks.order_by("member__position"), answers_by_task, strict=True):
        for person, phrases in answers.items():
            answer(task, person, phrases)
    return campaign


def in_turn(
    name: str = "Phrases", phrases: tuple[str, ...] = ("The botanists.", "opera singers"), size: int = 1
) -> Campaign:
    """Make a campaign in which each phrase comes from a person of its own, through the services."""
    campaign = make_campaign(name, size=size, redundancy=len(phrases))
    for number, phrase in enumerate(phrases):
        person = make_participation(campaign, f"worker {number}")
        for _ in range(size):
            make_answer(person, phrase)
    return campaign
