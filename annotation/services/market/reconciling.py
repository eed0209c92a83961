"""Compares what we and a marketplace know. Everything found has evidence and what can be done about it (`mending`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

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
    MarketAction,
    MarketDecision,
    Placement,
    PlacementState,
    Posting,
    PostingState,
)
from annotation.providers.base import Bonus, Market, PostingThere, Refused, Submission
from annotation.selectors.payments import HALF_A_CENT
from annotation.services.market import balances, ledger, marketplaces, paying
from kernel.clock import now
from kernel.models import User

EVERY = timedelta(hours=1)  # a comparison reads every posting of the account
HAND_OVER = timedelta(minutes=2)  # from an answer until its hand-over is missed: a browser needs seconds
NO_POSTING = "order without a HIT"
NO_ORDER = "HIT without an order"
NOT_SUBMITTED = "stored here, not submitted there"
NOT_STORED = "submitted there, not stored here"
TWO_PEOPLE = "two people on one place"
ALIVE = "open although the campaign is not"
BONUS_HERE = "bonus paid here, not there"
BONUS_THERE = "bonus paid there, not here"
BALANCE = "balance off"
SETTLING = (MarketAction.PAY, MarketAction.LEAVE)
BY_PLACEMENT = (NOT_SUBMITTED, TWO_PEOPLE)  # known here, without asking the marketplace


def is_due(campaign: Campaign) -> bool:
    return campaign.compared_at is None or now() - campaign.compared_at >= EVERY


def reconcile(campaign: Campaign, market: Market, unknown: Iterable[tuple[Posting, Submission]]) -> int:
    """Compare both sides and replace the campaign's differences; returns how many there are."""
    there = {posting.id: posting for posting in market.postings()}
    strange = _strange(there)
    differences = [*_postings(campaign, there, strange), *_placements(campaign), *_unknown(campaign, unknown)]
    differences += _money(campaign, market, differences, strange)
    with transaction.atomic():
        _replace(Difference.objects.filter(campaign=campaign), differences)
        Campaign.objects.filter(pk=campaign.pk).update(compared_at=now())
    return len(differences)


@transaction.atomic
def look_at_placements(campaign: Campaign) -> int:
    """Do the part of a comparison that needs no call, so that a missed hand-over is seen while it can be mended."""
    rows = Difference.objects.filter(campaign=campaign, kind__in=BY_PLACEMENT)
    _replace(rows, list(_placements(campaign)))
    return rows.count()


def _replace(before: QuerySet[Difference], now_found: list[Difference]) -> None:
    """Store what is found now. What was found before keeps its row, so that a button on an open page still works."""
    known = {_identity(row): row for row in before}
    for difference in now_found:
        if row := known.pop(_identity(difference), None):
            before.filter(pk=row.pk).update(evidence=difference.evidence)
        else:
            difference.save()
    before.filter(pk__in=[row.pk for row in known.values()]).delete()


def _identity(row: Difference) -> tuple[Any, ...]:
    named = (row.posting_id_there, row.submission_id_there, row.bonus_there.get("name"))
    return (row.kind, *named, row.entry_id, row.placement_id)


def _strange(there: Mapping[str, PostingThere]) -> list[PostingThere]:
    """Return the postings of the account that belong to no task here."""
    known = set(Posting.objects.exclude(external_id="").values_list("external_id", flat=True))
    planned = set(Posting.objects.filter(state=PostingState.PLANNED).values_list("key", flat=True))
    return [posting for posting in there.values() if posting.id not in known and posting.key not in planned]


def _postings(
    campaign: Campaign, there: Mapping[str, PostingThere], strange: Iterable[PostingThere]
) -> Iterator[Difference]:
    ours = campaign.postings.exclude(external_id="").exclude(state=PostingState.REFUSED)
    for posting in ours.exclude(external_id__in=there):
        why = f"{posting.external_id} is not on the marketplace."
        yield Difference(campaign=campaign, kind=NO_POSTING, evidence=why, posting_id_there=posting.external_id)
    for open_there in (posting for posting in strange if posting.is_open):
        why = f"{open_there.id} is open on the marketplace and belongs to no task here."
        yield Difference(campaign=campaign, kind=NO_ORDER, evidence=why, posting_id_there=open_there.id)
    mine = [] if campaign.status == CampaignStatus.RUNNING else ours.values_list("external_id", flat=True)
    for posting_id in (name for name in mine if name in there and there[name].is_open):
        why = f"{posting_id} can still be accepted."
        yield Difference(campaign=campaign, kind=ALIVE, evidence=why, posting_id_there=posting_id)


def _placements(campaign: Campaign) -> Iterator[Difference]:
    for placement in missed(campaign).select_related("participation"):
        why = f"{placement.participation.name} answered, but {placement.external_id} was not submitted."
        yield Difference(campaign=campaign, kind=NOT_SUBMITTED, evidence=why, placement=placement)
    same = Placement.objects.filter(external_id=OuterRef("external_id")).exclude(answered_at=None)
    is_shared = Exists(same.exclude(participation=OuterRef("participation")))
    for placement in unpaid(campaign).annotate(is_shared=is_shared).select_related("participation"):
        name, there = placement.participation.name, placement.external_id
        if placement.is_shared:
            kind, why = TWO_PEOPLE, f"{name} and somebody else answered under {there}; the marketplace pays one."
        else:
            kind, why = NOT_SUBMITTED, f"{name} answered, but {there} was not submitted, and can no longer be."
        yield Difference(campaign=campaign, kind=kind, evidence=why, placement=placement)


def missed(campaign: Campaign) -> QuerySet[Placement]:
    """Return answers that should have been handed over by now, and may still be."""
    return Placement.objects.filter(posting__campaign=campaign, state__in=STORED, answered_at__lte=now() - HAND_OVER)


def unpaid(campaign: Campaign) -> QuerySet[Placement]:
    """Return answers that the marketplace will never have, as long as their author is owed something.

    Nobody has decided yet to pay them another way, or to leave it.
    """
    settled = MarketDecision.objects.filter(placement=OuterRef("pk"), action__in=SETTLING, outcome="")
    rows = Placement.objects.filter(posting__campaign=campaign, state=PlacementState.RETURNED).exclude(answered_at=None)
    rows = rows.exclude(assignment__placements__state__in=USED)  # accepted again, and paid under another name
    owed = F("participation__earned") - HALF_A_CENT
    return rows.filter(participation__paid__lt=owed).exclude(Exists(settled.exclude(entry__state=LedgerState.REFUSED)))


def _unknown(campaign: Campaign, unknown: Iterable[tuple[Posting, Submission]]) -> Iterator[Difference]:
    for posting, submission in unknown:
        paid = LedgerEntry.objects.filter(token=paying.token_there(submission.id), state=LedgerState.DONE)
        if not paid.exists():
            why = f"{submission.id} was submitted without an answer here."
            named = {"posting_id_there": posting.external_id, "submission_id_there": submission.id}
            yield Difference(campaign=campaign, kind=NOT_STORED, evidence=why, **named)


# ---- Money


def _money(
    campaign: Campaign, market: Market, differences: list[Difference], strange: list[PostingThere]
) -> list[Difference]:
    """Compare bonuses and then the balance, of which only what no other difference explains is listed."""
    held = balances.holdings(campaign, market)
    paid = list(_bonuses(campaign, market, is_thorough=held is not None and not balances.is_known(campaign)))
    if held is None:
        return paid
    off = balances.compare(campaign, held, explained=_explained(campaign, [*differences, *paid], strange))
    if off:
        paid = list(_bonuses(campaign, market, is_thorough=True))
        off = balances.compare(campaign, held, explained=_explained(campaign, [*differences, *paid], strange))
    return [*paid, *([Difference(campaign=campaign, kind=BALANCE, evidence=off)] if off else [])]


def take_as_right(campaign: Campaign, market: Market, *, by: User | None) -> None:
    """Accept what the account has now, but for what other listed differences explain."""
    if held := balances.holdings(campaign, market):
        strange = _strange({posting.id: posting for posting in market.postings()})
        balances.compare(campaign, held, explained=_explained(campaign, [], strange))
    balances.accept(campaign, by=by)


def _explained(campaign: Campaign, differences: list[Difference], strange: Iterable[PostingThere]) -> int:
    """Return how many cents the account has more (negative: less) because of what is listed beside its balance.

    Other campaigns may share the account. What nobody has submitted of a HIT without an order comes back.
    """
    others = [row for row in balances.sharing(campaign) if row.pk != campaign.pk]
    listed = Difference.objects.filter(campaign__in=others).select_related("campaign", "entry")
    locked = 0
    for posting in strange:
        fee = marketplaces.provider_of(campaign).fee(
            campaign.provider_settings, posting.reward_cents, places=posting.places
        )
        locked += posting.unused * (posting.reward_cents + fee)
    return sum(_cents(difference) for difference in [*differences, *listed]) - locked


def _cents(difference: Difference) -> int:
    """Return by how many cents mending this difference lowers what the ledger has spent or locked."""
    campaign = difference.campaign
    if difference.kind == BONUS_HERE and difference.entry:
        return difference.entry.total_cents
    if difference.kind == BONUS_THERE:
        cents = int(difference.bonus_there["cents"])
        return -(cents + marketplaces.bonus_fee(campaign, cents))
    if difference.kind == NO_POSTING:
        gone = campaign.postings.filter(external_id=difference.posting_id_there)
        return sum(places_to_free(posting) * sum(marketplaces.unit_cents(campaign, posting.places)) for posting in gone)
    return 0


def places_to_free(posting: Posting) -> int:
    """Return for how many places of a posting that is gone nobody will be paid: nothing was submitted for them."""
    submitted = posting.placements.filter(state__in=USED).exclude(state__in=STORED)
    return max(0, posting.places - posting.released - submitted.count())


def _bonuses(campaign: Campaign, market: Market, *, is_thorough: bool) -> Iterator[Difference]:
    """Compare the bonuses of postings that have one here or had a difference; or of all that anybody worked on."""
    entries = LedgerEntry.objects.filter(campaign=campaign, kind=LedgerKind.BONUS, state=LedgerState.DONE)
    tokens = set(LedgerEntry.objects.filter(campaign=campaign).values_list("token", flat=True))
    here = {entry.token: entry for entry in entries if f"{CANCELLED}{entry.pk}" not in tokens}
    listed = campaign.differences.filter(kind=BONUS_THERE).values_list("posting_id_there", flat=True)
    postings = campaign.postings.filter(Q(ledger__in=entries) | Q(external_id__in=listed))
    if is_thorough:
        postings = postings | campaign.postings.filter(placements__state__in=USED)
    there: dict[str, tuple[str, Bonus]] = {}
    gone: set[int] = set()
    for posting in postings.exclude(external_id="").distinct():
        try:
            there |= {bonus.name: (posting.external_id, bonus) for bonus in market.bonuses(posting.external_id)}
        except Refused:
            gone.add(posting.pk)  # which is listed; nobody knows of its bonuses
    for entry in (entry for name, entry in here.items() if name not in there and entry.posting_id not in gone):
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
