"""One job keeps a campaign and its marketplace in step: what came in, what is owed, what is missing, what differs."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from django.db.models import Q

from annotation.models import STORED, Campaign, CampaignStatus, LedgerKind, Placement, PlacementState, PostingState
from annotation.providers.base import Refused
from annotation.selectors.wages import UNDER_WAY
from annotation.services import (
    blocking,
    bonuses,
    collecting,
    handing_over,
    ledger,
    marketplaces,
    paying,
    publishing,
    reconciling,
    rejecting,
)
from annotation.services.campaigns import lock_of, pause, start_job
from annotation.services.publishing import Done, Report
from tesa_site.kernel.clock import now
from tesa_site.kernel.errors import Unavailable, WrongState
from tesa_site.kernel.models import Job, User
from tesa_site.kernel.values import counted

KIND = "follow_marketplace"
EVERY = timedelta(minutes=5)


def follow(
    campaign: Campaign, *, by: User | None, report: Report, compare: bool = False, expire: str = "",
    approve: str = "", posting: str = "", hand_over: str = "",
) -> str:  # fmt: skip
    """Bring both sides into step; return in a sentence what was done. Repeating it does what is still missing.

    Both sides are compared if that is asked for or an hour has passed. `expire` is the marketplace's name of a posting
    that a person wants to be ended, `approve` that of a visit to `posting` that they want to be paid, `hand_over` our
    number of a placement whose stored answer they want to be submitted.
    """
    client = marketplaces.connect(campaign)
    ledger.doubt_interrupted(campaign)
    done = Done()
    if expire:
        try:
            marketplaces.provider_of(campaign).close(client, expire)
        except Refused as error:
            done.note(error)
    if approve and (known := campaign.postings.filter(external_id=posting).first()):
        paying.approve_unknown(campaign, client, known, approve, done, by=by)
    if hand_over:
        for placement in Placement.objects.filter(posting__campaign=campaign, pk=int(hand_over)):
            handing_over.hand_over_again(campaign, placement, done)
    unknown = collecting.collect(campaign, client, done, report)
    rejecting.send(campaign, client, done)
    blocking.send(campaign, client, done)
    approved = paying.approve(campaign, client, done, report)
    paid = bonuses.send(campaign, client, done, report)
    applied = publishing.apply_changes(campaign, client, by=by, report=report)
    differences = 0
    try:
        if compare or reconciling.is_due(campaign):
            differences = reconciling.reconcile(campaign, client, unknown)
    except (Refused, Unavailable) as error:
        done.note(error)
    parts = _done(done, applied, approved, paid)
    parts += [counted(differences, "difference")] if differences else []
    problem = applied.problem or done.problem
    parts += [f"first problem: {problem}"] if problem else []
    waiting = applied.waiting + done.waiting
    parts += [f"{counted(waiting, 'call')} will be made again"] if waiting else []
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


def expire_everything(*, report: Report) -> str:
    """Pause every campaign on a marketplace, so that nothing offers its HITs again, and expire every posting."""
    done, paused = Done(), 0
    placed = marketplaces.campaigns()
    for pk in placed.filter(status=CampaignStatus.RUNNING).values_list("pk", flat=True):
        with suppress(WrongState):  # somebody has closed it meanwhile
            pause(pk, by=None)
            paused += 1
    for campaign in placed.filter(postings__state=PostingState.OPEN).distinct():
        publishing.expire(campaign, marketplaces.connect(campaign), done)
        report(done.expired, done.expired + done.waiting, f"{done.expired} expired")
    return f"{counted(paused, 'campaign')} paused, {counted(done.expired, 'posting')} expired" + (
        f"; first problem: {done.problem}." if done.problem else "."
    )


def start(campaign: Campaign, *, by: User | None, **parameters: str) -> Job | None:
    """Queue the job; None if another job works on the campaign, after which the scheduler starts it."""
    if not marketplaces.is_marketplace(campaign):
        return None
    try:
        return start_job(KIND, campaign, by=by, **parameters)
    except WrongState:
        return None


def start_due() -> list[Job]:
    """Queue the job for every campaign of a marketplace on which something may have happened."""
    open_ = Q(status=CampaignStatus.RUNNING) | Q(postings__state=PostingState.OPEN)
    waiting = Q(postings__placements__state__in=(*STORED, PlacementState.SUBMITTED))
    owing = Q(ledger__kind=LedgerKind.BONUS, ledger__state__in=UNDER_WAY)
    started = []
    for campaign in marketplaces.campaigns().filter(open_ | waiting | owing, budget_cents__gt=0).distinct():
        lately = Job.objects.filter(kind=KIND, lock=lock_of(campaign), created_at__gt=now() - EVERY)
        if not lately.exists() and (job := start(campaign, by=None)):
            started.append(job)
    return started
