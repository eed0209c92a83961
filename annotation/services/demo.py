"""The demo's campaigns: one finished, one running, one fresh. Simulated workers answer through the real services."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import F

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignStatus,
    Instructions,
    Participation,
    Release,
    Worker,
)
from annotation.selectors.release_answers import recipe_for
from annotation.services import assigning, campaigns, joining, releases, submitting
from annotation.services.people_checks import look_at_people
from annotation.simulation.invented_people import Habit, InventedPerson, crowd
from annotation.task_types import TASK_TYPES, fixed_types, type_of
from annotation.task_types.base import InvalidAnswer, TaskType, as_objections
from corpus.models import Sample
from kernel import clock
from kernel.models import User

FINISHED, RUNNING, FRESH = "Demo pilot (finished)", "Demo study (running)", "Demo campaign (fresh)"
PEOPLE, SEED = 10, 4
MOST_ANSWERS = 18  # answers of one person: so that all of them are needed
CONTACT = "the demo's team (nobody reads this)"
BREAK = timedelta(hours=14)  # between two sessions of one person
WHILE_MADE_S = 400 * 24 * 3600  # to answer in: nothing expires before its time, and every demo is the same
SESSION = 0.85  # chance of going on after an answer
RELEASE = "Demo release"
Report = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class Past:
    """What has become of a campaign so far: it began `days` ago, and `answers` have been given."""

    name: str
    days: int
    answers: int | None  # None: all


PASTS = (
    Past(FINISHED, days=12, answers=None),
    Past(RUNNING, days=3, answers=70),
    Past(FRESH, days=0, answers=0),
)


def seed_release(*, by: User | None, report: Report) -> Release:
    """Freeze the finished campaign; one that was interrupted is frozen again."""
    release = Release.objects.filter(name=RELEASE, is_demo=True).first()
    if release is None:
        about = "What the demo's simulated participants wrote, cleaned and frozen. Nobody real wrote any of it."
        recipe = recipe_for([FINISHED], simulated=True)
        release = releases.create_release(releases.ReleasePlan(RELEASE, recipe, about, "CC0-1.0", is_demo=True), by=by)
    return release if release.frozen_at else releases.freeze_release(release, by=by, report=report)


def seed_campaigns(sample: Sample, *, by: User | None, report: Report) -> int:
    """Make the missing campaigns, and those that were interrupted again. Return the number of answers."""
    answers = 0
    for number, past in enumerate(PASTS):
        report(number, len(PASTS), past.name)
        earlier = Campaign.objects.filter(name=past.name, is_demo=True).first()
        if earlier and _is_whole(earlier, past):
            continue
        if earlier:
            campaigns.delete_campaign(earlier.pk, by=by, even_answers=True)
        campaign = _create(sample, past, by)
        limit = campaign.time_limit_s
        _set_time_limit(campaign, WHILE_MADE_S)
        answers += _live(campaign, past, by)
        look_at_people(campaign)  # from here on the scheduler checks them, as in any campaign
        _set_time_limit(campaign, limit)
    return answers


def _set_time_limit(campaign: Campaign, seconds: int) -> None:
    """Change a campaign and the turns in hand: the sweep goes by the real clock, in which the demo's past is over."""
    Campaign.objects.filter(pk=campaign.pk).update(time_limit_s=seconds)
    in_hand = Assignment.objects.filter(campaign=campaign, status=AssignmentStatus.TAKEN)
    in_hand.update(expires_at=F("taken_at") + timedelta(seconds=seconds))


def campaigns_over() -> list[int]:
    """Return the demo's campaigns in which nobody answers any more."""
    return list(Campaign.objects.filter(is_demo=True, status=CampaignStatus.CLOSED).values_list("pk", flat=True))


def _is_whole(campaign: Campaign, past: Past) -> bool:
    if campaign.time_limit_s == WHILE_MADE_S:
        return False
    if past.answers is None:
        return campaign.closed_at is not None
    answers = Annotation.objects.filter(assignment__campaign=campaign).count()
    return campaign.started_at is not None and answers >= past.answers


def _create(sample: Sample, past: Past, by: User | None) -> Campaign:
    with clock.at(clock.now() - timedelta(days=past.days)):
        plan = campaigns.CampaignPlan(
            name=past.name,
            sample=sample,
            reward=Decimal("0.25"),
            contact=CONTACT,
            per_person=MOST_ANSWERS,
            seed=SEED,
            is_pilot=past.answers is None,
        )
        campaign = campaigns.create_campaign(plan, by=by, is_demo=True)
        for _ in campaigns.make_tasks(campaign):
            pass
        return campaigns.start(campaign.pk, by=by)


def people() -> list[InventedPerson]:
    """Return the simulated workers: mostly careful ones, and one of each bad habit for the filters to find."""
    careful = [replace(person, habit=Habit.CAREFUL, skill=max(person.skill, 0.8)) for person in crowd(PEOPLE, SEED)]
    bad = {PEOPLE - 3: Habit.COPIES, PEOPLE - 2: Habit.SAME, PEOPLE - 1: Habit.REFUSES}
    return [
        replace(person, habit=bad[person.number], seconds=9) if person.number in bad else person for person in careful
    ]


def _join(campaign: Campaign, person: InventedPerson) -> Participation:
    known = {"provider": "demo", "external_id": f"invented worker {person.number + 1}"}
    worker, _ = Worker.objects.get_or_create(**known, defaults={"is_demo": True})
    place = joining.join(campaign, worker)
    joining.consent(place.secret, signals=True)
    joining.read_instructions(place.secret)
    return place


def _live(campaign: Campaign, past: Past, by: User | None) -> int:
    """Let the simulated people work in turns, each at their own pace, until enough is answered."""
    if past.answers == 0 or campaign.started_at is None:
        return 0
    rng = random.Random(campaign.seed)  # noqa: S311 - a demo, not a secret
    start, answers = campaign.started_at, 0
    turns: list[tuple[datetime, int, Participation, InventedPerson]] = []
    for person in people():
        arrives = start + timedelta(hours=rng.uniform(0.1, 3 * past.days))
        with clock.at(arrives):
            heapq.heappush(turns, (arrives, person.number, _join(campaign, person), person))
    moment, end = start, clock.now()
    while turns and (past.answers is None or answers < past.answers):
        moment, number, place, person = heapq.heappop(turns)
        done = _answer(place, person, moment, rng) if moment < end else None
        if done:
            answers += 1
            goes_on = rng.random() < SESSION
            away = timedelta(seconds=rng.uniform(2, 15)) if goes_on else BREAK * rng.uniform(0.5, 1.5)
            heapq.heappush(turns, (done + away, number, place, person))
    if past.answers is None:
        with clock.at(moment + timedelta(hours=2)):
            campaigns.close(campaign.pk, by=by)
    return answers


def _answer(place: Participation, person: InventedPerson, moment: datetime, rng: random.Random) -> datetime | None:
    """Take a turn and use it; returns when it was submitted, or None when there is nothing for this person."""
    with clock.at(moment):
        turn = assigning.take_turn(place.secret).assignment
    if turn is None:
        return None
    type_ = type_of(turn.task.campaign)
    reading = type_.crowd.read_item(type_.read(turn.task.member.value))
    seconds = person.seconds * rng.uniform(0.5, 1.8) + len(reading.passage) / 60
    submitted = moment + timedelta(seconds=seconds)
    form = type_.crowd.invent(reading, person, rng)
    keys = 3 * sum(map(len, form.values()))
    signals = f'{{"active_ms": {int(seconds * 850)}, "keys": {keys}, "pastes": 0}}'
    with clock.at(submitted):
        _submit(place.secret, turn.pk, {**form, "signals": signals}, type_)
    return submitted


def _submit(secret: str, assignment_id: int, form: dict[str, str], type_: TaskType) -> None:
    """Submit; confirm what the checks ask about, and say that nothing fits if they refuse."""
    try:
        submitting.submit(secret, assignment_id, form)
        return
    except InvalidAnswer as refused:
        codes = " ".join(as_objections(refused.remarks))
    try:
        submitting.submit(secret, assignment_id, {**form, "confirmed": codes})
    except InvalidAnswer:
        if type_.nothing_fits is None:
            raise
        nothing = type_.form({}, type_.nothing_fits.answer)
        submitting.submit(secret, assignment_id, {**nothing, "signals": form["signals"]})


def remove() -> None:
    """Take out the campaigns of the demo, its simulated workers, and instructions that nobody else uses."""
    Assignment.objects.filter(campaign__is_demo=True).delete()
    Campaign.objects.filter(is_demo=True).delete()
    Worker.objects.filter(is_demo=True).delete()
    ours = [TASK_TYPES[name].instructions.name for name in fixed_types()]
    Instructions.objects.filter(name__in=ours, created_by=None, campaigns=None).delete()
