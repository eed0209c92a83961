"""Compares what we and a marketplace know. Everything found has evidence and one thing to do about it (`mending`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count

from annotation.models import (
    CANCELLED,
    STORED,
    USED,
    Campaign,
    CampaignStatus,
    Difference,
    LedgerEntry,
    LedgerKind,
    LedgerState,
    Placement,
    PlacementState,
    Posting,
    PostingState,
)
from annotation.providers.base import Bonus, Refused, Submission
from annotation.services import balances, ledger, marketplaces, paying
from tesa_site.kernel.clock import now

EVERY = timedelta(hours=1)  # a comparison reads every posting of the account
HAND_OVER = timedelta(minutes=10)  # from serving the hand-over until it counts as lost
NO_POSTING = "order without a HIT"
NO_ORDER = "HIT without an order"
NOT_SUBMITTED = "stored here, not submitted there"
NOT_STORED = "submitted there, not stored here"
TWO_PEOPLE = "two people on one place"
ALIVE = "open although the campaign is not"
BONUS_HERE = "bonus paid here, not there"
BONUS_THERE = "bonus paid there, not here"
BALANCE = "balance off"


def is_due(campaign: Campaign) -> bool:
    return campaign.compared_at is None or now() - campaign.compared_at >= EVERY


def reconcile(campaign: Campaign, client: Any, unknown: Iterable[tuple[Posting, Submission]]) -> int:
    """Compare both sides and replace the campaign's differences; returns how many there are."""
    listed = marketplaces.provider_of(campaign).postings(client)
    there = {posting_id: (key, is_open) for posting_id, key, is_open in listed}
    differences = [*_postings(campaign, there), *_placements(campaign), *_unknown(campaign, unknown)]
    off = balances.compare(campaign, client)
    if off:
        differences.append(Difference(campaign=campaign, kind=BALANCE, evidence=off))
    differences += _bonuses(campaign, client, is_thorough=bool(off))
    with transaction.atomic():
        Difference.objects.filter(campaign=campaign).delete()
        Difference.objects.bulk_create(differences)
        Campaign.objects.filter(pk=campaign.pk).update(compared_at=now())
    return len(differences)


def _postings(campaign: Campaign, there: dict[str, tuple[str, bool]]) -> Iterator[Difference]:
    ours = campaign.postings.exclude(external_id="").exclude(state=PostingState.REFUSED)
    for posting in ours.exclude(external_id__in=there):
        why = f"{posting.external_id} is not on the marketplace."
        yield Difference(campaign=campaign, kind=NO_POSTING, evidence=why, posting_id_there=posting.external_id)
    known = set(Posting.objects.exclude(external_id="").values_list("external_id", flat=True))
    planned = set(Posting.objects.filter(state=PostingState.PLANNED).values_list("key", flat=True))
    mine = set(ours.values_list("external_id", flat=True))
    for posting_id, (key, is_open) in there.items():
        if posting_id not in known and key not in planned and is_open:
            why = f"{posting_id} is open on the marketplace and belongs to no task here."
            yield Difference(campaign=campaign, kind=NO_ORDER, evidence=why, posting_id_there=posting_id)
        if posting_id in mine and is_open and campaign.status != CampaignStatus.RUNNING:
            why = f"{posting_id} still lets people in."
            yield Difference(campaign=campaign, kind=ALIVE, evidence=why, posting_id_there=posting_id)


def _placements(campaign: Campaign) -> Iterator[Difference]:
    rows = Placement.objects.filter(posting__campaign=campaign).select_related("participation")
    waiting = rows.filter(state__in=STORED, answered_at__lt=now() - HAND_OVER)
    lost = rows.filter(state=PlacementState.RETURNED).exclude(answered_at=None)
    for placement in [*waiting, *lost]:
        why = f"{placement.participation.name} answered, but {placement.external_id} was not submitted."
        yield Difference(campaign=campaign, kind=NOT_SUBMITTED, evidence=why, placement=placement)
    answered = rows.exclude(answered_at=None)
    shared = answered.order_by().values("external_id").annotate(n=Count("participation", distinct=True))
    for name in shared.filter(n__gt=1).values_list("external_id", flat=True):
        why = f"Several people answered under {name}; the marketplace pays one."
        unpaid = answered.filter(external_id=name).exclude(state__in=USED).first()
        yield Difference(campaign=campaign, kind=TWO_PEOPLE, evidence=why, placement=unpaid)


def _unknown(campaign: Campaign, unknown: Iterable[tuple[Posting, Submission]]) -> Iterator[Difference]:
    for posting, submission in unknown:
        paid = LedgerEntry.objects.filter(token=paying.token_there(submission.id), state=LedgerState.DONE)
        if not paid.exists():
            why = f"{submission.id} was submitted without an answer here."
            named = {"posting_id_there": posting.external_id, "submission_id_there": submission.id}
            yield Difference(campaign=campaign, kind=NOT_STORED, evidence=why, **named)


# ---- Bonuses


def _bonuses(campaign: Campaign, client: Any, *, is_thorough: bool) -> Iterator[Difference]:
    """Compare the bonuses of postings that have one here; if the balance is off, of all that anybody worked on."""
    entries = LedgerEntry.objects.filter(campaign=campaign, kind=LedgerKind.BONUS, state=LedgerState.DONE)
    tokens = set(LedgerEntry.objects.filter(campaign=campaign).values_list("token", flat=True))
    here = {entry.token: entry for entry in entries if f"{CANCELLED}{entry.pk}" not in tokens}
    postings = campaign.postings.filter(ledger__in=entries)
    if is_thorough:
        postings = postings | campaign.postings.filter(placements__state__in=USED)
    there: dict[str, tuple[str, Bonus]] = {}
    for posting_id in postings.exclude(external_id="").values_list("external_id", flat=True).distinct():
        try:
            listed = marketplaces.provider_of(campaign).bonuses(client, posting_id)
            there |= {bonus.name: (posting_id, bonus) for bonus in listed}
        except Refused:
            continue  # the posting is gone, which is listed
    for entry in (entry for name, entry in here.items() if name not in there):
        amount = ledger.amount(entry.amount_cents, campaign.currency)
        why = f"{amount} with the reference {entry.token} are not among the marketplace’s bonuses."
        yield Difference(campaign=campaign, kind=BONUS_HERE, evidence=why, entry=entry, placement=entry.placement)
    for posting_id, bonus in (pair for name, pair in there.items() if name not in tokens):
        why = f"{ledger.amount(bonus.cents, campaign.currency)} for {bonus.submission_id}: “{bonus.reason[:200]}”"
        yield Difference(
            campaign=campaign, kind=BONUS_THERE, evidence=why,
            posting_id_there=posting_id, submission_id_there=bonus.submission_id,
            bonus_there={"name": bonus.name, "cents": bonus.cents, "reason": bonus.reason[:200]},
        )  # fmt: skip
