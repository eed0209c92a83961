"""A campaign's figures are right, and cost the same whatever its size."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Assignment, LateChoice, Participation, ProblemReport, Task
from annotation.selectors import progress as selectors
from annotation.selectors import release_answers
from annotation.selectors.campaigns import next_step
from annotation.services import assigning, campaigns, gold, payments
from annotation.task_types.aggregation.answers import known_phrases
from kernel.clock import now
from tests.make import make_answer, make_campaign, make_participation

pytestmark = pytest.mark.django_db


def test_progress_counts_tasks_people_time_and_money():
    campaign = make_campaign(size=4, redundancy=2, reward=Decimal("0.10"), estimated_s=36)
    ann, bob = (make_participation(campaign, name) for name in ("ann", "bob"))
    for person in (ann, ann, bob):
        make_answer(person)
    assigning.take_turn(bob.secret)
    Annotation.objects.update(active_ms=18_000)
    Participation.objects.filter(pk=ann.pk).update(active_ms=90_000)
    Participation.objects.filter(pk=bob.pk).update(active_ms=18_000)
    campaign.started_at = now() - timedelta(minutes=30)

    progress = selectors.count_progress(campaign)

    assert (progress.tasks, progress.answers, progress.in_hand, progress.free, progress.wanted) == (4, 3, 2, 3, 8)
    assert dict(progress.by_answers) == {"0": 2, "1": 1, "2": 1, "3 or more": 0}
    assert (progress.people, progress.active, selectors.answers_in_last_hour(campaign)) == (2, 2, 3)
    assert (progress.median_s, progress.wage, progress.estimated_wage) == (18, Decimal("10.00"), Decimal("10.00"))
    assert release_answers.campaign_facts(campaign)["hourly_wage"] == "10.00"
    assert progress.earned == Decimal("0.30")
    assert progress.ends_at is not None
    assert progress.ends_at > now()


def test_people_not_seen_lately_hold_a_task_but_are_not_at_work():
    campaign = make_campaign(size=2, redundancy=1)
    for name, minutes in (("ann", 1), ("bob", 20)):
        person = make_participation(campaign, name)
        assigning.take_turn(person.secret)
        Participation.objects.filter(pk=person.pk).update(last_seen_at=now() - timedelta(minutes=minutes))

    progress = selectors.count_progress(campaign)

    assert (progress.active, progress.in_hand) == (1, 2)


def test_late_answers_and_reports_count_until_somebody_has_decided_and_only_in_their_campaign():
    campaign, other = make_campaign(size=3, redundancy=1), make_campaign("Other", size=1, redundancy=1)
    person = make_participation(campaign)
    turns = [make_answer(person).assignment for _ in range(2)]
    assigning.take_turn(person.secret)
    Assignment.objects.filter(pk__in=[turn.pk for turn in turns]).update(status="late")
    for turn in turns:
        ProblemReport.objects.create(assignment=turn, text="The last line is missing.")

    def counted() -> tuple[int, int]:
        progress = selectors.count_progress(campaign)
        return progress.late, progress.reports

    assert counted() == (2, 2)
    payments.decide_late(turns[0].pk, LateChoice.DECLINE, reason="copied", by=None)
    ProblemReport.objects.filter(assignment=turns[0]).update(settled_at=now())
    assert counted() == (1, 1)
    of_other = selectors.count_progress(other)
    assert (of_other.late, of_other.reports, of_other.in_hand) == (0, 0, 0)


def test_gold_is_counted_apart():
    campaign = make_campaign(size=3, redundancy=1, gold_every=2)
    Task.objects.filter(position=0).update(is_gold=True, free=0, answers=4, gold=known_phrases(["x"]).to_json())

    progress = selectors.count_progress(campaign)

    assert (progress.tasks, progress.gold, progress.answers, progress.wanted) == (2, 1, 0, 2)


def test_the_number_of_queries_does_not_grow_with_the_campaign():
    from django.db import connection

    numbers = []
    for size in (2, 30):
        campaign = make_campaign(f"of {size}", size=size, redundancy=1)
        person = make_participation(campaign, f"person {size}")
        for _ in range(size):
            make_answer(person)
        with CaptureQueriesContext(connection) as queries:
            selectors.count_progress(campaign)
        numbers.append(len(queries))

    assert numbers[0] == numbers[1] <= 6


def test_answers_over_time_add_up_whatever_the_span():
    campaign = make_campaign(size=6, redundancy=1)
    person = make_participation(campaign)
    for hours in (0, 1, 30, 31, 700, 9000):
        annotation = make_answer(person)
        Assignment.objects.filter(pk=annotation.assignment_id).update(ended_at=now() - timedelta(hours=hours))

    rows = selectors.answers_over_time(campaign)

    assert sum(number for _, number in rows) == 6
    assert len(rows) <= selectors.MOST_STEPS


def test_the_next_step_follows_the_campaign_s_life():
    campaign = make_campaign(size=1, redundancy=1, is_running=False)

    def action() -> str:
        campaign.refresh_from_db()
        return next_step(campaign, selectors.count_progress(campaign), is_making=False).action

    assert action() == "start"
    campaigns.start(campaign.pk, by=None)
    assert action() == "invites"
    person = make_participation(campaign)
    assert action() == "invites"  # has come, and has no task yet
    assigning.take_turn(person.secret)
    assert action() == ""
    make_answer(person)
    assert action() == "close"
    campaigns.close(campaign.pk, by=None)
    assert action() == "people"


def test_a_late_answer_that_nobody_accepts_does_not_stand_in_the_way_of_the_next_step():
    campaign = make_campaign(size=1, redundancy=1)
    make_answer(make_participation(campaign))
    assigning.take_turn(make_participation(make_campaign("Other"), "dan").secret)
    Assignment.objects.filter(status="taken").update(campaign=campaign, status="late")

    step = next_step(campaign, selectors.count_progress(campaign), is_making=False)

    assert step.action == "close"
    assert "1 late answer is still to be decided (Payments)." in step.why


def test_a_draft_that_hides_gold_asks_for_it_first():
    campaign = make_campaign(gold_every=5, is_running=False)
    campaign.refresh_from_db()

    assert next_step(campaign, selectors.count_progress(campaign), is_making=False).action == "gold"


def test_gold_in_hand_is_no_answer_to_wait_for_and_who_holds_it_is_at_work():
    campaign = make_campaign(size=3, redundancy=2, gold_every=2, is_running=False)
    gold.set_gold(campaign.tasks.get(position=0).pk, {"phrases": "botanists"}, by=None)
    campaigns.start(campaign.pk, by=None)
    campaign.refresh_from_db()
    people = [make_participation(campaign, name) for name in ("cleo", "dan", "eve")]
    turns = [assigning.take_turn(person.secret).assignment for person in people]
    assert any(turn and turn.task.is_gold for turn in turns)

    progress = selectors.count_progress(campaign)

    assert (progress.wanted, progress.active) == (4, 3)


def test_doubtful_tasks_may_be_for_more_people_than_the_others():
    campaign = make_campaign(size=2, redundancy=2)
    Task.objects.filter(campaign=campaign, position=0).update(slots=3)

    assert selectors.people_asked(campaign) == (2, 3)


def test_extending_twice_from_one_page_adds_people_once():
    campaign = make_campaign(size=2, redundancy=3)

    for _ in range(2):
        campaigns.extend(campaign.pk, people=1, by=None, now_asked=3)

    assert set(Task.objects.values_list("slots", "free")) == {(4, 4)}
