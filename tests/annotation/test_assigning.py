"""Who gets which task, alone and in a crowd."""

from __future__ import annotations

import os
import tempfile
from datetime import datetime, timedelta
from typing import Any

import pytest

from annotation.models import Assignment, Participation, Task
from annotation.services import asking_more, assigning, campaigns, submitting
from annotation.services.assigning import Idle
from annotation.task_types.aggregation.answers import known_phrases
from kernel.clock import now
from tesa_site.management.commands import scheduler
from tests.make import make_campaign, make_participation
from tests.product import Filled, Product

pytestmark = pytest.mark.django_db
ANSWER = {"phrase_1": "the botanists"}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let a test move time: `clock(minutes=20)`."""
    start = datetime.fromisoformat("2026-01-05T09:00:00+00:00")
    state = [start]
    for module in (assigning, submitting, campaigns):
        monkeypatch.setattr(module, "now", lambda: state[0])
    return lambda **passed: state.__setitem__(0, state[0] + timedelta(**passed))


def answer(person: Participation) -> Task:
    """Take a turn and use it."""
    turn = assigning.take_turn(person.secret).assignment
    assert turn is not None
    submitting.submit(person.secret, turn.pk, ANSWER)
    return turn.task


def taken(person: Participation) -> Assignment:
    turn = assigning.take_turn(person.secret).assignment
    assert turn is not None
    return turn


def idle(person: Participation) -> Idle | None:
    return assigning.take_turn(person.secret).idle


def test_a_person_keeps_the_task_in_hand_however_often_the_page_is_asked_for():
    person = make_participation(make_campaign())

    first, second = assigning.take_turn(person.secret), assigning.take_turn(person.secret)

    assert first.assignment == second.assignment
    assert Assignment.objects.count() == 1


def test_what_is_begun_is_finished_first():
    campaign = make_campaign(size=5, redundancy=3)
    ada, ben, cleo = (make_participation(campaign, name) for name in ("ada", "ben", "cleo"))
    begun = answer(ada)

    assert answer(ben) == begun
    assert answer(cleo) == begun
    assert answer(cleo) != begun


def test_every_task_gets_its_people_and_not_one_more():
    campaign = make_campaign(size=4, redundancy=2)
    people = [make_participation(campaign, name) for name in ("ada", "ben", "cleo")]

    while [answer(person) for person in people if assigning.take_turn(person.secret).assignment]:
        pass

    assert [*Task.objects.values_list("answers", "free")] == [(2, 0)] * 4
    assert idle(people[0]) == Idle.DONE


def test_nobody_gets_two_tasks_of_one_overlap_group():
    campaign = make_campaign(size=3, redundancy=1)
    Task.objects.filter(position__in=(0, 1)).update(group="the same passage")
    person = make_participation(campaign)

    answer(person)
    answer(person)

    assert idle(person) == Idle.DONE
    assert Task.objects.get(free=1).group == "the same passage"


def test_a_turn_that_runs_out_returns_its_slot_to_somebody_else(clock: Any):
    campaign = make_campaign(size=1, redundancy=1, time_limit_s=600)
    ada, ben = make_participation(campaign, "ada"), make_participation(campaign, "ben")
    assigning.take_turn(ada.secret)
    assert idle(ben) == Idle.WAIT

    clock(minutes=11)

    assert assigning.take_turn(ben.secret).assignment is not None
    assert idle(ada) == Idle.DONE


def test_who_comes_back_late_goes_on_with_what_they_had_if_nobody_else_got_it(clock: Any):
    person = make_participation(make_campaign(size=3, time_limit_s=600))
    turn = assigning.take_turn(person.secret).assignment
    assert turn is not None
    submitting.save_draft(person.secret, turn.pk, {"phrase_1": "the bot"})
    clock(hours=2)
    assigning.expire_turns()

    again = assigning.take_turn(person.secret).assignment

    assert again is not None
    assert (again.pk, again.draft) == (turn.pk, {"phrase_1": "the bot"})
    assert Task.objects.get(pk=again.task_id).free == 2


def test_a_task_given_back_goes_to_somebody_else_and_not_to_the_same_person():
    campaign = make_campaign(size=1, redundancy=1)
    ada, ben = make_participation(campaign, "ada"), make_participation(campaign, "ben")
    turn = assigning.take_turn(ada.secret).assignment
    assert turn is not None

    assert assigning.give_back(ada.secret, turn.pk)

    assert idle(ada) == Idle.DONE
    assert assigning.take_turn(ben.secret).assignment is not None
    assert not assigning.give_back(ada.secret, turn.pk)  # a second click changes nothing
    assert Task.objects.get().free == 0


def test_a_paused_campaign_gives_nothing_out_but_takes_what_is_in_hand():
    campaign = make_campaign()
    person = make_participation(campaign)
    turn = assigning.take_turn(person.secret).assignment
    assert turn is not None

    campaigns.pause(campaign.pk, by=None)
    submitting.submit(person.secret, turn.pk, ANSWER)

    assert idle(person) == Idle.PAUSED
    campaigns.resume(campaign.pk, by=None)
    assert idle(person) is None


def test_the_limit_for_one_person_holds():
    campaign = make_campaign(per_person=2)
    person = make_participation(campaign)

    answer(person)
    answer(person)

    assert idle(person) == Idle.LIMIT


def test_gold_is_met_once_in_each_stretch_and_takes_no_slot():
    campaign = make_campaign(size=12, redundancy=1, gold_every=4)
    gold = known_phrases(["Botanists"]).to_json()
    Task.objects.filter(position__in=(3, 7)).update(is_gold=True, gold=gold, free=0)
    person = make_participation(campaign)

    tasks = [answer(person) for _ in range(8)]

    assert [sum(task.is_gold for task in tasks[n : n + 4]) for n in (0, 4)] == [1, 1]
    person.refresh_from_db()
    assert (person.gold_seen, person.gold_right) == (2, 2)


def test_one_more_person_is_asked_where_people_disagree():
    campaign = make_campaign(size=2, redundancy=2)
    for name, phrases in (("ada", ("botanists", "men")), ("ben", ("the two botanists", "friends"))):
        person = make_participation(campaign, name)
        for _ in phrases:
            turn = assigning.take_turn(person.secret).assignment
            assert turn is not None
            submitting.submit(person.secret, turn.pk, {"phrase_1": phrases[turn.task.position]})

    assert asking_more.ask_one_more(campaign, by=None) == 1

    assert [*Task.objects.order_by("position").values_list("slots", "free")] == [(2, 0), (3, 1)]
    assert asking_more.ask_one_more(campaign, by=None) == 0  # somebody is on the way


def test_who_has_just_answered_holds_a_task_and_so_waits_for_no_other_before_it_is_let_go(
    monkeypatch: pytest.MonkeyPatch,
):
    campaign = make_campaign(size=2, redundancy=2)
    cleo = make_participation(campaign)
    claim, waits = assigning._claim, list[bool]()

    def watched(person: Participation, *, may_wait: bool) -> Task | None:
        waits.append(may_wait)
        return claim(person, may_wait=may_wait)

    monkeypatch.setattr(assigning, "_claim", watched)
    first = taken(cleo)
    second = submitting.submit(cleo.secret, first.pk, ANSWER).turn.assignment
    assert second is not None
    last = submitting.submit(cleo.secret, second.pk, ANSWER).turn

    assert (last.assignment, last.idle, last.is_sure) == (None, Idle.DONE, True)
    assert waits == [True, False, False, True]  # nothing was found, so it was looked for once more, holding nothing


def test_an_old_turn_answered_late_leaves_the_one_in_hand_as_it_is(clock: Any):
    campaign = make_campaign(size=2, redundancy=1, time_limit_s=60)
    cleo, dan = (make_participation(campaign, name) for name in ("cleo", "dan"))
    old = taken(cleo)
    clock(seconds=61)
    assigning.expire_turns()
    assert taken(dan).task_id == old.task_id
    newer = taken(cleo)
    clock(seconds=61)

    done = submitting.submit(cleo.secret, old.pk, ANSWER)

    assert done.turn.assignment == newer


PREPARE = """
import sys
from tests.make import make_campaign, make_participation
campaign = make_campaign(size=int(sys.argv[-1]), redundancy=3)
print(*(make_participation(campaign, f"person {number}").secret for number in range(16)))
"""
WORK = """
import sys
from annotation.services import assigning, submitting
turns = {secret: assigning.take_turn(secret) for secret in sys.argv[-1].split(",")}
while turns:
    for secret, turn in [*turns.items()]:
        if turn.assignment is not None:
            turns[secret] = submitting.submit(secret, turn.assignment.pk, {"phrase_1": "the botanists"}).turn
        elif turn.idle == "wait":
            turns[secret] = assigning.take_turn(secret)
        else:
            del turns[secret]
"""
COUNT = """
from annotation.models import Assignment, Task
pairs = [*Assignment.objects.values_list("task_id", "participation_id")]
counts = sorted(set(Task.objects.values_list("free", "answers")))
print(len(pairs), len(set(pairs)), Assignment.objects.exclude(status="submitted").count(), counts)
"""


@pytest.mark.processes
def test_eight_processes_give_every_task_to_exactly_three_people(
    monkeypatch: pytest.MonkeyPatch, migrated: Filled, is_thorough: bool
):
    tasks = 2_000 if is_thorough else 300
    if os.access("/dev/shm", os.W_OK):
        monkeypatch.setattr(tempfile, "tempdir", "/dev/shm")  # thousands of commits: who gets what, not the disk
    installation = Product(like=migrated)
    secrets = installation.python(PREPARE, str(tasks)).split()

    children = [installation.start_python(WORK, ",".join(secrets[number::8])) for number in range(8)]

    assert [child.wait(timeout=600) for child in children] == [0] * 8
    assert installation.python(COUNT).strip() == f"{3 * tasks} {3 * tasks} 0 [(0, 3)]"
    installation.close()


def test_the_scheduler_returns_tasks_whose_time_is_over_also_when_nobody_asks():
    person = make_participation(make_campaign(size=1, redundancy=1))
    assigning.take_turn(person.secret)
    Assignment.objects.update(expires_at=now())

    scheduler.return_tasks()

    assert Assignment.objects.get().status == "expired"
    assert Task.objects.get().free == 1
