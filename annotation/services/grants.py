"""Making grants, giving them to people and taking them away, always with a reason.

Whoever loses a grant gets no more tasks of campaigns that ask for it; a task in hand can be finished.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from annotation.models import Grant, HeldGrant, Participation, Worker
from annotation.services.excluding import reason_in
from kernel.clock import now
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import Json, storable

EXPIRED = "Expired."


def make_grant(name: str, description: str = "", *, by: User | None) -> Grant:
    """Return a new grant; raises InvalidInput if its name is empty, too long or taken."""
    name = " ".join(storable(name).split())
    if not 0 < len(name) <= 100:
        raise InvalidInput("enter a name of at most 100 characters", field="name")
    try:
        with transaction.atomic():
            grant = Grant.objects.create(name=name, description=storable(description).strip(), created_by=by)
            audit.record("make grant", grant, by=by)
    except IntegrityError as error:
        raise InvalidInput("there is already a grant with this name", field="name") from error
    return grant


@transaction.atomic(durable=True)
def give(
    grant_id: int, people: Sequence[int], *, reason: str, expires_at: datetime | None = None, by: User | None
) -> int:
    """Give a grant to the people of these participations; return how many did not have it just so before."""
    reason = reason_in(reason)
    if expires_at and expires_at <= now():
        raise InvalidInput("must be in the future", field="expires_at")
    grant, number = Grant.objects.get(pk=grant_id), 0
    rows = Participation.objects.filter(pk__in=people, withdrawn_at=None).select_related("worker").order_by("pk")
    for worker in {person.worker_id: person.worker for person in rows.select_for_update(of=("self",))}.values():
        before = HeldGrant.objects.select_for_update().filter(grant=grant, worker=worker, ended_at=None).first()
        if before and before.state == "held" and before.expires_at == expires_at:
            continue
        _give(grant, worker, before, reason=reason, expires_at=expires_at, by=by)
        number += 1
    return number


def _give(
    grant: Grant, worker: Worker, before: HeldGrant | None, *, reason: str, expires_at: datetime | None, by: User | None
) -> None:
    """Give a grant, or let the one that is held end at another time; one that has expired is given anew."""
    was: Json = {"expires": _text(before.expires_at)} if before else None
    sent_at = before.sent_at if before else None  # the marketplace goes on knowing of it
    values = {"reason": reason, "given_by": by, "given_at": now(), "expires_at": expires_at, "sent_at": sent_at}
    if before and before.state == "held":
        HeldGrant.objects.filter(pk=before.pk).update(**values)
        held = before
    else:
        if before:
            _end(before, EXPIRED, by=None, sent_at=None)
        held = HeldGrant.objects.create(grant=grant, worker=worker, **values)
    audit.record("give grant", held, by=by, reason=reason, before=was, after={"expires": _text(expires_at)})


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


@transaction.atomic(durable=True)
def take(held_id: int, *, reason: str, by: User | None) -> HeldGrant:
    """Take a grant away. Nobody is given a task by it once this is stored; repeating it has no effect."""
    reason = reason_in(reason)
    worker = HeldGrant.objects.values_list("worker", flat=True).get(pk=held_id)
    people = Participation.objects.filter(worker=worker).order_by("pk")
    list(people.select_for_update(of=("self",)).values_list("pk"))  # a task is given under this lock
    held = HeldGrant.objects.select_related("grant").select_for_update(of=("self",)).get(pk=held_id)
    if held.state == "expired":
        raise WrongState("This grant has expired: there is nothing to take away.")
    if not held.ended_at:
        _end(held, reason, by=by, sent_at=held.sent_at)
        audit.record("take grant away", held, by=by, reason=reason)
    return held


def _end(held: HeldGrant, reason: str, *, by: User | None, sent_at: datetime | None) -> None:
    held.ended_at, held.ended_by, held.ended_why, held.sent_at = now(), by, reason, sent_at
    held.save(update_fields=["ended_at", "ended_by", "ended_why", "sent_at"])
