"""Workers: by their ID, who blocked them, and what they hold."""

from __future__ import annotations

from kernel.errors import NotAllowed
from marketplace import qualifying
from marketplace.errors import missing
from marketplace.models import Qualification, Worker, WorkerBlock


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
