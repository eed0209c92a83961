"""One job keeps a campaign and its marketplace in step: what came in, what is owed, what is missing, what differs."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from django.db.models import Q

from annotation.models import (
    STORED,
    Campaign,
    CampaignStatus,
    LedgerKind,
    MarketDecision,
    PlacementState,
    PostingState,
)
from annotation.providers.base import Refused
from annotation.selectors.wages import UNDER_WAY
from annotation.services.campaigns import lock_of, pause, start_job
from annotation.services.market import (
    blocking,
    bonuses,
    collecting,
    granting,
    ledger,
    marketplaces,
    mending,
    paying,
    publishing,
    reconciling,
    rejecting,
    spending,
)
from annotation.services.market.calls import Done, Report
from kernel.clock import now
from kernel.errors import Unavailable, WrongState
from kernel.models import Job, JobStatus, User
from kernel.values import counted

KIND = "follow_marketplace"
EVERY = timedelta(minutes=5)
A_MINUTE = timedelta(minutes=1)
PASSES = 10  # of one job, while people go on deciding


def follow_all(campaign: Campaign, *, report: Report, compare: bool = False) -> str:
    """Bring both sides into step, again as long as somebody decides something meanwhile; return what was done."""
    texts: list[str] = []
    for _ in range(PASSES):
        started = now()
        campaign.refresh_from_db()
        texts.append(follow(campaign, report=report, compare=compare))
        decided = campaign.market_decisions.filter(decided_at__gt=started)  # those done too: what came of them?
        if not (decided.exists() or _has_news(campaign, started)):
            break
    return " ".join(texts)


def follow(campaign: Campaign, *, report: Report, compare: bool = False) -> str:
    """Bring both sides into step; return in a sentence what was done. Repeating it does what is still missing.

    Both sides are compared if that is asked for, a difference was mended, or an hour has passed. Missed hand-overs are
    looked for every time. A pass may take long, so decisions that cannot wait are carried out between its steps.
    """
    market = marketplaces.connect(campaign)
    ledger.doubt_interrupted(campaign)
    done = Done()
    mended = mending.carry_out(campaign, market, done)
    unknown = collecting.collect(campaign, market, done, report)
    mended += mending.carry_out(campaign, market, done)
    rejecting.send(campaign, market, done)
    blocking.send(campaign, market, done)
    granting.send(campaign, market, done)
    approved = paying.approve(campaign, market, done, report)
    mended += mending.carry_out(campaign, market, done)
    paid = bonuses.send(campaign, market, done, report)
    mended += mending.carry_out(campaign, market, done)
    applied = publishing.apply_changes(campaign, market, report=report)
    mended += mending.carry_out(campaign, market, done)
    differences = 0
    try:
        if compare or mended or reconciling.is_due(campaign):
            differences = reconciling.reconcile(campaign, market, unknown)
        else:
            differences = reconciling.look_at_placements(campaign)
    except (Refused, Unavailable) as error:
        done.note(error)
    return _summary(done, applied, approved, paid, differences)


def _summary(done: Done, applied: Done, approved: int, paid: int, differences: int) -> str:
    parts = _done(done, applied, approved, paid)
    parts += [counted(differences, "difference")] if differences else []
    problem = applied.problem or done.problem
    parts += [f"first problem: {problem}"] if problem else []
    waiting = applied.waiting + done.waiting
    parts += [f"{counted(waiting, 'call')} will be retried"] if waiting else []
    return "; ".join(parts) + "."


def _done(done: Done, applied: Done, approved: int, bonuses_paid: int) -> list[str]:
    """Return what was done, leaving out what was not."""
    counts = {
        "collected": done.collected,
        "published": applied.published,
        "opened again": applied.reopened,
        "expired": applied.expired,
        "approved": approved,
    }
    parts = [f"{number:,} {what}" for what, number in counts.items() if number]
    parts += [f"{counted(bonuses_paid, 'bonus', 'bonuses')} paid"] if bonuses_paid else []
    return [", ".join(parts) or "Nothing has changed on the marketplace"]


def expire_everything(*, by: User | None, report: Report) -> str:
    """Pause every campaign on a marketplace, so that nothing offers its HITs again, and expire every posting."""
    done, paused = Done(), 0
    placed = marketplaces.campaigns()
    for pk in placed.filter(status=CampaignStatus.RUNNING).values_list("pk", flat=True):
        with suppress(WrongState):  # somebody has closed it meanwhile
            pause(pk, by=by)
            paused += 1
    for campaign in placed.filter(postings__state=PostingState.OPEN).distinct():
        publishing.expire(campaign, marketplaces.connect(campaign), done)
        report(done.expired, done.expired + done.waiting, f"{done.expired} expired")
    return f"{counted(paused, 'campaign')} paused, {counted(done.expired, 'posting')} expired" + (
        f"; first problem: {done.problem}." if done.problem else "."
    )


def start(campaign: Campaign, *, by: User | None, **parameters: str) -> Job | None:
    """Queue the job; None if another job works on the campaign, after which the scheduler starts it.

    It continues what was decided before, so that anybody may start it; it is the system's unless they may spend.
    """
    if not marketplaces.is_marketplace(campaign):
        return None
    by = by if by and by.has_perm(spending.PERMISSION) else None
    try:
        return start_job(KIND, campaign, by=by, **parameters)
    except WrongState:
        return None


def open_job(campaign: Campaign) -> Job | None:
    """Return the job that is queued or running: it does what is decided before it ends."""
    open_ = (JobStatus.QUEUED, JobStatus.RUNNING)
    return Job.objects.filter(kind=KIND, lock=lock_of(campaign), status__in=open_).first()


def start_due() -> list[Job]:
    """Queue the job for every campaign of a marketplace on which something may have happened."""
    open_ = Q(status=CampaignStatus.RUNNING) | Q(postings__state=PostingState.OPEN)
    waiting = Q(postings__placements__state__in=(*STORED, PlacementState.SUBMITTED))
    owing = Q(ledger__kind=LedgerKind.BONUS, ledger__state__in=UNDER_WAY)
    started = []
    decided = Q(market_decisions__in=MarketDecision.objects.filter(done_at=None))
    for campaign in marketplaces.campaigns().filter(open_ | waiting | owing | decided, budget_cents__gt=0).distinct():
        if _is_due(campaign) and (job := start(campaign, by=None)):
            started.append(job)
    return started


def _is_due(campaign: Campaign) -> bool:
    """Say whether the last job was started five minutes ago, or something should not wait for so long."""
    moment, jobs = now(), Job.objects.filter(kind=KIND, lock=lock_of(campaign)).order_by("-pk")
    last = jobs.values_list("created_at", flat=True).first()
    if last is None or last <= moment - EVERY or _has_news(campaign, last):
        return True
    return last <= moment - A_MINUTE and _is_running_out(campaign, moment, last)


def _has_news(campaign: Campaign, since: datetime) -> bool:
    """Say whether somebody has decided something since then that a job has to do."""
    spent = Campaign.objects.filter(pk=campaign.pk, spend_at__gt=since)
    return spent.exists() or campaign.market_decisions.filter(done_at=None, decided_at__gt=since).exists()


def _is_running_out(campaign: Campaign, moment: datetime, last: datetime) -> bool:
    """Say whether a hand-over is missed that would be seen too late to be mended, if the next job came as usual."""
    limit = timedelta(seconds=campaign.time_limit_s)
    rows = reconciling.missed(campaign).filter(answered_at__gt=last - reconciling.HAND_OVER)
    return rows.filter(opened_at__gt=moment - limit, opened_at__lt=last + 2 * EVERY - limit).exists()
