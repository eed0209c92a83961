"""Whether an account at a marketplace holds what the ledger says.

Nobody tells us of deposits. So the balance and everything the ledger has spent or locked are added up: the sum only
changes when money came in or went out without an entry. The first comparison remembers it. A change that has another
cause, such as a bonus paid without this application, is that difference and not one of the balance too.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, F, Q

from annotation.models import USED, Campaign, LedgerEntry, LedgerState, MarketAccount, Posting, PostingState
from annotation.providers.base import Market
from annotation.selectors.wages import UNDER_WAY
from annotation.services.market import ledger, marketplaces
from kernel.clock import now
from kernel.models import User
from kernel.services import audit


@dataclass(frozen=True)
class Holdings:
    """What an account holds, and that with everything the ledger has spent or locked."""

    balance_cents: int
    total_cents: int


def sharing(campaign: Campaign) -> list[Campaign]:
    """Return the campaigns that the account of this one pays for."""
    name = marketplaces.account_of(campaign)
    rows = Campaign.objects.filter(provider=campaign.provider)
    return [row for row in rows if marketplaces.account_of(row) == name]


def holdings(campaign: Campaign, market: Market) -> Holdings | None:
    """Ask for the balance; None while it cannot be judged, because calls are under way."""
    campaigns = sharing(campaign)
    if _is_moving(campaigns):
        return None
    balance = market.balance_cents()
    locked_or_spent = LedgerEntry.objects.filter(kind__in=ledger.RESERVED, state=LedgerState.DONE)
    return Holdings(balance, balance + ledger.total_of(locked_or_spent.filter(campaign__in=campaigns)))


def is_known(campaign: Campaign) -> bool:
    """Say whether the campaign's account was compared before."""
    return MarketAccount.objects.filter(name=marketplaces.account_of(campaign)).exists()


def compare(campaign: Campaign, held: Holdings, *, explained: int) -> str:
    """Return in a sentence how the balance differs from the ledger beyond what is explained; "" if it does not.

    `explained` is what the account has more (negative: less) because of other differences. The sum is remembered as it
    will be without them, so that they may be mended before or after this one is accepted.
    """
    expected = held.total_cents - explained
    account, _ = MarketAccount.objects.get_or_create(
        name=marketplaces.account_of(campaign), defaults={"base_cents": expected}
    )
    MarketAccount.objects.filter(pk=account.pk).update(seen_cents=expected, seen_at=now())
    off = expected - account.base_cents
    if not off:
        return ""
    currency, more = campaign.currency, "more" if off > 0 else "less"
    beyond = " The other differences do not explain it." if explained else ""
    hint = " Was money paid in?" if off > 0 else " Was money spent without this application?"
    return (
        f"The account has {ledger.amount(held.balance_cents, currency)}: "
        f"{ledger.amount(abs(off), currency)} {more} than the ledger says.{beyond}{hint}"
    )


def accept(campaign: Campaign, *, by: User | None) -> None:
    """Take the balance as it was last seen for the right one, but for what other differences explained."""
    rows = MarketAccount.objects.filter(name=marketplaces.account_of(campaign)).exclude(seen_at=None)
    for account in rows.exclude(base_cents=F("seen_cents")):
        rows.filter(pk=account.pk).update(base_cents=account.seen_cents)
        audit.record("accept balance", campaign, by=by, after={"off by cents": account.seen_cents - account.base_cents})


def _is_moving(campaigns: list[Campaign]) -> bool:
    """Say whether the two sides may differ for a moment: calls under way, or expired places not yet released here."""
    if LedgerEntry.objects.filter(campaign__in=campaigns, state__in=UNDER_WAY).exists():
        return True
    lapsed = Q(state=PostingState.EXPIRED) | Q(state=PostingState.OPEN, expires_at__lte=now())
    used = Count("placements", filter=Q(placements__state__in=USED))
    rows = Posting.objects.filter(lapsed, campaign__in=campaigns).annotate(used=used)
    return rows.filter(places__gt=F("released") + F("used")).exists()
