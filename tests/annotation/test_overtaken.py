"""A draft or a submit reads without a lock, then decides: what happens in between is let in exactly there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Assignment, Campaign, Participation, Task
from annotation.services import assigning, campaigns, excluding, leaving, submitting
from annotation.task_types.aggregation.answers import known_phrases
from kernel.clock import now
from kernel.errors import WrongState
from tests.annotation.test_assigning import ANSWER, taken
from tests.annotation.test_people_decisions import balanced
from tests.make import make_campaign, make_participation

pytestmark = pytest.mark.django_db(transaction=True)  # as in production: nothing is open between reading and turn
Overtake = Callable[[Callable[[], object]], None]


@pytest.fixture
def overtaken_by(monkeypatch: pytest.MonkeyPatch) -> Overtake:
    """Return a function that lets something happen once, after the next draft or submit has read its turn."""

    def overtake(deed: Callable[[], object]) -> None:
        store = submitting.stored_form

        def let_in(form: Mapping[str, str]) -> dict[str, str]:
            monkeypatch.setattr(submitting, "stored_form", store)
            deed()
            return store(form)

        monkeypatch.setattr(submitting, "stored_form", let_in)

    return overtake


def draft_page(person: Participation, turn: Assignment) -> dict[str, Any]:
    """Send a draft as the page does; return its answer with the status."""
    response = Client().post(reverse("work-draft", args=[person.secret, turn.pk]), {"phrase_1": "gardeners"})
    return response.json() | {"status": response.status_code}


def expire(turn: Assignment) -> None:
    """Let the time of this turn be over and its slot go back."""
    Assignment.objects.filter(pk=turn.pk).update(expires_at=now() - timedelta(seconds=1))
    assigning.expire_turns()


def test_a_draft_that_arrives_after_the_submit_is_not_kept_and_its_page_says_so(overtaken_by: Overtake):
    person = make_participation(make_campaign())
    turn = taken(person)
    overtaken_by(lambda: submitting.submit(person.secret, turn.pk, ANSWER))

    answer = draft_page(person, turn)

    assert (answer["status"], answer["saved"]) == (409, False)
    assert "your first answer stands" in answer["gone"]
    turn.refresh_from_db()
    assert (turn.draft, turn.status) == (None, "submitted")


def test_a_draft_of_a_task_that_somebody_else_has_by_now_is_kept_and_its_page_says_so(overtaken_by: Overtake):
    campaign = make_campaign(size=1, redundancy=1)
    ada, ben = make_participation(campaign, "ada"), make_participation(campaign, "ben")
    turn = taken(ada)

    def lose() -> None:
        expire(turn)
        taken(ben)

    overtaken_by(lose)

    answer = draft_page(ada, turn)

    assert (answer["status"], answer["saved"]) == (200, True)
    assert "somebody else has it now" in answer["gone"]
    turn.refresh_from_db()
    assert turn.draft == {"phrase_1": "gardeners"}


def test_of_the_drafts_of_two_tabs_the_last_one_stored_stays(overtaken_by: Overtake):
    person = make_participation(make_campaign())
    turn = taken(person)
    overtaken_by(lambda: submitting.save_draft(person.secret, turn.pk, {"phrase_1": "the other tab"}))

    assert draft_page(person, turn)["saved"]

    turn.refresh_from_db()
    assert turn.draft == {"phrase_1": "gardeners"}


def test_a_draft_of_an_excluded_person_is_kept_and_the_page_says_that_it_may_not_count(overtaken_by: Overtake):
    person = make_participation(make_campaign())
    turn = taken(person)
    excluding.exclude(person.pk, reason="a test", by=None)

    answer = draft_page(person, turn)

    assert "The team gives you no further tasks" in answer["gone"]


def test_an_answer_whose_campaign_is_closed_meanwhile_counts_while_its_author_holds_the_task(overtaken_by: Overtake):
    campaign = make_campaign(reward=Decimal("0.10"))
    person = make_participation(campaign)
    turn = taken(person)
    overtaken_by(lambda: campaigns.close(campaign.pk, by=None))

    done = submitting.submit(person.secret, turn.pk, ANSWER)

    assert (done.is_late, done.turn.assignment, done.turn.idle) == (False, None, "closed")
    person.refresh_from_db()
    assert (person.answered, person.earned) == (1, Decimal("0.10"))


def test_an_answer_to_a_task_given_back_is_late_if_the_campaign_is_closed_meanwhile(overtaken_by: Overtake):
    campaign = make_campaign(reward=Decimal("0.10"))
    person = make_participation(campaign)
    turn = taken(person)
    assigning.give_back(person.secret, turn.pk)
    overtaken_by(lambda: campaigns.close(campaign.pk, by=None))

    assert submitting.submit(person.secret, turn.pk, ANSWER).is_late

    person.refresh_from_db()
    assert person.earned == 0
    assert balanced()


def test_an_answer_whose_author_is_excluded_meanwhile_is_kept_but_late(overtaken_by: Overtake):
    person = make_participation(make_campaign(reward=Decimal("0.10")))
    turn = taken(person)
    overtaken_by(lambda: excluding.exclude(person.pk, reason="a test", by=None))

    done = submitting.submit(person.secret, turn.pk, ANSWER)

    assert (done.is_late, done.turn.idle) == (True, "excluded")
    assert Annotation.objects.get().answer["phrases"]
    assert balanced()


def test_an_answer_whose_slot_is_taken_meanwhile_is_kept_but_late(overtaken_by: Overtake):
    campaign = make_campaign(size=1, redundancy=1, reward=Decimal("0.10"))
    ada, ben = make_participation(campaign, "ada"), make_participation(campaign, "ben")
    turn = taken(ada)

    def lose() -> None:
        expire(turn)
        submitting.submit(ben.secret, taken(ben).pk, ANSWER)

    overtaken_by(lose)

    assert submitting.submit(ada.secret, turn.pk, ANSWER).is_late

    assert (Task.objects.get().answers, Task.objects.get().free) == (1, 0)
    ada.refresh_from_db()
    assert ada.earned == 0


def test_a_second_submit_of_the_same_page_meanwhile_leaves_one_answer(overtaken_by: Overtake):
    person = make_participation(make_campaign())
    turn = taken(person)
    overtaken_by(lambda: submitting.submit(person.secret, turn.pk, {"phrase_1": "gardeners"}))

    second = submitting.submit(person.secret, turn.pk, {"phrase_1": "botanists"})

    assert second.is_repeat
    assert Annotation.objects.get().answer["phrases"] == ["gardeners"]
    person.refresh_from_db()
    assert person.answered == 1


def test_nothing_is_stored_for_somebody_who_withdraws_meanwhile(overtaken_by: Overtake):
    person = make_participation(make_campaign())
    turn = taken(person)
    overtaken_by(lambda: leaving.withdraw(person.secret))

    with pytest.raises(WrongState, match="withdrawn"):
        submitting.submit(person.secret, turn.pk, ANSWER)

    assert not Annotation.objects.exists()
    turn_again = Assignment.objects.filter(pk=turn.pk).first()
    assert turn_again is None or turn_again.draft is None


def test_a_task_that_becomes_a_check_task_meanwhile_judges_the_answer(overtaken_by: Overtake):
    person = make_participation(make_campaign())
    turn = taken(person)
    gold = known_phrases(["botanists"]).to_json()
    overtaken_by(lambda: Task.objects.filter(pk=turn.task_id).update(is_gold=True, gold=gold, free=0))

    assert submitting.submit(person.secret, turn.pk, {"phrase_1": "botanists"}).annotation.is_gold_hit

    person.refresh_from_db()
    assert (person.gold_seen, person.gold_right) == (1, 1)


def test_a_campaign_paused_meanwhile_gives_out_nothing_more(overtaken_by: Overtake):
    campaign = make_campaign()
    person = make_participation(campaign)
    turn = taken(person)
    overtaken_by(lambda: Campaign.objects.filter(pk=campaign.pk).update(status="paused"))

    done = submitting.submit(person.secret, turn.pk, ANSWER)

    assert (done.is_late, done.turn.assignment, done.turn.idle) == (False, None, "paused")
