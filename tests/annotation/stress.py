"""A campaign under stress: annotators who work, and a team that changes everything while they do."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from typing import Any

from django.db import connections, transaction
from django.db.models import Sum

from annotation.models import Annotation, Assignment, Campaign, LateChoice, Participation, Task, TrustStop
from annotation.services import assigning, campaigns, excluding, leaving, payments, submitting
from annotation.services.assigning import Idle
from annotation.task_types.aggregation.answers import known_phrases
from kernel.clock import now
from kernel.errors import WrongState
from tests.annotation.check_tasks import WRONG, make_checked
from tests.make import make_campaign, make_participation

TASKS, GOLD, REDUNDANCY, PEOPLE, MOST = 60, 4, 2, 30, 12
STEPS = 15  # what each annotator does
CHANGES = 30  # what each of the team does
ANSWER = {"phrase_1": "botanists"}


def prepare() -> list[str]:
    """Make the campaign and its people; return their secrets."""
    campaign = make_campaign(
        size=TASKS, redundancy=REDUNDANCY, gold_every=5, per_person=MOST, reward=Decimal("0.10"), time_limit_s=60
    )
    gold = known_phrases(["botanists"]).to_json()
    Task.objects.filter(campaign=campaign, position__lt=GOLD).update(is_gold=True, gold=gold, free=0)
    return [make_participation(campaign, f"person {number}").secret for number in range(PEOPLE)]


def prepare_stops() -> list[str]:
    """Make a campaign with a limit of trust and four people who will be below it; return their secrets."""
    campaign = make_checked(tests=12, tasks=24, trust_stop=60, trust_tests=3)
    return [make_participation(campaign, f"person {number}").secret for number in range(4)]


def annotate_wrongly(secret: str) -> None:
    """Answer in one of two tabs until no task comes any more."""
    while (turn := assigning.take_turn(secret).assignment) is not None:
        submitting.submit(secret, turn.pk, {"phrase_1": WRONG})


def stops_outcome() -> tuple[int, list[str]]:
    """Return how many people were stopped, and every task that was given too late or answer that is not counted."""
    _, differences = outcome()
    for stop in TrustStop.objects.select_related("participation"):
        turns = stop.participation.assignments.all()
        late = turns.filter(taken_at__gt=stop.made_at).count()
        judged = Annotation.objects.filter(assignment__in=turns, is_gold_hit__isnull=False).count()
        answers = Annotation.objects.filter(assignment__in=turns).count()
        if late or judged != stop.participation.gold_seen or answers != turns.count():
            differences.append(f"{stop}: {late} tasks after it, {judged} judged, {answers} of {turns.count()} stored")
    return TrustStop.objects.count(), differences


def everybody(secrets: list[str], seed: int = 1) -> None:
    """Let all these people work, and two of the team change things, all at once and each in a thread."""
    annotators = [partial(_annotate, secret, random.Random(f"{seed} {n}")) for n, secret in enumerate(secrets)]
    team = [partial(_change, random.Random(f"{seed} team {n}")) for n in range(2)]
    at_once(*annotators, *team)


def at_once(*what: Callable[[], Any]) -> list[Any]:
    """Call all of these at the same time, each in a thread with a connection of its own; return what they gave."""

    def run(call: Callable[[], Any]) -> Any:
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(what)) as pool:
        return list(pool.map(run, what))


def _annotate(secret: str, rng: random.Random) -> None:
    for _ in range(STEPS):
        try:
            turn = assigning.take_turn(secret)
            if turn.assignment is not None:
                _use(secret, turn.assignment, rng)
            elif turn.idle not in (Idle.WAIT, Idle.PAUSED) or rng.random() < 0.2:
                _answer_an_old_turn(secret, rng)
        except WrongState:  # they withdrew
            return


def _use(secret: str, turn: Assignment, rng: random.Random) -> None:
    chance = rng.random()
    if chance < 0.15:
        assigning.give_back(secret, turn.pk)
    elif chance < 0.25:
        submitting.save_draft(secret, turn.pk, ANSWER)
    elif chance < 0.35:
        _answer_an_old_turn(secret, rng)
    else:
        submitting.submit(secret, turn.pk, ANSWER)


def _answer_an_old_turn(secret: str, rng: random.Random) -> None:
    """Post to a turn that was given back, taken back or expired, as from a second tab."""
    old = Assignment.objects.filter(participation__secret=secret, status__in=("returned", "expired"))
    if turn_ids := list(old.values_list("pk", flat=True)):
        submitting.submit(secret, rng.choice(turn_ids), ANSWER)


def _change(rng: random.Random) -> None:
    campaign = Campaign.objects.get()
    for number in range(CHANGES):
        person = Participation.objects.get(pk=rng.choice(list(Participation.objects.values_list("pk", flat=True))))
        try:
            rng.choice(_TEAM)(campaign, person)
            if number in (CHANGES // 3, 2 * CHANGES // 3):
                leaving.withdraw(person.secret)
                campaigns.extend(campaign.pk, people=1, by=None)
        except WrongState:  # they withdrew, or the other one did this first
            pass


def _exclude(_: Campaign, person: Participation) -> None:
    excluding.exclude(person.pk, reason="stress", by=None)


def _include(_: Campaign, __: Participation) -> None:
    for pk in Participation.objects.exclude(excluded_at=None).values_list("pk", flat=True):
        excluding.include(pk, reason="stress", by=None)


def _pause(campaign: Campaign, _: Participation) -> None:
    campaigns.pause(campaign.pk, by=None)
    campaigns.resume(campaign.pk, by=None)


def _close(campaign: Campaign, _: Participation) -> None:
    campaigns.close(campaign.pk, by=None)
    campaigns.resume(campaign.pk, by=None)


def _take_back(campaign: Campaign, _: Participation) -> None:
    campaigns.release_turns(campaign, by=None)


def _expire(_: Campaign, __: Participation) -> None:
    """Let every turn run out of time that nobody is using at this moment."""
    with transaction.atomic():
        turns = Assignment.objects.filter(status="taken", expires_at__gt=now()).select_for_update(skip_locked=True)
        Assignment.objects.filter(pk__in=[turn.pk for turn in turns]).update(expires_at=now())
    assigning.expire_turns()


def _decide_late(_: Campaign, person: Participation) -> None:
    for number, pk in enumerate(person.assignments.filter(status="late").values_list("pk", flat=True)[:3]):
        payments.decide_late(pk, list(LateChoice)[number], reason="stress", by=None)


_TEAM = (_exclude, _include, _include, _pause, _close, _take_back, _expire, _expire, _decide_late)


def outcome() -> tuple[Counter[str], list[str]]:
    """Return how many turns ended in which way, and every counter that differs from the rows it counts."""
    differences = []
    for task in Task.objects.prefetch_related("assignments__participation"):
        turns = Counter(
            "out" if turn.status == "submitted" and turn.participation.excluded_at and not task.is_gold else turn.status
            for turn in task.assignments.all()
        )
        held = task.answers if task.is_gold else task.slots - task.free - turns["taken"]
        if (task.answers, held) != (turns["submitted"], turns["submitted"]):
            differences.append(f"task {task.pk}: slots {task.slots}, free {task.free}, answers {task.answers}, {turns}")
    for person in Participation.objects.all():
        turns = Counter(person.assignments.values_list("status", flat=True))
        owed = person.assignments.aggregate(sum=Sum("reward"))["sum"] or Decimal(0)
        answered = turns["submitted"] + turns["late"] + turns["withdrawn"]
        counted = (person.given, person.answered, person.earned)
        if counted != (turns.total(), answered, owed):
            differences.append(f"person {person.pk}: given, answered, earned {counted}, {turns}, owed {owed}")
    return Counter(Assignment.objects.values_list("status", flat=True)), differences
