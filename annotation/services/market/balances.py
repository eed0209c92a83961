"""Whether an account at a marketplace holds what the ledger says.

Nobody tells us of deposits. So the balance and everything the ledger has spent or locked are added up: the sum only
changes when money came in or went out without an entry. The first comparison remembers it.
"""

from __future__ import annotations

from django.db.models import Count, F, Q

from annotation.models import USED, Campaign, LedgerEntry, LedgerState, MarketAccount, Posting, PostingState
from annotation.providers.base import Market
from annotation.selectors.wages import UNDER_WAY
from annotation.services.market import ledger, marketplaces
from kernel.clock import now
from kernel.models import User
from kernel.services import audit


def compare(campaign: Campaign, market: Market) -> str:
    """Return how the balance differs from the ledger, in a sentence; "" if it does not, or if calls are under way."""
    name = marketplaces.account_of(campaign)
    rows = Campaign.objects.filter(provider=campaign.provider)
    sharing = [row for row in rows if marketplaces.account_of(row) == name]
    if _is_moving(sharing):
        return ""
    balance = market.balance_cents()
    locked_or_spent = LedgerEntry.objects.filter(kind__in=ledger.RESERVED, state=LedgerState.DONE)
    total = balance + ledger.total_of(locked_or_spent.filter(campaign__in=sharing))
    account, is_new = MarketAccount.objects.get_or_create(name=name, defaults={"base_cents": total})
    MarketAccount.objects.filter(pk=account.pk).update(seen_cents=total, seen_at=now())
    off = 0 if is_new else total - account.base_cents
    if not off:
        return ""
    currency, more = campaign.currency, "more" if off > 0 else "less"
    hint = " Was money paid in?" if off > 0 else " Was money spent without this application?"
    return (
        f"The account has {ledger.amount(balance, currency)}: "
        f"{ledger.amount(abs(off), currency)} {more} than the ledger says.{hint}"
    )


def accept(campaign: Campaign, *, by: User | None) -> None:
    """Take the balance as it was last seen for the right one."""
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
