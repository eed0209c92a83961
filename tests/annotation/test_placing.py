"""People accept tasks on a marketplace: it chooses who does what, and we keep our own rules."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotation.models import Annotation, Assignment, Campaign, Participation, Placement, PlacementState, Posting, Task
from annotation.providers.base import Arrival
from annotation.services import assigning, campaigns, excluding, joining, leaving, submitting
from annotation.services.assigning import Idle
from annotation.services.market import placing
from tests.corpus.frozen_instances import make_frozen
from tests.make import make_campaign, make_sample_of

pytestmark = pytest.mark.django_db
ANSWER = {"phrase_1": "botanists"}


def post(campaign: Campaign, position: int = 0, places: int = 3) -> Posting:
    task = campaign.tasks.get(position=position)
    return Posting.objects.create(campaign=campaign, task=task, places=places, state="open")


def accept(posting: Posting, worker: str = "A1", name: str = "ASSIGNMENT1") -> Placement:
    """Let a worker open what they accepted, and agree to everything before the task."""
    visit = placing.MarketVisit(Arrival(worker, {"assignment": name}), posting.key, name)
    placement = placing.open_placement(posting.campaign, visit, provider="mturk")
    joining.consent(placement.secret, signals=False)
    joining.read_instructions(placement.secret)
    return placement


def take(placement: Placement) -> assigning.Turn:
    placement.refresh_from_db()
    return placing.take(placement.secret, placement)


def answer(placement: Placement) -> submitting.Submitted:
    turn = take(placement).assignment
    assert turn
    return submitting.submit(placement.secret, turn.pk, ANSWER)


def slots(task: Task) -> tuple[int, int, int]:
    task.refresh_from_db()
    return task.slots, task.free, task.answers


def test_a_person_may_hold_several_accepted_tasks_at_a_time_and_answer_them_in_any_order():
    campaign = make_campaign(size=3, reward=Decimal("0.20"))
    held = [accept(post(campaign, position), name=f"X{position}") for position in range(3)]

    turns = [take(placement).assignment for placement in held]
    done = [answer(placement) for placement in reversed(held)]

    assert len({turn.pk for turn in turns if turn}) == 3
    assert all(submission.turn.idle == Idle.HANDED_OVER for submission in done)
    assert [*Placement.objects.values_list("state", flat=True)] == ["answered"] * 3
    person = Participation.objects.get()
    assert (person.given, person.answered, person.earned, person.finished_at) == (3, 3, Decimal("0.60"), None)


def test_opening_the_same_acceptance_again_finds_the_same_placement_and_turn():
    posting = post(make_campaign())

    first, second = accept(posting), accept(posting)

    assert first == second
    assert take(first).assignment == take(second).assignment
    assert slots(posting.task) == (3, 2, 0)


def test_nobody_is_turned_away_for_lack_of_a_slot():
    posting = post(make_campaign(redundancy=1))
    for number in range(3):
        answer(accept(posting, f"A{number}", f"X{number}"))

    assert slots(posting.task) == (3, 0, 3)


def test_a_text_that_overlaps_with_an_answered_one_is_not_given():
    sample = make_sample_of("Overlap", *(make_frozen(article_id=f"n{n}", group="same") for n in range(2)))
    campaign = make_campaign(sample=sample)
    answer(accept(post(campaign, 0)))

    turn = take(accept(post(campaign, 1), name="X2"))

    assert (turn.assignment, turn.idle) == (None, Idle.SEEN)
    assert slots(campaign.tasks.get(position=1)) == (3, 3, 0)


def test_a_second_posting_of_a_task_is_not_given_to_somebody_who_has_answered_it():
    campaign = make_campaign()
    answer(accept(post(campaign)))

    assert take(accept(post(campaign), name="X2")).idle == Idle.SEEN


def test_a_task_that_was_returned_and_accepted_again_goes_on_in_the_same_turn():
    posting = post(make_campaign())
    first = accept(posting)
    turn = take(first).assignment
    placing.end(first, PlacementState.RETURNED)
    assert slots(posting.task) == (3, 3, 0)

    again = accept(posting)

    assert (again.nth, again.pk == first.pk) == (2, False)
    assert take(again).assignment == turn
    assert slots(posting.task) == (3, 2, 0)
    assert answer(again).annotation.assignment == turn


def test_the_name_of_an_acceptance_that_goes_to_somebody_else_ends_the_earlier_turn():
    posting = post(make_campaign())
    first = accept(posting, "A1")
    take(first)

    second = accept(posting, "A2")

    first.refresh_from_db()
    assert (first.state, second.state) == ("returned", "opened")
    assert take(first).idle == Idle.FINISHED
    assert slots(posting.task) == (3, 3, 0)
    take(second)
    assert slots(posting.task) == (3, 2, 0)


def test_an_answer_stays_stored_when_its_acceptance_goes_to_somebody_else():
    posting = post(make_campaign())
    answer(accept(posting, "A1"))
    answer(accept(posting, "A2"))

    assert [*Placement.objects.order_by("pk").values_list("state", flat=True)] == ["returned", "answered"]
    assert Annotation.objects.count() == 2


def test_the_limit_of_answers_counts_what_a_person_holds():
    campaign = make_campaign(per_person=2)
    take(accept(post(campaign, 0), name="X0"))
    answer(accept(post(campaign, 1), name="X1"))

    assert take(accept(post(campaign, 2), name="X2")).idle == Idle.LIMIT


def test_an_excluded_person_gets_no_task_but_what_they_held_is_stored_and_paid():
    campaign = make_campaign(reward=Decimal("0.20"))
    held = accept(post(campaign, 0), name="X0")
    turn = take(held).assignment
    assert turn
    excluding.exclude(held.participation_id, reason="Copies texts.", by=None)

    done = submitting.submit(held.secret, turn.pk, ANSWER)

    assert done.is_late
    assert Assignment.objects.get(pk=turn.pk).reward == Decimal("0.20")
    assert slots(campaign.tasks.get(position=0)) == (3, 3, 0)
    assert take(accept(post(campaign, 1), name="X1")).idle == Idle.EXCLUDED


def test_what_was_accepted_before_a_pause_can_be_finished():
    campaign = make_campaign()
    placement = accept(post(campaign))
    campaigns.pause(campaign.pk, by=None)

    assert answer(placement).is_late is False


def test_somebody_who_fails_the_quiz_hands_over_once_and_is_paid_for_it():
    campaign = make_campaign(quiz_pass=1, reward=Decimal("0.20"))
    first, second = (accept(post(campaign, n), name=f"X{n}") for n in range(2))
    for number in range(2):
        joining.take_quiz(first.secret, 0, number=number, chosen={})

    assert [placing.screen_out(placement) for placement in (first, first, second)] == [True, True, False]
    assert Participation.objects.get().earned == Decimal("0.20")
    assert [*Placement.objects.order_by("pk").values_list("outcome", flat=True)] == ["screened_out", ""]


def test_withdrawing_returns_every_task_in_hand_and_keeps_the_pay():
    campaign = make_campaign(reward=Decimal("0.20"))
    held = [accept(post(campaign, position), name=f"X{position}") for position in range(3)]
    for placement in held[:2]:
        take(placement)
    answer(held[2])

    leaving.withdraw(held[0].secret)

    assert {slots(task) for task in campaign.tasks.all()} == {(3, 3, 0)}
    assert not Annotation.objects.exists()
    assert Placement.objects.filter(state="answered").count() == 1
    assert Participation.objects.get().earned == Decimal("0.20")


def test_a_posting_of_another_campaign_is_refused():
    ours, other = make_campaign("Ours"), make_campaign("Other")
    visit: Any = placing.MarketVisit(Arrival("A1", {}), post(other).key, "X1")

    with pytest.raises(placing.InvalidInput, match="no task here"):
        placing.open_placement(ours, visit, provider="mturk")
    assert not Participation.objects.exists()
