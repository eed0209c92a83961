"""Grants: who holds which, and whether somebody holds what a campaign asks for."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Campaign, Grant, HeldGrant, Participation, Worker, is_held
from annotation.qualifications import qualifications


def grants() -> QuerySet[Grant]:
    """Return all grants by name, with how many people `holders` hold each now."""
    held = Q(held__in=HeldGrant.objects.filter(is_held()).order_by().values("pk"))
    rows = Grant.objects.annotate(holders=Count("held", filter=held))
    return rows.select_related("created_by").order_by("name")


def held_by(worker_id: int) -> frozenset[int]:
    """Return the ids of the grants that somebody holds now."""
    rows = HeldGrant.objects.filter(is_held(), worker=worker_id).order_by()
    return frozenset(rows.values_list("grant", flat=True))


def holds_what_is_asked(campaign: Campaign, worker_id: int) -> bool:
    """Tell whether somebody holds every grant that a campaign asks for; without such a requirement nothing is read."""
    asked = qualifications(campaign.qualifications).grant
    return not asked or held_by(worker_id).issuperset(asked)


def workers_with(asked: Iterable[int]) -> Q:
    """Return the condition "this worker holds all these grants now", for a query of workers."""
    every = Q()
    for grant in asked:
        every &= Q(Exists(HeldGrant.objects.filter(is_held(), worker=OuterRef("pk"), grant=grant)))
    return every


def people_of(grant: Grant) -> QuerySet[HeldGrant]:
    """Return everybody who was ever given a grant, the latest first."""
    rows = HeldGrant.objects.filter(grant=grant).select_related("worker", "given_by", "ended_by", "grant")
    return rows.order_by("-id")


def participation_of(held: HeldGrant) -> Participation | None:
    """Return where the person who holds a grant was met last, for the link to their page."""
    rows = Participation.objects.filter(worker=held.worker_id, withdrawn_at=None).select_related("campaign")
    return rows.order_by("-pk").first()


def grants_of(worker: Worker) -> QuerySet[HeldGrant]:
    return HeldGrant.objects.filter(worker=worker).select_related("grant", "given_by").order_by("-id")
