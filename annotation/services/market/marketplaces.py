"""A campaign's marketplace: its provider, what the installation says of it, and the account there, for jobs alone."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import QuerySet

from annotation.models import Campaign
from annotation.providers import PROVIDERS
from annotation.providers.base import Market, Marketplace, Rehearses, Sandbox, Settings
from kernel.errors import WrongState


def installation(name: str) -> dict[str, Any]:
    """Return what the installation's settings say about a provider."""
    return dict(settings.TESA_PROVIDERS.get(name, {}))


def settings_of(campaign: Campaign) -> Settings:
    """Return a campaign's provider settings with those of the installation, keys left out."""
    ours = installation(campaign.provider)
    return {**campaign.provider_settings, **({"sites": ours["sites"]} if ours else {})}


def is_marketplace(campaign: Campaign) -> bool:
    return isinstance(PROVIDERS[campaign.provider], Marketplace)


def campaigns() -> QuerySet[Campaign]:
    names = [name for name in PROVIDERS if isinstance(PROVIDERS[name], Marketplace)]
    return Campaign.objects.filter(provider__in=names)


def provider_of(campaign: Campaign) -> Marketplace:
    """Return the campaign's marketplace; raise WrongState if its people come another way."""
    provider = PROVIDERS[campaign.provider]
    if not isinstance(provider, Marketplace):
        raise WrongState("The people of this campaign do not come from a marketplace.")
    return provider


def pays_after_review(campaign: Campaign) -> bool:
    """Say whether submitted work waits for a review before it is paid."""
    return is_marketplace(campaign) and not provider_of(campaign).approves_at_once(campaign.provider_settings)


def connect(campaign: Campaign) -> Market:
    """Return the installation's account at the campaign's marketplace: connect once, and hand it on."""
    return provider_of(campaign).connect(campaign.provider_settings, installation(campaign.provider))


def with_sandbox(campaign: Campaign) -> Rehearses:
    """Return the campaign's marketplace; raise WrongState if it has no sandbox."""
    provider = provider_of(campaign)
    if not isinstance(provider, Rehearses):
        raise WrongState("This marketplace has no sandbox to rehearse in.")
    return provider


def connect_to_sandbox(copy: Campaign) -> Sandbox:
    return with_sandbox(copy).sandbox(copy.provider_settings, installation(copy.provider))


def account_of(campaign: Campaign) -> str:
    """Return a name for the account that pays for a campaign's work."""
    account = provider_of(campaign).account(campaign.provider_settings, installation(campaign.provider))
    return f"{campaign.provider} {account}"[:128]


def worker_provider(campaign: Campaign) -> str:
    """Return where the ids of its workers are valid: a rehearsal's people are simulated."""
    return "simulation" if campaign.is_rehearsal else str(provider_of(campaign).worker_provider)


def site(campaign: Campaign, origin: str = "") -> str:
    """Return the address at which a job finds a page of this origin.

    Our own pages are found where the endpoint is, server to server, unless they are only there by https.
    """
    origin = origin or settings.PUBLIC_ORIGIN
    if origin != settings.PUBLIC_ORIGIN or origin.startswith("https:"):
        return origin
    endpoint = urlsplit(installation(campaign.provider)["endpoint"])
    return f"{endpoint.scheme}://{endpoint.netloc}"


def unit_cents(campaign: Campaign, places: int = 1) -> tuple[int, int]:
    """Return reward and fee of one answer."""
    reward = int(campaign.reward * 100)
    return reward, provider_of(campaign).fee(campaign.provider_settings, reward, places=places)


def bonus_fee(campaign: Campaign, cents: int) -> int:
    return provider_of(campaign).fee(campaign.provider_settings, cents)
