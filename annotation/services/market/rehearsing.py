"""A rehearsal of a campaign on a marketplace: simulated people work on a copy of it in the sandbox.

They use the real worker site and the real pages, over HTTP. The copy has at most `TASKS` tasks, costs play money alone,
and no real worker sees it. Every step looks at what is there, so that a rehearsal that was interrupted can go on.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace

from django.db import transaction

from annotation.models import (
    STORED,
    Campaign,
    CampaignStatus,
    Participation,
    Placement,
    PlacementState,
    PostingState,
    Task,
)
from annotation.providers.base import Guest, NotSent, Refused, Sandbox
from annotation.selectors.rehearsals import KIND
from annotation.services import campaigns, simulating
from annotation.services.editing import plan_of
from annotation.services.market import following, handing_over, ledger, marketplaces, placing, publishing, reconciling
from annotation.simulation.browser import Browser
from annotation.simulation.comparing import compare
from annotation.simulation.invented_people import InventedPerson, crowd
from annotation.simulation.visiting import InventedVisit, Log
from annotation.task_types import type_of
from annotation.task_types.lessons import lessons_of
from kernel.errors import WrongState
from kernel.models import Job, User
from kernel.progress import Progress
from kernel.values import counted

TASKS, GOLD, ANSWERS = 10, 2, 3  # most tasks, check tasks and answers a task of a rehearsal
MORE_PEOPLE = 2  # than one task needs: one of them never finishes what they accept
STEPS = 7
A_MINUTE = 60


def start(campaign: Campaign, *, by: User | None) -> Job:
    """Make a copy in the sandbox and queue the job in which simulated people work on it."""
    marketplaces.with_sandbox(campaign)
    if not campaign.tasks_made or campaign.is_rehearsal:
        raise WrongState("Only a campaign with tasks of its own can be rehearsed.")
    try:
        with transaction.atomic():
            return campaigns.start_job(KIND, make_copy(campaign, by=by), by=by, by_id=by.pk if by else 0)
    except WrongState as error:
        raise WrongState("Another rehearsal is running. Wait until it has ended.") from error


def make_copy(campaign: Campaign, *, by: User | None) -> Campaign:
    """Return a draft with the same settings and the first tasks of a campaign."""
    provider = marketplaces.with_sandbox(campaign)
    plan = replace(
        plan_of(campaign),
        provider_settings=provider.rehearsal_settings(campaign.provider_settings),
        qualifications={},
        name=_free_name(campaign),
        redundancy=min(ANSWERS, campaign.redundancy),
    )
    copy = campaigns.create_campaign(plan, by=by, is_demo=campaign.is_demo, made_from=campaign)
    tasks = campaign.tasks.order_by("position")
    chosen = [*tasks.filter(is_gold=False)[:TASKS], *tasks.filter(is_gold=True)[:GOLD]]
    for position, task in enumerate(chosen):
        slots = copy.redundancy
        same = {name: getattr(task, name) for name in ("member_id", "variant", "group", "question", "html", "gold")}
        free = 0 if task.is_gold else slots
        Task.objects.create(campaign=copy, position=position, slots=slots, free=free, is_gold=task.is_gold, **same)
    Campaign.objects.filter(pk=copy.pk).update(tasks_made=len(chosen))
    copy.refresh_from_db()
    return copy


def _free_name(campaign: Campaign) -> str:
    number = 1 + Campaign.objects.filter(made_from=campaign, provider_settings__rehearsal=True).count()
    while Campaign.objects.filter(name=(name := f"{campaign.name[:80]} (rehearsal {number})")).exists():
        number += 1
    return name


def rehearse(copy: Campaign, *, by: User | None, progress: Progress) -> str:
    """Publish the copy, let people work, pass the time, pay, close and compare; return in a sentence what happened."""
    market, provider = marketplaces.connect_to_sandbox(copy), marketplaces.with_sandbox(copy)
    stage = _stages(copy, progress)
    _open(copy, market, by=by)
    stage("publishing the HITs")
    progress.report(1, STEPS, "people work on the HITs")
    complaints = work(copy, market, progress)
    market.pass_time(A_MINUTE)  # what was submitted is visible now
    stage("collecting and paying")
    if not provider.approves_at_once(copy.provider_settings):
        market.pass_time(provider.approval_s(copy.provider_settings) + A_MINUTE)
        stage("skipping ahead to automatic approval")
    for placement in Placement.objects.filter(posting__campaign=copy, state=PlacementState.OPENED):
        placing.end(placement, PlacementState.ABANDONED)  # their time is over in the sandbox
    campaigns.close(copy.pk, by=by)
    stage("ending the HITs")
    stage("comparing both sides")
    for sentence in complaints:
        progress.log(sentence)
    problems = [counted(copy.differences.count(), "difference")] if copy.differences.exists() else []
    problems += [counted(len(complaints), "answer differs", "answers differ")] if complaints else []
    answers = Placement.objects.filter(posting__campaign=copy, state=PlacementState.APPROVED).count()
    return f"{counted(answers, 'answer')} given and paid; {' and '.join(problems) or 'no differences'}."


def _stages(copy: Campaign, progress: Progress) -> Callable[[str], None]:
    """Return what brings both sides into step and reports the next stage."""
    done = 0

    def stage(name: str) -> None:
        nonlocal done
        done += 1
        copy.refresh_from_db()
        following.follow(copy, report=lambda *_: progress.report(done, STEPS, name), compare=True)

    return stage


def _open(copy: Campaign, market: Sandbox, *, by: User | None) -> None:
    """Open a draft with enough play money. What the sandbox's account has by then is taken as right."""
    if copy.status != CampaignStatus.DRAFT:
        return
    _, rewards, fees = publishing.price_cents(copy)
    needed = 2 * (rewards + fees)  # check tasks may be offered again, and people who fail the quiz are paid as well
    if market.balance_cents() < needed:
        market.add_money(needed)
    reconciling.take_as_right(copy, market, by=by)
    ledger.set_budget(copy.pk, needed, by=by)
    campaigns.start(copy.pk, by=by)


# ---- The crowd


@dataclass
class Hand:
    """A simulated person and their browser at the worker site."""

    guest: Guest
    person: InventedPerson
    is_leaving: bool = False  # keeps the next thing they accept, and never answers it
    is_returning: bool = False  # returns the next thing they accept


def work(copy: Campaign, market: Sandbox, progress: Progress) -> list[str]:
    """Let people do what is offered until nothing is left; return what their log and the database say differently."""
    posting = copy.postings.filter(state=PostingState.OPEN).first()
    if posting is None:
        return []
    type_, log = type_of(copy), Log()
    people = Participation.objects.filter(campaign=copy)
    before = {row.assignment for row in simulating.stored_of(list(people))}
    for placement in Placement.objects.filter(posting__campaign=copy, state__in=STORED):
        with suppress(Refused, NotSent):  # its time is over
            handing_over.hand_over_again(copy, placement)  # what an interrupted rehearsal stored
    market.pass_time(copy.time_limit_s + A_MINUTE)  # what an interrupted rehearsal held is free again
    size = people_needed(copy)
    guests = market.invite(marketplaces.site(copy), posting.external_id, size)
    with ExitStack() as stack:
        for guest in guests:
            stack.callback(guest.close)
        crowd_ = [person.steady() for person in crowd(size, copy.seed)]
        hands = [Hand(guest, person) for guest, person in zip(guests, crowd_, strict=True)]
        hands[0].is_leaving = hands[1].is_returning = True
        for at_work in (hands, hands[1:]):
            while sum([_shift(hand, copy, log, progress) for hand in at_work]):
                pass
            market.pass_time(copy.time_limit_s + A_MINUTE)  # the abandoned HIT goes back to the others
    stored = [row for row in simulating.stored_of(list(people.all())) if row.assignment not in before]
    return compare(log.events, stored, type_)


def people_needed(copy: Campaign) -> int:
    """Return a number of people who can give all answers although one of them gives none."""
    wanted = sum(copy.tasks.filter(is_gold=False).values_list("slots", flat=True))
    return copy.redundancy + MORE_PEOPLE + (-(-wanted // copy.per_person) if copy.per_person else 0)


def _shift(hand: Hand, copy: Campaign, log: Log, progress: Progress) -> int:
    """Let one person work on a few HITs; return how many they accepted."""
    accepted = 0
    for _ in range(3):
        frame = hand.guest.accept()
        if not frame:
            break
        accepted += 1
        progress.report(1, STEPS, f"people work on the HITs: {counted(len(log.of('submit')), 'answer')} so far")
        home = _open_frame(frame, copy)
        if hand.is_leaving:
            hand.is_leaving = False
            break
        if hand.is_returning:
            hand.is_returning = False
            hand.guest.give_back()
            break  # the next person takes it, so that both sides record the return
        _do(hand, home, copy, log)
    return accepted


def _open_frame(frame: str, copy: Campaign) -> str:
    """Open a frame as a browser without cookies does; return the person's own address for this task."""
    with closing(Browser(marketplaces.site(copy))) as browser:
        return browser.get(frame).path


def _do(hand: Hand, home: str, copy: Campaign, log: Log) -> None:
    """Go through the steps, answer the task, then hand it over. What is refused stays held."""
    type_, site = type_of(copy), marketplaces.site(copy)
    lessons = lessons_of(type_, copy.lessons)
    visit = InventedVisit(hand.person, home, site, type_, log, lambda _: None, lambda: False, copy.seed, lessons)
    with closing(visit.browser):
        page = visit.first_task()
        if page.task:
            page = visit.one_task(page, page.task) or page
        hand.guest.submit(page)
