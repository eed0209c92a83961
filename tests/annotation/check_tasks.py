"""A campaign whose tasks are check tasks, for tests of trust."""

from __future__ import annotations

from typing import Any

from annotation.models import Annotation, Assignment, Campaign, Participation, Task
from annotation.services import assigning, submitting
from annotation.task_types.aggregation.answers import known_phrases
from tests.make import make_campaign

RIGHT, WRONG = "botanists", "gardeners"


def make_checked(tests: int = 8, tasks: int = 16, **fields: Any) -> Campaign:
    """Return an open campaign in which every second task is a check task that wants `RIGHT`."""
    campaign = make_campaign(size=tests + tasks, **{"gold_every": 2, "redundancy": 9} | fields)
    gold = known_phrases([RIGHT]).to_json()
    Task.objects.filter(campaign=campaign, position__lt=tests).update(is_gold=True, gold=gold, free=0)
    campaign.refresh_from_db()
    return campaign


def give(person: Participation) -> Assignment | None:
    return assigning.take_turn(person.secret).assignment


def answer_checks(person: Participation, *phrases: str) -> list[Annotation]:
    """Let somebody answer check tasks with these phrases, and whatever comes between them."""
    left, answers = list(phrases), []
    while left:
        turn = give(person)
        assert turn is not None, "no task is left"
        phrase = left.pop(0) if turn.task.is_gold else "astronomers"
        annotation = submitting.submit(person.secret, turn.pk, {"phrase_1": phrase}).annotation
        answers += [annotation] * turn.task.is_gold
    return answers
