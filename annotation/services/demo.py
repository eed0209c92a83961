"""The demo's campaigns: one finished, one running, one fresh. Simulated workers answer through the real services."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Sequence
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
    FollowUp,
    Instructions,
    Participation,
    Release,
    TaskDescription,
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
        set_time_limit(campaign, WHILE_MADE_S)
        answers += live(campaign, past, DemoCrew("invented worker", people(), write_answer), by=by)
        look_at_people(campaign)  # from here on the scheduler checks them, as in any campaign
        set_time_limit(campaign, limit)
    return answers


def set_time_limit(campaign: Campaign, seconds: int) -> None:
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


Invent = Callable[[Assignment, InventedPerson, random.Random], tuple[dict[str, str], int]]


@dataclass(frozen=True)
class DemoCrew:
    """Who works in a campaign of the demo, and what they send about a task: the form, and how long its text is."""

    name: str
    people: Sequence[InventedPerson]
    invent: Invent


def write_answer(turn: Assignment, person: InventedPerson, rng: random.Random) -> tuple[dict[str, str], int]:
    """Return what a person sends by the crowd of the task type."""
    type_ = type_of(turn.campaign)
    reading = type_.crowd.read_item(type_.read(turn.task.member.value))
    return type_.crowd.invent(reading, person, rng), len(reading.passage)


def _join(campaign: Campaign, person: InventedPerson, name: str) -> Participation:
    known = {"provider": "demo", "external_id": f"{name} {person.number + 1}"}
    worker, _ = Worker.objects.get_or_create(**known, defaults={"is_demo": True})
    place = joining.join(campaign, worker)
    joining.consent(place.secret, signals=True)
    joining.read_instructions(place.secret)
    return place


def live(campaign: Campaign, past: Past, crew: DemoCrew, *, by: User | None) -> int:
    """Let the simulated people work in turns, each at their own pace, until enough is answered."""
    if past.answers == 0 or campaign.started_at is None:
        return 0
    rng = random.Random(campaign.seed)  # noqa: S311 - a demo, not a secret
    start, answers = campaign.started_at, 0
    turns: list[tuple[datetime, int, Participation, InventedPerson]] = []
    in_hand: dict[int, Assignment | None] = {}  # what a submit gave them next, by their number
    for person in crew.people:
        arrives = start + timedelta(hours=rng.uniform(0.1, 3 * past.days))
        with clock.at(arrives):
            heapq.heappush(turns, (arrives, person.number, _join(campaign, person, crew.name), person))
    moment, end = start, clock.now()
    while turns and (past.answers is None or answers < past.answers):
        moment, number, place, person = heapq.heappop(turns)
        turn = _turn(place, moment, in_hand.pop(number, None)) if moment < end else None
        if turn:
            done, in_hand[number] = _answer(turn, place, person, moment, rng, crew.invent)
            answers += 1
            goes_on = rng.random() < SESSION
            away = timedelta(seconds=rng.uniform(2, 15)) if goes_on else BREAK * rng.uniform(0.5, 1.5)
            heapq.heappush(turns, (done + away, number, place, person))
    if past.answers is None:
        with clock.at(moment + timedelta(hours=2)):
            campaigns.close(campaign.pk, by=by)
    return answers


def _turn(place: Participation, moment: datetime, in_hand: Assignment | None) -> Assignment | None:
    """Return the turn that this person has, or takes now; None when there is nothing for them."""
    if in_hand:
        return in_hand
    with clock.at(moment):
        return assigning.take_turn(place.secret).assignment


def _answer(
    turn: Assignment,
    place: Participation,
    person: InventedPerson,
    moment: datetime,
    rng: random.Random,
    invent: Invent,
) -> tuple[datetime, Assignment | None]:
    """Use a turn; return when it was submitted, and the next one."""
    pace = rng.uniform(0.5, 1.8)
    form, length = invent(turn, person, rng)
    seconds = person.seconds * pace + length / 60
    submitted = moment + timedelta(seconds=seconds)
    keys = 3 * sum(map(len, form.values()))
    signals = f'{{"active_ms": {int(seconds * 850)}, "keys": {keys}, "pastes": 0}}'
    with clock.at(submitted):
        done = _submit(place.secret, turn.pk, {**form, "signals": signals}, type_of(place.campaign))
    return submitted, done.turn.assignment


def _submit(secret: str, assignment_id: int, form: dict[str, str], type_: TaskType) -> submitting.Submitted:
    """Submit; confirm what the checks ask about, and say that nothing fits if they refuse."""
    try:
        return submitting.submit(secret, assignment_id, form)
    except InvalidAnswer as refused:
        codes = " ".join(as_objections(refused.remarks))
    try:
        return submitting.submit(secret, assignment_id, {**form, "confirmed": codes})
    except InvalidAnswer:
        if type_.nothing_fits is None:
            raise
        nothing = type_.form({}, type_.nothing_fits.answer)
        return submitting.submit(secret, assignment_id, {**nothing, "signals": form["signals"]})


def remove() -> None:
    """Take out the campaigns of the demo, its simulated workers, and instructions that nobody else uses."""
    made = FollowUp.objects.filter(sample__is_demo=True, campaign__is_demo=True)
    descriptions = list(made.values_list("description", flat=True))
    described = list(made.values_list("campaign__instructions__name", flat=True))
    Assignment.objects.filter(campaign__is_demo=True).delete()
    Campaign.objects.filter(is_demo=True).delete()
    Worker.objects.filter(is_demo=True).delete()
    TaskDescription.objects.filter(pk__in=descriptions).delete()
    ours = [*described, *(TASK_TYPES[name].instructions.name for name in fixed_types())]
    Instructions.objects.filter(name__in=ours, created_by=None, campaigns=None).delete()
