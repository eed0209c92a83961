"""Money on a marketplace. It is reserved, and the decision stored, before a call; the outcome is stored after it.

The budget is held by one conditional UPDATE: however many processes spend, the reserved sum never exceeds it.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum

from annotation.models import CANCELLED, Campaign, LedgerEntry, LedgerEvent, LedgerKind, LedgerState, Placement, Posting
from annotation.providers.base import Doubtful
from annotation.selectors.wages import UNDER_WAY
from annotation.services.market import spending
from kernel.clock import now
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit

RESERVED = (LedgerKind.POSTING, LedgerKind.BONUS, LedgerKind.RELEASE)  # rewards are a part of their posting
TOKEN_LIFE = timedelta(hours=23)  # platforms forget a token after a day


class OverBudget(WrongState):
    """The campaign's budget does not allow it."""

    def __init__(self, campaign: Campaign, cents: int) -> None:
        left = amount(campaign.budget_cents - campaign.reserved_cents, campaign.currency)
        needed = amount(cents, campaign.currency)
        super().__init__(f"{needed} are needed with fees and {left} are left of the budget: raise it first.")


def dollars(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"


def amount(cents: int, currency: str) -> str:
    """Return an amount as pages write it: $0.25, or EUR 0.25."""
    return f"{'$' if currency == 'USD' else f'{currency} '}{dollars(cents)}"


@transaction.atomic(durable=True)
def set_budget(campaign_id: int, cents: int, *, by: User | None) -> Campaign:
    """Set what the campaign may cost at most; refused below what is spent or promised. It lets jobs publish."""
    if not 0 <= cents <= 10**11:
        raise InvalidInput("must be between 0 and 1,000,000,000", field="budget")
    campaign = Campaign.objects.get(pk=campaign_id)
    before, decided = campaign.budget_cents, spending.decision(campaign, by)
    rows = Campaign.objects.filter(pk=campaign_id, reserved_cents__lte=cents)
    if not rows.update(budget_cents=cents, **decided):
        raise InvalidInput("is less than what is already spent or promised", field="budget")
    campaign.refresh_from_db()
    if before != cents:
        audit.record("set budget", campaign, by=by, before={"cents": before}, after={"cents": cents})
    return campaign


@transaction.atomic
def plan(
    campaign: Campaign, kind: LedgerKind, cents: int, fee_cents: int, *, token: str, by: User | None,
    reason: str = "", posting: Posting | None = None, placement: Placement | None = None,
) -> LedgerEntry:  # fmt: skip
    """Reserve the money and add the entry. Raises OverBudget; the same token returns the entry that is there.

    Without `by`, it continues what somebody decided before, and names them.
    """
    if existing := LedgerEntry.objects.filter(token=token).first():
        return existing
    if kind in RESERVED:
        reserve(campaign, cents + fee_cents)
    entry = LedgerEntry.objects.create(
        campaign=campaign, kind=kind, amount_cents=cents, fee_cents=fee_cents, currency=campaign.currency,
        reason=reason, token=token, posting=posting, placement=placement,
        decided_by_id=by.pk if by else _decided_before(campaign, posting),
    )  # fmt: skip
    LedgerEvent.objects.create(entry=entry, state=LedgerState.PLANNED)
    return entry


def _decided_before(campaign: Campaign, posting: Posting | None) -> int | None:
    """Return who last promised the price of this posting, or else who last decided to spend on the campaign."""
    promised = LedgerEntry.objects.filter(posting=posting, kind=LedgerKind.POSTING).exclude(decided_by=None)
    by = promised.order_by("-pk").values_list("decided_by", flat=True).first() if posting else None
    return by or Campaign.objects.values_list("spend_by", flat=True).get(pk=campaign.pk)


def reserve(campaign: Campaign, cents: int) -> None:
    """Count money as promised; raise OverBudget if less than that is left. Negative amounts are free again."""
    rows = Campaign.objects.filter(pk=campaign.pk)
    if cents > 0:
        rows = rows.filter(reserved_cents__lte=F("budget_cents") - cents)
    if not rows.update(reserved_cents=F("reserved_cents") + cents):
        campaign.refresh_from_db(fields=["budget_cents", "reserved_cents"])
        raise OverBudget(campaign, cents)


@transaction.atomic
def _move(entry: LedgerEntry, states: tuple[str, ...], state: LedgerState, note: str = "") -> bool:
    if not LedgerEntry.objects.filter(pk=entry.pk, state__in=states).update(state=state):
        return False
    entry.state = state
    LedgerEvent.objects.create(entry=entry, state=state, note=note[:500])
    return True


def begin(entry: LedgerEntry) -> bool:
    """Record that the call is about to be made; False if somebody else has begun or finished it."""
    return _move(entry, (LedgerState.PLANNED, LedgerState.DOUBTFUL), LedgerState.SENDING)


def finish(entry: LedgerEntry, note: str = "") -> bool:
    return _move(entry, UNDER_WAY, LedgerState.DONE, note)


def postpone(entry: LedgerEntry, error: Exception) -> bool:
    """Record that the call was certainly not carried out and can be sent again, or that nobody knows (Doubtful)."""
    state = LedgerState.DOUBTFUL if isinstance(error, Doubtful) else LedgerState.PLANNED
    return _move(entry, (LedgerState.SENDING,), state, str(error))


@transaction.atomic
def refuse(entry: LedgerEntry, note: str) -> bool:
    """Record that the platform refused the call, and free the money."""
    if not _move(entry, UNDER_WAY, LedgerState.REFUSED, note):
        return False
    if entry.kind in RESERVED:
        reserve(entry.campaign, -entry.total_cents)
    return True


@transaction.atomic
def release(
    campaign: Campaign, cents: int, fee_cents: int, *, token: str, reason: str, posting: Posting, by: User | None = None
) -> bool:
    """Free money that was promised and will not be spent; False if it was freed before, with the same token."""
    kind = LedgerKind.RELEASE
    return finish(plan(campaign, kind, -cents, -fee_cents, token=token, reason=reason, posting=posting, by=by))


def doubt_interrupted(campaign: Campaign) -> int:
    """Mark calls whose process died as doubtful. The caller holds the campaign's lock, so that nobody is calling."""
    rows = LedgerEntry.objects.filter(campaign=campaign, state=LedgerState.SENDING)
    return sum(postpone(entry, Doubtful("The process ended during the call.")) for entry in rows)


def token_is_alive(entry: LedgerEntry) -> bool:
    """Say whether the platform still knows the token, so that sending the call again is the way to ask."""
    first = entry.events.filter(state=LedgerState.SENDING).values_list("at", flat=True).first()
    return first is None or now() - first < TOKEN_LIFE


def spent_cents(campaign: Campaign) -> int:
    """Return what people and the marketplace have really got: rewards and bonuses with their fees."""
    done = LedgerEntry.objects.filter(campaign=campaign, state=LedgerState.DONE)
    taken_back = Q(kind=LedgerKind.RELEASE, token__startswith=CANCELLED)  # bonuses that nobody got
    return total_of(done.filter(Q(kind__in=(LedgerKind.REWARD, LedgerKind.BONUS)) | taken_back))


def total_of(entries: QuerySet[LedgerEntry]) -> int:
    """Return the sum of these entries with their fees, in cents."""
    return int(entries.aggregate(total=Sum(F("amount_cents") + F("fee_cents")))["total"] or 0)
