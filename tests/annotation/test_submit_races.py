"""An answer that arrives while its turn is ended by somebody else. PostgreSQL only: SQLite has one writer."""

from __future__ import annotations

import pytest

from annotation.models import Assignment, Task
from annotation.services import assigning, campaigns, submitting
from kernel.clock import now
from tests.annotation.test_assigning import ANSWER, taken
from tests.annotation.test_people_decisions import balanced, counters
from tests.annotation.test_review_races import together
from tests.make import make_campaign, make_participation

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


def test_a_turn_that_expires_while_it_is_submitted_returns_no_slot(monkeypatch: pytest.MonkeyPatch):
    campaign = make_campaign(size=1, redundancy=1)
    person = make_participation(campaign)
    turn = taken(person)
    Assignment.objects.update(expires_at=now())

    done, _ = together(
        monkeypatch,
        (submitting, "_store"),
        lambda: submitting.submit(person.secret, turn.pk, ANSWER),
        assigning.expire_turns,
    )

    assert isinstance(done, submitting.Submitted)
    assert (done.is_late, counters()) == (False, [(1, 0, 1)])
    assert balanced()


def test_a_turn_that_is_taken_back_while_it_is_submitted_returns_no_slot(monkeypatch: pytest.MonkeyPatch):
    campaign = make_campaign(size=1, redundancy=1)
    person = make_participation(campaign)
    turn = taken(person)

    together(
        monkeypatch,
        (submitting, "_store"),
        lambda: submitting.submit(person.secret, turn.pk, ANSWER),
        lambda: campaigns.release_turns(campaign, by=None),
    )

    assert counters() == [(1, 0, 1)]
    assert Assignment.objects.get().status == "submitted"


def test_an_answer_that_waits_for_the_end_of_its_turn_takes_the_slot_again(monkeypatch: pytest.MonkeyPatch):
    campaign = make_campaign(size=1, redundancy=1)
    person = make_participation(campaign)
    turn = taken(person)

    _, done = together(
        monkeypatch,
        (assigning, "return_slot"),
        lambda: campaigns.release_turns(campaign, by=None),
        lambda: submitting.submit(person.secret, turn.pk, ANSWER),
    )

    assert isinstance(done, submitting.Submitted)
    assert not done.is_late
    assert Task.objects.get().free == 0
    assert balanced()
