"""People whose trust is below a limit get no more tasks; all they did counts and is paid; it can be undone."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import Assignment, Participation, TrustStop
from annotation.quality.trust import MILLION, Trust, TrustLimit
from annotation.services import assigning, campaigns, editing, gold, leaving, stopping, submitting
from annotation.services.assigning import Idle
from annotation.services.late_answers import Gone, why_gone
from kernel.errors import InvalidInput
from kernel.models import AuditEntry
from tests.annotation.check_tasks import RIGHT, WRONG, answer_checks, give, make_checked
from tests.make import make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
LIMIT = {"trust_stop": 60, "trust_tests": 3}


def fresh(person: Participation) -> Participation:
    return Participation.objects.select_related("campaign").get(pk=person.pk)


def why_idle(person: Participation) -> Idle | None:
    return assigning.take_turn(person.secret).idle


@pytest.mark.parametrize(
    ("phrases", "is_stopped"),
    [
        ((WRONG, WRONG), False),  # too few check tasks
        ((RIGHT, RIGHT, WRONG, RIGHT, WRONG), False),  # 3 of 5: exactly at the limit
        ((RIGHT, WRONG, RIGHT, WRONG), True),  # 2 of 4
        ((RIGHT, RIGHT, RIGHT, WRONG, WRONG, WRONG), True),
    ],
)
def test_somebody_is_stopped_below_the_limit_with_enough_check_tasks_and_never_at_it(phrases, is_stopped):
    person = make_participation(make_checked(**LIMIT, reward=Decimal("0.10")))

    answers = answer_checks(person, *phrases)

    person = fresh(person)
    assert bool(person.stopped_at) is is_stopped
    assert (why_idle(person) == Idle.STOPPED) is is_stopped
    assert not person.excluded_at
    assert person.earned == Decimal("0.10") * person.answered
    assert {answer.assignment.status for answer in answers} == {"submitted"}


@given(st.integers(0, 20), st.integers(1, 20), st.integers(0, 100), st.integers(1, 20), st.integers(0, 20))
def test_the_limit_acts_on_enough_check_tasks_below_it_alone(right, tests, percent, least, again_from):
    right = min(right, tests)

    missed = TrustLimit(percent, least).is_missed(Trust(right * MILLION, tests), least=again_from)

    assert missed is (tests >= least and tests >= again_from and 100 * right < percent * tests)


def test_the_stop_keeps_its_evidence_and_the_audit_trail_names_it():
    person = make_participation(make_checked(**LIMIT))

    answer_checks(person, RIGHT, WRONG, WRONG)

    stop = TrustStop.objects.get(participation=person)
    assert stop.evidence == "1 of 3 check tasks right (33%), below the limit of 60%."
    entry = AuditEntry.objects.get(action="stop person")
    assert (entry.after["limit"], entry.actor) == ("60% from 3 check tasks on", None)


def test_without_a_limit_nobody_is_stopped():
    person = make_participation(make_checked())
    answer_checks(person, *[WRONG] * 6)
    assert not fresh(person).stopped_at


def test_a_task_in_hand_can_be_finished_and_one_given_back_is_gone():
    campaign = make_checked(**LIMIT)
    person = make_participation(campaign)
    first, second, _ = answer_checks(person, RIGHT, RIGHT, WRONG)
    held, old = give(person), Assignment.objects.filter(participation=person, task__is_gold=False).first()
    assert held is not None
    assert old is not None

    submitting.correct(person.secret, first.assignment_id, {"phrase_1": WRONG})

    assert fresh(person).stopped_at
    assert assigning.take_turn(person.secret).assignment == held, "the task stays in hand"
    assert why_gone(fresh(person), held) is None
    done = submitting.submit(person.secret, held.pk, {"phrase_1": "astronomers"})
    assert (done.is_late, done.turn.idle) == (False, Idle.STOPPED)
    held.status = "returned"
    assert why_gone(fresh(person), held) == Gone.STOPPED
    assert second.is_gold_hit


def test_the_page_tells_people_kindly_and_what_they_are_paid(client):
    person = make_participation(make_checked(**LIMIT, reward=Decimal("0.10")))
    answer_checks(person, WRONG, WRONG, WRONG)
    person = fresh(person)

    page = shown(client.get(f"/task/{person.secret}/"))

    assert "There are no further tasks for you" in page
    assert f"paid: ${person.earned} for {person.answered} answers" in page
    assert "60%" not in page, "the limit is not told"


def test_a_stop_is_undone_with_a_reason_and_acts_again_only_after_further_check_tasks():
    person = make_participation(make_checked(**LIMIT))
    answer_checks(person, WRONG, WRONG, WRONG)

    with pytest.raises(InvalidInput, match="reason"):
        stopping.undo_stop(person.pk, reason=" ", by=None)
    stopping.undo_stop(person.pk, reason="unclear texts", by=None)

    answer_checks(person, WRONG, WRONG)
    assert not fresh(person).stopped_at
    answer_checks(person, WRONG)
    assert fresh(person).stopped_at
    first, second = TrustStop.objects.filter(participation=person)
    assert (first.undone_why, second.undone_at, second.tests) == ("unclear texts", None, 6)
    assert AuditEntry.objects.filter(action="undo stop of person", reason="unclear texts").exists()


def test_better_gold_lifts_the_stop_that_it_does_not_support_and_makes_those_that_it_does():
    campaign = make_checked(**LIMIT)
    ann, bob = (make_participation(campaign, name) for name in ("ann", "bob"))
    answers = answer_checks(ann, WRONG, WRONG, RIGHT)
    answer_checks(bob, RIGHT, RIGHT, WRONG)
    assert [bool(fresh(person).stopped_at) for person in (ann, bob)] == [True, False]

    gold.correct_gold(answers[0].assignment.task_id, {"phrases": WRONG}, by=None)

    assert [bool(fresh(person).stopped_at) for person in (ann, bob)] == [False, True]
    assert TrustStop.objects.get(participation=ann).undone_why == stopping.GOLD_CHANGED
    gold.withdraw_gold(answers[1].assignment.task_id, by=None)
    assert not fresh(bob).stopped_at, "two check tasks are too few"


def test_withdrawal_erases_the_evidence():
    person = make_participation(make_checked(**LIMIT))
    answer_checks(person, WRONG, WRONG, WRONG)
    leaving.withdraw(person.secret)
    assert not TrustStop.objects.exists()


def test_researchers_see_stops_and_undo_them(client):
    campaign = make_checked(**LIMIT)
    ann, _ = make_participation(campaign, "ann"), make_participation(campaign, "bob")
    answer_checks(ann, WRONG, WRONG, WRONG)
    client.force_login(make_user("ben"))
    people, decide = f"/campaigns/{campaign.pk}/people/", reverse("people-decide", args=[campaign.pk])

    page = shown(client.get(f"{people}?show=stopped"))
    file = b"".join(client.get(f"{people}participants.csv?show=stopped&bom=no")).decode()
    own = shown(client.get(f"/campaigns/people/{ann.pk}/"))
    asked = shown(client.get(decide, {"action": "go-on", "person": ann.pk}))
    client.post(decide, {"action": "go-on", "person": ann.pk, "reason": "unclear"})
    after = shown(client.get(f"/campaigns/people/{ann.pk}/"))

    for text in (page, file, own):
        assert "0 of 3 check tasks right (0%), below the limit of 60%." in text
    assert "Participant 2" not in page
    assert "Undo the stop of 1 participant?" in asked
    assert "after 3 further check tasks" in asked
    assert not fresh(ann).stopped_at
    assert "by ben: unclear" in after
    assert "acts again from 6 check tasks on" in after


def test_duplicates_and_rehearsals_have_the_same_limit():
    campaign = make_campaign(**LIMIT, is_running=False)
    plan = editing.plan_of(campaign)
    assert (plan.trust_stop, plan.trust_tests) == (60, 3)
    campaigns.checked_plan(plan)


@pytest.mark.parametrize(("name", "value"), [("trust_stop", 101), ("trust_stop", -1), ("trust_tests", 0)])
def test_limits_that_cannot_be_are_refused(name, value):
    with pytest.raises(InvalidInput, match="must be between") as refused:
        make_campaign(**{name: value})
    assert refused.value.field == name
