"""Two people at the last tasks at the same moment. PostgreSQL only: SQLite lets one write after the other."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from annotation.models import Assignment, Task
from annotation.services import assigning, submitting
from tests.annotation.test_assigning import taken
from tests.make import make_campaign, make_participation
from tests.product import PATIENCE_S

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


def test_two_who_want_the_task_that_the_other_has_just_answered_both_get_it(monkeypatch: pytest.MonkeyPatch):
    campaign = make_campaign(size=2, redundancy=2)
    people = [make_participation(campaign, name) for name in ("cleo", "dan")]
    turns = [taken(person) for person in people]
    other = Task.objects.exclude(pk=turns[0].task_id).get()  # both began the first task: let dan have this one
    Task.objects.update(free=1)
    Assignment.objects.filter(pk=turns[1].pk).update(task=other, group=other.group)
    both, claim, begun = threading.Barrier(2, timeout=PATIENCE_S), assigning._claim, threading.local()

    def claim_together(*args: Any, **kwargs: Any) -> Task | None:
        """Wait until both have stored their answer, each in a transaction that holds its task."""
        if not getattr(begun, "yes", False):
            begun.yes = True
            both.wait()
        return claim(*args, **kwargs)

    monkeypatch.setattr(assigning, "_claim", claim_together)

    def answer(number: int) -> int:
        try:
            done = submitting.submit(people[number].secret, turns[number].pk, {"phrase_1": "botanists"})
            return done.turn.assignment.task_id if done.turn.assignment else 0
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        got = list(pool.map(answer, range(2)))

    assert got == [other.pk, turns[0].task_id]
