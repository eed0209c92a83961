"""What a follow-up will ask and cost, before it is made."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from annotation.models import Campaign
from annotation.pricing import Price
from annotation.selectors.costs import planned_price, price_of_campaign
from annotation.selectors.follow_ups import earlier_stages


@dataclass(frozen=True)
class StagesPrice:
    """The price of a planned follow-up, and of all stages up to it."""

    items: int
    is_exact: bool  # False: counted on some of the answers, or expected by somebody
    price: Price
    before: Decimal  # of the stages before it
    currency: str

    @property
    def total(self) -> Decimal:
        return self.before + self.price.total


def price_of_stages(campaign: Campaign, items: int, *, redundancy: int, reward: Decimal, is_exact: bool) -> StagesPrice:
    """Return what a follow-up of this many items costs. Earlier stages in another currency are not added up."""
    price = planned_price(
        provider=campaign.provider,
        tasks=items,
        redundancy=redundancy,
        reward=reward,
        gold_every=0,
        per_person=0,
        gold=0,
    )
    stages = [own for own in [*earlier_stages(campaign), campaign] if own.currency == campaign.currency]
    before = sum((price_of_campaign(own).total for own in stages), Decimal())
    return StagesPrice(items, is_exact, price, before, campaign.currency)
