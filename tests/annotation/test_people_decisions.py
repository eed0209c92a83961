"""A filter proposes, a person decides: exclusion is not rejection, and every decision is kept."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from annotation.models import Annotation, Assignment, Participation, ProblemReport, Task, WorkerVerdict
from annotation.selectors import participants as selectors
from annotation.services import assigning, excluding, people_checks, problem_reports, submitting
from annotation.services.assigning import Idle
from kernel.clock import now
from kernel.errors import InvalidInput
from kernel.models import AuditEntry
from tests.make import make_answer, make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


def counters() -> list[tuple[int, int, int]]:
    return list(Task.objects.order_by("position").values_list("slots", "free", "answers"))


def balanced() -> bool:
    """Every slot is free, in somebody's hand, or answered by somebody who counts."""
    for task in Task.objects.filter(is_gold=False):
        held = task.assignments.filter(status="taken").count()
        counted = task.assignments.filter(status="submitted", participation__excluded_at=None).count()
        if (task.answers, task.slots) != (counted, task.free + held + counted):
            return False
    return True


def test_an_excluded_person_is_paid_and_others_are_asked_in_their_place():
    campaign = make_campaign(size=2, redundancy=1, reward=Decimal("0.20"))
    ann = make_participation(campaign, "ann")
    make_answer(ann)
    assigning.take_turn(ann.secret)

    person = excluding.exclude(ann.pk, reason="copies the passage", by=make_user())

    assert counters() == [(1, 1, 0), (1, 1, 0)]
    assert balanced()
    assert (person.earned, Annotation.objects.count()) == (Decimal("0.20"), 1)
    assert assigning.take_turn(ann.secret).idle == Idle.EXCLUDED
    bob = make_participation(campaign, "bob")
    make_answer(bob)
    make_answer(bob)
    assert counters() == [(1, 0, 1), (1, 0, 1)]
    assert AuditEntry.objects.get(action="exclude person").reason == "copies the passage"


def test_what_an_excluded_person_still_sends_is_kept_as_late():
    campaign = make_campaign(size=1, redundancy=1)
    ann = make_participation(campaign, "ann")
    turn = assigning.take_turn(ann.secret).assignment
    assert turn is not None
    excluding.exclude(ann.pk, reason="too fast", by=None)

    done = submitting.submit(ann.secret, turn.pk, {"phrase_1": "botanists"})

    assert done.is_late
    assert counters() == [(1, 1, 0)]
    assert balanced()


def test_excluding_needs_a_reason_and_happens_once():
    person = make_participation(make_campaign())
    make_answer(person)

    with pytest.raises(InvalidInput, match="enter a reason"):
        excluding.exclude(person.pk, reason=" ", by=None)
    for _ in range(2):
        excluding.exclude(person.pk, reason="too fast", by=None)

    assert AuditEntry.objects.filter(action="exclude person").count() == 1
    assert balanced()


def test_somebody_who_counts_again_stands_beside_those_asked_in_the_meantime():
    campaign = make_campaign(size=3, redundancy=1)
    ann, bob = (make_participation(campaign, name) for name in ("ann", "bob"))
    for _ in range(3):
        make_answer(ann)
    excluding.exclude(ann.pk, reason="a mistake", by=None)
    make_answer(bob)  # and has the next task in hand

    excluding.include(ann.pk, reason="it was one", by=None)

    assert sorted(counters()) == [(1, 0, 1), (2, 0, 1), (2, 0, 2)]
    assert balanced()
    assert Participation.objects.get(pk=ann.pk).excluded_at is None


def late_answer(campaign) -> Assignment:
    ann, bob = (make_participation(campaign, name) for name in ("ann", "bob"))
    turn = assigning.take_turn(ann.secret).assignment
    assert turn is not None
    Assignment.objects.filter(pk=turn.pk).update(expires_at=now() - timedelta(seconds=1))
    make_answer(bob)
    assert submitting.submit(ann.secret, turn.pk, {"phrase_1": "botanists"}).is_late
    return turn


def test_a_report_is_settled_once_by_somebody():
    turn = assigning.take_turn(make_participation(make_campaign()).secret).assignment
    assert turn is not None
    report = ProblemReport.objects.create(assignment=turn, text="The colour marks the wrong words.")

    first, second = make_user("ann"), make_user("bob")
    problem_reports.settle_report(report.pk, by=first)
    problem_reports.settle_report(report.pk, by=second)

    report.refresh_from_db()
    assert report.settled_by == first


def test_the_filters_see_somebody_who_always_says_the_same_and_decide_nothing():
    campaign = make_campaign(size=6, redundancy=2)
    ann, bob = (make_participation(campaign, name) for name in ("ann", "bob"))
    for number in range(6):
        make_answer(ann, "nice people")
        make_answer(bob, f"botanists of kind {number}")

    for _ in range(2):
        people_checks.look_at_people(campaign)

    verdict = WorkerVerdict.objects.get(filter="always_the_same")
    assert verdict.participation == ann
    assert "nice people" in verdict.evidence
    assert not Participation.objects.exclude(excluded_at=None).exists()


def test_records_hold_time_agreement_and_gold():
    campaign = make_campaign(size=2, redundancy=3)
    ann, bob, cid = (make_participation(campaign, name) for name in ("ann", "bob", "cid"))
    make_answer(ann, "the two botanists", signals='{"active_ms": 900}')
    make_answer(bob, "botanist")
    make_answer(cid, "", impossible="on")
    Participation.objects.filter(pk=ann.pk).update(gold_seen=2, gold_right=1)

    records = {record.worker: record for record in selectors.worker_records(campaign)}

    work = records[str(ann.pk)].work[0]
    assert (work.units, work.active_seconds, work.agrees) == (("botanists",), 0.9, 0.5)
    assert "Ida Lind" in work.context
    assert records[str(ann.pk)].gold is not None
    assert records[str(cid.pk)].work[0].agrees == 0
    assert records[str(bob.pk)].work[0].active_seconds is None


def test_the_people_page_says_how_far_everybody_came_and_where_the_filters_begin(client):
    campaign = make_campaign(quiz_pass=1)
    for name, fields in {
        "ann": {"quiz_tries": 2},
        "bea": {"quiz_passed_at": now(), "completion": "completed", "finished_at": now()},
        "cas": {"quiz_passed_at": now(), "completion": "left_early", "finished_at": now()},
        "dan": {"excluded_at": now()},
    }.items():
        Participation.objects.filter(pk=make_participation(campaign, name).pk).update(**fields)
    client.force_login(make_user("ben"))

    page = shown(client.get(f"/campaigns/{campaign.pk}/people/"))
    person = shown(client.get(f"/campaigns/people/{Participation.objects.first().pk}/"))

    for state in ("Failed the quiz", "Completed", "Stopped early", "Excluded"):
        assert f">{state}</span>" in page
    assert "under 30% of the median time per word, from 3 answers on" in page
    assert "with an account here" in person
    assert "through local" not in person
