"""What is left of people who withdrew: their places while pay is owed to them, and marks on what they gave."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.db.models import QuerySet

from annotation.models import (
    Campaign,
    Participation,
)
from annotation.providers import DEFAULT
from annotation.pseudonyms import pseudonym
from kernel.models import User


def user_id(user: User) -> str:
    """Return the external id of an annotator with an account of ours."""
    return f"user {user.pk}"


def erased_name(slug: str, provider: str, external_id: str) -> str:
    """Return what is left of a person in a campaign they withdrew from: a keyed mark, of use only when they return."""
    return "erased " + pseudonym(f"{provider} {external_id}", scope=f"{slug}, withdrawn", key=settings.SECRET_KEY)


def author_mark(provider: str, external_id: str) -> str:
    """Return what keeps a piece from its author in later stages, even after they withdrew: a keyed mark."""
    return pseudonym(f"{provider} {external_id}", scope="authors of pieces", key=settings.SECRET_KEY)


def places_left(campaigns: Iterable[Campaign], provider: str, external_id: str) -> QuerySet[Participation]:
    """Return the places that this person left in these campaigns while pay was owed to them."""
    names = [erased_name(campaign.slug, provider, external_id) for campaign in campaigns]
    left = Participation.objects.filter(worker__provider=provider, worker__external_id__in=names)
    return left.exclude(withdrawn_at=None).select_related("campaign", "worker")


def places_left_by(user: User, campaigns: Iterable[Campaign]) -> QuerySet[Participation]:
    return places_left(campaigns, DEFAULT, user_id(user))


def place_left(campaign: Campaign, provider: str, external_id: str) -> Participation | None:
    return places_left([campaign], provider, external_id).first()
