"""Blocking people on a marketplace, always with a reason. It is no rejection: what they did counts and is paid."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from annotation.models import Campaign, Participation, Worker
from annotation.providers.base import Doubtful, Market, NotSent, Refused
from annotation.services.excluding import lock_person, reason_in
from annotation.services.market import marketplaces
from annotation.services.market.calls import Done
from kernel.clock import now
from kernel.errors import WrongState
from kernel.models import User
from kernel.services import audit


@transaction.atomic(durable=True)
def block(participation_id: int, *, reason: str, by: User | None) -> Participation:
    """Keep somebody from all work of our account; the next job tells the marketplace. Repeating it has no effect."""
    reason = reason_in(reason)
    person = lock_person(participation_id)
    if not marketplaces.is_marketplace(person.campaign) or person.withdrawn_at:
        raise WrongState("Only people who came from a marketplace and have not withdrawn can be blocked there.")
    rows = Worker.objects.filter(pk=person.worker_id, blocked_at=None)
    if rows.update(blocked_at=now(), blocked_why=reason):
        audit.record("block person", person, by=by, reason=reason)
    return person


@transaction.atomic(durable=True)
def unblock(participation_id: int, *, reason: str, by: User | None) -> Participation:
    """Lift a block; the next job tells the marketplace."""
    reason = reason_in(reason)
    person = lock_person(participation_id)
    before = person.worker.blocked_why
    rows = Worker.objects.filter(pk=person.worker_id).exclude(blocked_at=None)
    if rows.update(blocked_at=None, blocked_why=""):
        audit.record("unblock person", person, by=by, reason=reason, before={"blocked": before})
    return person


def send(campaign: Campaign, market: Market, done: Done) -> None:
    """Tell the marketplace of blocks that are new or lifted. Telling it twice does no harm."""
    rows = Worker.objects.filter(participations__campaign=campaign, participations__withdrawn_at=None)
    changed = Q(blocked_at__isnull=False, block_sent_at=None) | Q(blocked_at=None, block_sent_at__isnull=False)
    for worker in rows.filter(changed).distinct():
        try:
            if worker.blocked_at:
                market.block(worker.external_id, reason=worker.blocked_why)
            else:
                market.unblock(worker.external_id)
        except (Refused, NotSent, Doubtful) as error:
            done.note(error)
        else:
            same = Worker.objects.filter(pk=worker.pk, blocked_at=worker.blocked_at)  # nobody changed it meanwhile
            same.update(block_sent_at=now() if worker.blocked_at else None)
