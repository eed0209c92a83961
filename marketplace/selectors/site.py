"""Reads for the worker site."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from kernel.clock import now
from kernel.errors import NotFound
from marketplace import offers, qualifying
from marketplace.models import HIT, Assignment, Bonus, HITType, QualificationType, Requester, Worker
from marketplace.selectors.workers import check_not_blocked, holdings_of
from marketplace.states import LIVE, AssignmentState, HITStatus

ORDERS = {"newest": ("-newest_at", "-pk"), "reward": ("-reward_cents", "-pk"), "most": ("-open_hits", "-pk")}
PAGE = 20


@dataclass(frozen=True)
class Offer:
    """A group of HITs as the browse page shows it."""

    kind: HITType
    needs: list[offers.Need]
    may_preview: bool
    may_accept: bool


def open_types(worker: Worker | None, words: str, sort: str) -> QuerySet[HITType]:
    """Return the groups with open HITs that this worker may meet; visitors see what people see."""
    rows = HITType.objects.filter(open_hits__gt=0, requester__is_sandbox=bool(worker and worker.is_invented))
    if worker:
        rows = rows.exclude(requester__blocks__worker=worker)
    for word in words.split():
        matches = Q(title__icontains=word) | Q(description__icontains=word) | Q(keywords__icontains=word)
        rows = rows.filter(matches | Q(requester__name__icontains=word))
    return rows.select_related("requester").order_by(*ORDERS[sort])


def offers_of(worker: Worker | None, kinds: list[HITType]) -> list[Offer]:
    """Return the groups that may be discovered, with what each requires."""
    held = holdings_of(worker) if worker else qualifying.Holdings({qualifying.APPROVAL_RATE: 100})
    named = {str(requirement["QualificationTypeId"]) for kind in kinds for requirement in kind.requirements}
    types = QualificationType.objects.filter(type_id__in=named, deleted_at=None)
    names = dict(types.values_list("type_id", "name"))
    tested = set(types.filter(test__isnull=False).values_list("type_id", flat=True)) if names else set()
    return [
        Offer(
            kind,
            offers.needs(kind.requirements, held, names, tested),
            qualifying.may(qualifying.PREVIEW, kind.requirements, held),
            qualifying.may(qualifying.ACCEPT, kind.requirements, held),
        )
        for kind in kinds
        if qualifying.may(qualifying.DISCOVER, kind.requirements, held)
    ]


def offers_naming(worker: Worker, type_id: str, most: int = 10) -> list[Offer]:
    """Return open groups that require this qualification and that the worker may discover."""
    kinds = HITType.objects.filter(
        open_hits__gt=0, named__qualification=type_id, requester__is_sandbox=worker.is_invented
    )
    kinds = kinds.exclude(requester__blocks__worker=worker).select_related("requester").distinct()
    return offers_of(worker, list(kinds.order_by("-newest_at", "-pk")[:most]))


def group(worker: Worker, group_id: str) -> Offer:
    """Return one group, if this worker may preview it."""
    kinds = HITType.objects.filter(group_id=group_id, requester__is_sandbox=worker.is_invented)
    group_offers = offers_of(worker, list(kinds.select_related("requester")))
    for offer in group_offers:
        check_not_blocked(worker, offer.kind.requester_id)
    if not group_offers or not group_offers[0].may_preview:
        raise NotFound("There is no such group of HITs, or you lack a qualification to see it.")
    return group_offers[0]


def next_hit(worker: Worker, kind: HITType) -> HIT | None:
    """Return the oldest open HIT of the group that this worker has not worked on."""
    mine = Assignment.objects.filter(hit=OuterRef("pk"), worker=worker, state__in=LIVE)
    moment = now() + timedelta(seconds=kind.requester.clock_offset_seconds)
    rows = HIT.objects.filter(hit_type=kind, status=HITStatus.ASSIGNABLE, expires_at__gt=moment)
    return rows.filter(~Exists(mine)).order_by("pk").first()


def queue(worker: Worker) -> QuerySet[Assignment]:
    """Return what the worker holds, the next deadline first."""
    rows = Assignment.objects.filter(worker=worker, state=AssignmentState.ACCEPTED)
    return rows.select_related("hit__hit_type__requester").order_by("deadline")


def submitted(worker: Worker, state: str) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(worker=worker, state=state)
    return rows.select_related("hit__hit_type__requester").order_by("-pk")


@dataclass(frozen=True)
class Day:
    """What a worker did and earned on one day."""

    day: date
    submitted: int
    reward_cents: int
    bonus_cents: int

    @property
    def cents(self) -> int:
        return self.reward_cents + self.bonus_cents


def days(worker: Worker, most: int = 30) -> list[Day]:
    """Return the last days with work, newest first; rewards on the day of their submission, once approved."""
    since = now() - timedelta(days=most)
    counts: dict[date, list[int]] = defaultdict(lambda: [0, 0, 0])
    work = Assignment.objects.filter(worker=worker, submitted_at__gt=since, state__in=LIVE[1:])
    for moment, state, cents in work.values_list("submitted_at", "state", "reward_cents"):
        if moment:
            row = counts[timezone.localtime(moment).date()]
            row[0] += 1
            row[1] += cents if state == AssignmentState.APPROVED else 0
    for moment, cents in Bonus.objects.filter(worker=worker, at__gt=since).values_list("at", "cents"):
        counts[timezone.localtime(moment).date()][2] += cents
    return [Day(day, *counts[day]) for day in sorted(counts, reverse=True)]


def earned_cents(worker: Worker) -> tuple[int, int]:
    """Return all approved rewards and all bonuses."""
    approved = Assignment.objects.filter(worker=worker, state=AssignmentState.APPROVED)
    rewards = approved.aggregate(cents=Sum("reward_cents"))["cents"] or 0
    return rewards, Bonus.objects.filter(worker=worker).aggregate(cents=Sum("cents"))["cents"] or 0


def requester_for(worker: Worker, requester_id: int) -> Requester:
    requester = Requester.objects.filter(pk=requester_id, is_sandbox=worker.is_invented).first()
    if requester is None:
        raise NotFound("There is no such requester.")
    return requester
