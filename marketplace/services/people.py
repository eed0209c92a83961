"""Blocks and messages between requesters and workers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from kernel.clock import now as real_now
from kernel.errors import NotFound
from marketplace import ids
from marketplace.models import HIT, Assignment, Message, Report, Requester, Worker, WorkerBlock
from marketplace.selectors.workers import worker_named
from marketplace.states import SEEN


@transaction.atomic(durable=True)
def block(requester: Requester, worker_id: str, reason: str, now: datetime) -> None:
    """Keep a worker from the requester's HITs; repeating it replaces the reason."""
    worker = worker_named(worker_id, is_sandbox=requester.is_sandbox)
    values = {"reason": reason, "at": now}
    WorkerBlock.objects.update_or_create(requester=requester, worker=worker, defaults=values)


def unblock(requester: Requester, worker_id: str) -> None:
    """Lift a block; a worker without one is left alone."""
    worker = worker_named(worker_id, is_sandbox=requester.is_sandbox)
    WorkerBlock.objects.filter(requester=requester, worker=worker).delete()


def write_to(requester: Requester, worker: Worker, subject: str, text: str, now: datetime) -> None:
    Message.objects.create(requester=requester, worker=worker, subject=subject[:200], text=text, at=now)


@transaction.atomic(durable=True)
def notify(requester: Requester, worker_ids: Sequence[str], subject: str, text: str, now: datetime) -> dict[str, str]:
    """Write to workers who worked for this requester; return why others were left out, by worker id."""
    workers = {worker.worker_id: worker for worker in Worker.objects.filter(worker_id__in=worker_ids)}
    theirs = Assignment.objects.filter(requester=requester, worker__in=workers.values(), state__in=SEEN)
    worked = set(theirs.values_list("worker_id", flat=True))
    failures: dict[str, str] = {}
    for worker_id in dict.fromkeys(worker_ids):
        worker = workers.get(worker_id)
        if worker is None or worker.is_invented != requester.is_sandbox:
            failures[worker_id] = f"Worker {worker_id} does not exist."
        elif worker.pk not in worked:
            failures[worker_id] = f"Worker {worker_id} has not worked for you."
        else:
            write_to(requester, worker, subject, text, now)
    return failures


def contact(worker: Worker, requester_id: int, subject: str, text: str, about: str = "") -> None:
    """Send a worker's message to a requester."""
    if not Requester.objects.filter(pk=requester_id, is_sandbox=worker.is_invented).exists():
        raise NotFound("There is no such requester.")
    Message.objects.create(
        requester_id=requester_id, worker=worker, is_from_worker=True, subject=subject, text=text, about=about
    )


def report(worker: Worker, hit_id: str, reason: str, text: str) -> None:
    """Report a HIT to the people who run this marketplace; repeating it replaces the text."""
    hit = HIT.objects.filter(hit_id=hit_id, requester__is_sandbox=worker.is_invented).first()
    if hit is None:
        raise NotFound("There is no such HIT.")
    values = {"reason": reason, "text": text, "at": real_now(), "settled_at": None}
    Report.objects.update_or_create(hit=hit, worker=worker, defaults=values)


def settle_report(report_id: int) -> None:
    """Take a report off the list of open ones; repeating it has no effect."""
    if not Report.objects.filter(pk=report_id).exists():
        raise NotFound
    Report.objects.filter(pk=report_id, settled_at=None).update(settled_at=real_now())


def invent_workers(count: int) -> list[Worker]:
    """Return new simulated workers, played by software; they meet only sandbox accounts."""
    return Worker.objects.bulk_create(Worker(is_invented=True, worker_id=ids.worker_id()) for _ in range(count))
