"""What a campaign's answers cost. Every page, command and program that names a price takes it from here."""

from __future__ import annotations

from decimal import Decimal

from annotation.models import Campaign, CampaignStatus
from annotation.pricing import Price, price_of
from annotation.providers import PROVIDERS
from annotation.providers.base import Marketplace
from annotation.selectors.campaigns import tasks_wanted
from annotation.selectors.progress import Standing, standings


def planned_price(
    *, provider: str, tasks: int, redundancy: int, reward: Decimal, gold_every: int, per_person: int, gold: int
) -> Price:
    """Return the price of a campaign that is not open yet; `gold` of its tasks are check tasks.

    While none is chosen, as many answers to check tasks are counted as `gold_every` asks for.
    """
    answered = tasks - gold
    return price_of(
        tasks=answered,
        answers=answered * redundancy,
        reward=reward,
        gold_every=gold_every,
        gold_tasks=gold or None,
        per_person=per_person,
        gold_places=_gold_places(provider, gold),
    )


def price_of_campaign(campaign: Campaign, standing: Standing | None = None) -> Price:
    """Return what all answers come to, check tasks included: those that are there and those still wanted.

    Without a standing, the tasks are counted now.
    """
    standing = standing or standings([campaign])[campaign.pk]
    if campaign.status != CampaignStatus.DRAFT:
        return _price_now(campaign, standing, standing.wanted)
    return planned_price(
        provider=campaign.provider,
        tasks=tasks_wanted(campaign),
        redundancy=campaign.redundancy,
        reward=campaign.reward,
        gold_every=campaign.gold_every,
        per_person=campaign.per_person,
        gold=standing.gold,
    )


def price_of_more(campaign: Campaign, standing: Standing, answers: int) -> Price:
    """Return what further answers to a campaign's tasks cost, with the check tasks that come with them."""
    now, then = (_price_now(campaign, standing, standing.wanted + more) for more in (0, answers))
    return Price(answers, then.gold - now.gold, campaign.reward)


def _price_now(campaign: Campaign, standing: Standing, answers: int) -> Price:
    return price_of(
        tasks=standing.tasks,
        answers=answers,
        reward=campaign.reward,
        gold_every=campaign.gold_every,
        gold_tasks=standing.gold,
        per_person=campaign.per_person,
        gold_places=_gold_places(campaign.provider, standing.gold),
    )


def _gold_places(name: str, gold: int) -> int | None:
    """Return how many people the check tasks are offered to on a marketplace; None elsewhere."""
    provider = PROVIDERS[name]
    return gold * provider.most_places if isinstance(provider, Marketplace) else None
