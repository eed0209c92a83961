"""What a marketplace says of placements: submitted, approved, rejected; and the money of places that nobody used."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation.models import STORED, Campaign, Placement, PlacementState, Posting, PostingState
from annotation.providers.base import Doubtful, Market, NotSent, Refused, Submission
from annotation.services.market import ledger, marketplaces, paying, placing
from annotation.services.market.calls import Done, Report
from kernel.clock import now

OPEN_STATES = (*STORED, PlacementState.OPENED, PlacementState.SUBMITTED)


def collect(campaign: Campaign, market: Market, done: Done, report: Report) -> list[tuple[Posting, Submission]]:
    """Learn what became of placements; return what was submitted there and is not known here."""
    abandon(campaign)
    rows = list(unsettled(campaign))
    unknown: list[tuple[Posting, Submission]] = []
    for number, posting in enumerate(rows, 1):
        try:
            unknown += [(posting, submission) for submission in settle(campaign, posting, market, done)]
        except (Refused, NotSent, Doubtful) as error:
            done.note(error)
            done.waiting += 1
        report(number, len(rows), "asking the marketplace")
    return unknown


def abandon(campaign: Campaign) -> int:
    """End placements whose time ran out before an answer."""
    late = now() - timedelta(seconds=campaign.time_limit_s)
    rows = Placement.objects.filter(posting__campaign=campaign, state=PlacementState.OPENED, opened_at__lt=late)
    return sum(placing.end(placement, PlacementState.ABANDONED) for placement in rows)


def unsettled(campaign: Campaign) -> QuerySet[Posting]:
    """Return the postings of which something new may be learned."""
    at_work = Placement.objects.filter(posting=OuterRef("pk"), state__in=OPEN_STATES)
    lapsed = Q(state=PostingState.EXPIRED) | Q(state=PostingState.OPEN, expires_at__lte=now())
    rows = campaign.postings.exclude(external_id="")
    return rows.filter(Q(Exists(at_work)) | lapsed & Q(released__lt=F("places"))).order_by("pk")


def settle(campaign: Campaign, posting: Posting, market: Market, done: Done) -> list[Submission]:
    """Store what the marketplace says of one posting; return the submissions that are not known here."""
    submissions = list(market.collect(posting.external_id))
    unknown = [submission for submission in submissions if not store(campaign, posting, submission, done)]
    if posting.state == PostingState.EXPIRED or (posting.expires_at and posting.expires_at <= now()):
        listing = market.listing(posting.external_id)
        if not listing.is_open and not listing.pending:
            release_places(campaign, posting, listing.available)
            if len(submissions) == listing.places - listing.available:  # everything is visible
                forget_unsubmitted(posting, {submission.id for submission in submissions})
    return unknown


@transaction.atomic
def store(campaign: Campaign, posting: Posting, submission: Submission, done: Done) -> bool:
    """Store what became of one placement; False if there is none for it."""
    mine = Q(participation__worker__external_id=submission.external_id) | ~Q(participation__withdrawn_at=None)
    rows = Placement.objects.filter(mine, posting=posting, external_id=submission.id).select_related("participation")
    placement = rows.order_by("-nth").first()
    if placement is None:
        return False
    state = PlacementState(submission.state)
    if placement.state == state:
        return True
    done.collected += 1
    for other in Placement.objects.filter(external_id=submission.id).exclude(pk=placement.pk):
        placing.end(other, PlacementState.RETURNED)
    placement.state, placement.submitted_at = state, submission.submitted_at
    placement.approve_by, placement.feedback = submission.approve_by, submission.feedback
    placement.save(update_fields=["state", "submitted_at", "approve_by", "feedback"])
    if state == PlacementState.APPROVED:
        paying.record_reward(campaign, placement, by=None, note="approved by the marketplace")
    if state == PlacementState.REJECTED:
        paying.record_rejection(campaign, placement)
    return True


def release_places(campaign: Campaign, posting: Posting, unused: int) -> None:
    """Free the money of places that nobody took before the posting expired."""
    further = unused - posting.released
    if further <= 0:
        return
    reward, fee = marketplaces.unit_cents(campaign, posting.places)
    with transaction.atomic():
        rows = Posting.objects.filter(pk=posting.pk, released=posting.released)
        if rows.update(released=unused):
            details: dict[str, Any] = {"token": f"release-{posting.key}-{posting.ledger.count()}", "posting": posting}
            ledger.release(campaign, reward * further, fee * further, reason="expired unused", **details)


def forget_unsubmitted(posting: Posting, submitted: Iterable[str]) -> None:
    """End placements that were answered here and that the marketplace will never have."""
    rows = Placement.objects.filter(posting=posting, state__in=STORED).exclude(external_id__in=submitted)
    for placement in rows:
        placing.end(placement, PlacementState.RETURNED)
