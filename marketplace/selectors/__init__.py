"""Reads for requesters: pages of lists, and what workers hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Model, Q, QuerySet

from kernel.errors import NotAllowed
from marketplace import paging, qualifying
from marketplace.errors import missing
from marketplace.models import Qualification, QualificationType, Worker, WorkerBlock

M = TypeVar("M", bound=Model)


def page_of(rows: QuerySet[M], query: Mapping[str, Any], owner: int) -> tuple[list[M], str | None]:
    """Return a page, newest first, and the token of the next: None only with an empty page, as the protocol has it."""
    bound = {name: value for name, value in query.items() if name not in ("NextToken", "MaxResults")} | {"of": owner}
    if "NextToken" in query:
        rows = rows.filter(pk__lt=paging.read_token(settings.SECRET_KEY, bound, query["NextToken"]))
    page = list(rows.order_by("-pk")[: query.get("MaxResults", paging.DEFAULT_SIZE)])
    return page, paging.next_token(settings.SECRET_KEY, bound, page[-1].pk) if page else None


def worker_named(worker_id: str, *, is_sandbox: bool) -> Worker:
    """Return the worker; sandbox accounts know invented workers only, the others know people only."""
    worker = Worker.objects.filter(worker_id=worker_id, is_invented=is_sandbox).first()
    if worker is None:
        raise missing("Worker", worker_id)
    return worker


def check_not_blocked(worker: Worker, requester_id: int) -> None:
    """Raise if the requester has blocked the worker; the reason is not shown to them."""
    if WorkerBlock.objects.filter(requester=requester_id, worker=worker).exists():
        raise NotAllowed("This requester has blocked you, so you cannot preview or accept their HITs.")


def holdings_of(worker: Worker) -> qualifying.Holdings:
    """Return what a worker holds: granted qualifications, and the system's."""
    granted = Qualification.objects.filter(worker=worker, is_granted=True, type__deleted_at=None)
    values: dict[str, int | None] = dict(granted.values_list("type__type_id", "value"))
    values[qualifying.APPROVAL_RATE] = qualifying.approval_rate(worker.submitted, worker.approved, worker.rejected)
    values[qualifying.APPROVED] = worker.approved
    values[qualifying.ADULT] = int(worker.is_adult)
    if worker.has_masters:
        values |= {qualifying.MASTERS: None, qualifying.SANDBOX_MASTERS: None}
    return qualifying.Holdings(values, worker.country, worker.subdivision)


def qualification_types_seen(requester_id: int, *, is_sandbox: bool) -> QuerySet[QualificationType]:
    """Return the types an account may see: its own, and active ones of accounts of the same kind."""
    others = Q(is_active=True, requester__is_sandbox=is_sandbox)
    return QualificationType.objects.filter(Q(requester=requester_id) | others, deleted_at=None)
