"""Rejecting work on a marketplace: one person asks with a reason, another confirms. No rule ever proposes it."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction

from annotation.models import Campaign, Placement, PlacementState, Rejection
from annotation.providers.base import Market
from annotation.services.excluding import reason_in
from annotation.services.market import paying, spending
from annotation.services.market.calls import Done, sent
from kernel.clock import now
from kernel.errors import NotAllowed, WrongState
from kernel.models import User
from kernel.services import audit

OVERTURN_DAYS = 30


@transaction.atomic(durable=True)
def ask(placement_id: int, *, reason: str, by: User) -> None:
    """Propose not to pay a submitted placement; somebody else has to confirm it."""
    reason = reason_in(reason)
    placement = _placement(placement_id, by)
    if placement.state != PlacementState.SUBMITTED:
        raise WrongState("Only submitted work that is not yet approved can be rejected.")
    _, is_new = Rejection.objects.get_or_create(placement=placement, defaults={"reason": reason, "asked_by": by})
    if is_new:
        audit.record("ask for a rejection", placement.participation, by=by, reason=reason)


def _placement(placement_id: int, by: User) -> Placement:
    """Return a placement, locked until the transaction ends; raise NotAllowed if this person may not reject work."""
    rows = Placement.objects.select_related("posting__campaign").select_for_update(of=("self",))
    placement = rows.get(pk=placement_id)
    spending.check(placement.posting.campaign, by)
    return placement


def _rejection(placement_id: int) -> Rejection:
    """Return what was asked for, locked until the transaction ends."""
    if rejection := Rejection.objects.select_for_update().filter(placement=placement_id).first():
        return rejection
    raise WrongState("The request to reject this work was dropped.")


@transaction.atomic(durable=True)
def confirm(placement_id: int, *, by: User) -> None:
    """Agree to a rejection that somebody else asked for."""
    _placement(placement_id, by)
    rejection = _rejection(placement_id)
    if rejection.asked_by_id == by.pk:
        raise NotAllowed("You asked for this rejection: somebody else has to confirm it.")
    if rejection.confirmed_at is None:
        rejection.confirmed_by, rejection.confirmed_at = by, now()
        rejection.save(update_fields=["confirmed_by", "confirmed_at"])
        audit.record("confirm a rejection", rejection.placement.participation, by=by, reason=rejection.reason)


@transaction.atomic(durable=True)
def drop(placement_id: int, *, by: User) -> None:
    """Take back a rejection that nobody has confirmed; the work is approved as usual."""
    _placement(placement_id, by)
    rejection = Rejection.objects.select_for_update().filter(placement=placement_id).first()
    if rejection is None:
        return
    if rejection.confirmed_at:
        raise WrongState("This rejection is confirmed: overturn it instead.")
    audit.record("drop a rejection", rejection.placement.participation, by=by, reason=rejection.reason)
    rejection.delete()


@transaction.atomic(durable=True)
def overturn(placement_id: int, *, reason: str, by: User) -> None:
    """Pay rejected work after all, up to 30 days after it was submitted. Raises OverBudget."""
    reason = reason_in(reason)
    placement = _placement(placement_id, by)
    rejection = _rejection(placement_id)
    if placement.state != PlacementState.REJECTED:
        raise WrongState("This work is not rejected.")
    if placement.submitted_at and now() - placement.submitted_at > timedelta(days=OVERTURN_DAYS):
        raise WrongState(f"It was submitted more than {OVERTURN_DAYS} days ago: the marketplace allows no change.")
    if rejection.overturned_at is None:
        paying.reserve_overturned(placement.posting.campaign, placement, by=by)
        rejection.overturned_by, rejection.overturned_at, rejection.overturned_why = by, now(), reason
        rejection.save(update_fields=["overturned_by", "overturned_at", "overturned_why"])
        audit.record("overturn a rejection", placement.participation, by=by, reason=reason)


def send(campaign: Campaign, market: Market, done: Done) -> None:
    """Tell the marketplace what was decided. Telling it twice does no harm."""
    rows = Rejection.objects.filter(placement__posting__campaign=campaign).select_related("placement__posting")
    for rejection in rows.filter(placement__state=PlacementState.SUBMITTED).exclude(confirmed_at=None):
        if sent(done, market.reject, rejection.placement.external_id, reason=rejection.reason):
            paying.record_rejection(campaign, rejection.placement, by=rejection.confirmed_by)
    for rejection in rows.filter(placement__state=PlacementState.REJECTED).exclude(overturned_at=None):
        if sent(done, market.overturn, rejection.placement.external_id, reason=rejection.overturned_why):
            paying.record_reward(campaign, rejection.placement, by=rejection.overturned_by, note="rejection overturned")
