"""HIT types and HITs, as requesters make and change them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from marketplace import fees, qualifying, questions
from marketplace.errors import missing, parameter, request_error, wrong_state
from marketplace.models import HIT, HITType, HITTypeRequirement, QualificationType, Requester
from marketplace.services import changing, request_tokens
from marketplace.states import HITStatus

DEFAULT_AUTO_APPROVAL = 30 * 24 * 3600
YEAR = timedelta(days=365)


@transaction.atomic
def create_hit_type(requester: Requester, values: Mapping[str, Any]) -> HITType:
    """Return the HIT type with these values; the same values always give the same one."""
    requirements = values.get("QualificationRequirements") or []
    qualifying.check_requirements(requirements)
    named = {requirement["QualificationTypeId"] for requirement in requirements}
    own = named - set(qualifying.SYSTEM)
    known = QualificationType.objects.filter(type_id__in=own, deleted_at=None).values_list("type_id", flat=True)
    for type_id in sorted(own - set(known)):
        raise missing("QualificationType", type_id)
    fields = {
        "title": values["Title"],
        "description": values["Description"],
        "keywords": values.get("Keywords", ""),
        "reward_cents": fees.cents_of(values["Reward"]),
        "duration_seconds": values["AssignmentDurationInSeconds"],
        "auto_approval_seconds": values.get("AutoApprovalDelayInSeconds", DEFAULT_AUTO_APPROVAL),
        "requirements": requirements,
    }
    digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
    mine = HITType.objects.filter(requester=requester, digest=digest, deleted_at=None)
    if existing := mine.first():
        return existing
    is_for_masters = bool(named & {qualifying.MASTERS, qualifying.SANDBOX_MASTERS})
    try:
        with transaction.atomic():
            made = HITType.objects.create(requester=requester, digest=digest, needs_masters=is_for_masters, **fields)
            HITTypeRequirement.objects.bulk_create(HITTypeRequirement(hit_type=made, qualification=n) for n in named)
    except IntegrityError:  # another call made it in the meantime
        return mine.get()
    return made


@transaction.atomic(durable=True)
def create_hit(requester: Requester, values: Mapping[str, Any], now: datetime) -> HIT:
    """Publish a HIT and lock its price; `values` name a HIT type or describe one."""
    for name in ("HITLayoutId", "HITLayoutParameters", "AssignmentReviewPolicy", "HITReviewPolicy"):
        if name in values:
            what = "layouts: send the Question" if "Layout" in name else "review policies: people review here"
            raise parameter(f"{name} is not supported. This marketplace has no {what}.")
    if "Question" not in values:
        raise parameter("Question is required.")
    questions.read_question(values["Question"])
    hit_type = (
        _hit_type(requester, values["HITTypeId"]) if "HITTypeId" in values else create_hit_type(requester, values)
    )
    places = values.get("MaxAssignments", 1)
    fee = fees.reward_fee(hit_type.reward_cents, assignments=places, needs_masters=hit_type.needs_masters)
    hit = HIT(
        requester=requester,
        hit_type=hit_type,
        question=values["Question"],
        annotation=values.get("RequesterAnnotation", ""),
        max_assignments=places,
        available=places,
        status="",
        created_at=now,
        expires_at=now + timedelta(seconds=values["LifetimeInSeconds"]),
        unit_cents=hit_type.reward_cents + fee,
        unit_fee_cents=fee,
    )
    request_tokens.use(requester, "CreateHIT", values.get("UniqueRequestToken"), hit.hit_id, now)
    HITType.objects.filter(pk=hit_type.pk).update(newest_at=now)
    changing.refresh(hit)
    return hit


@transaction.atomic(durable=True)
def add_assignments(
    requester: Requester, hit_id: str, more: int, token: str | None, request_id: str, now: datetime
) -> None:
    hit = changing.lock_hit(requester, hit_id)
    request_tokens.use(requester, "CreateAdditionalAssignmentsForHIT", token, request_id, now)
    _check_changeable(hit, requester, now)
    if hit.max_assignments < fees.MANY <= hit.max_assignments + more:
        message = f"A HIT with fewer than {fees.MANY} assignments cannot be extended to {fees.MANY} or more."
        raise request_error("InvalidMaximumAssignmentsIncrease", message)
    if hit.max_assignments + more > 1_000_000_000:
        raise parameter("A HIT has at most 1000000000 assignments.")
    hit.max_assignments += more
    hit.available += more
    changing.refresh(hit)


@transaction.atomic(durable=True)
def update_expiration(requester: Requester, hit_id: str, expire_at: datetime, now: datetime) -> None:
    """Extend the HIT, or expire it now if `expire_at` is past."""
    hit = changing.lock_hit(requester, hit_id)
    if hit.is_disposed:
        raise wrong_state("HIT", hit.status, "Assignable, Unassignable, Reviewable, Reviewing")
    if hit.expiry_asked == expire_at:
        token = f"{hit.hit_id}{expire_at:%a %b %d %H:%M:%S UTC %Y}"
        raise request_error("DuplicateCall", f'The idempotency token "{token}" has already been processed.')
    if expire_at > now:
        if changing.is_fresh(hit, requester, now):
            raise _too_new()
        if not hit.is_expired and expire_at < hit.expires_at:
            raise parameter("ExpireAt can only extend the HIT, or be past to expire it now.")
        if expire_at > now + YEAR:
            raise parameter("ExpireAt may be at most 365 days from now.")
    hit.expiry_asked = expire_at
    if expire_at > now or not hit.is_expired:
        hit.expires_at = max(expire_at, now)
    hit.is_expired = expire_at <= now
    changing.refresh(hit)


@transaction.atomic(durable=True)
def update_review_status(requester: Requester, hit_id: str, *, revert: bool, now: datetime) -> None:
    hit = changing.lock_hit(requester, hit_id)
    needed = HITStatus.REVIEWING if revert else HITStatus.REVIEWABLE
    if hit.status != needed:
        raise wrong_state("HIT", hit.status, needed)
    hit.is_reviewing = not revert
    changing.refresh(hit)


@transaction.atomic(durable=True)
def update_hit_type(requester: Requester, hit_id: str, type_id: str, now: datetime) -> None:
    """Move the HIT to another type; accepted assignments keep the reward they were accepted for."""
    hit = changing.lock_hit(requester, hit_id)
    _check_changeable(hit, requester, now)
    hit_type = _hit_type(requester, type_id)
    if hit_type.pk == hit.hit_type_id:
        return
    if hit.status == HITStatus.ASSIGNABLE:
        for pk, change in sorted(((hit.hit_type_id, -1), (hit_type.pk, 1))):
            changing.count_open(pk, change)
    fee = fees.reward_fee(hit_type.reward_cents, assignments=hit.max_assignments, needs_masters=hit_type.needs_masters)
    hit.hit_type, hit.unit_cents, hit.unit_fee_cents = hit_type, hit_type.reward_cents + fee, fee
    changing.refresh(hit)


@transaction.atomic(durable=True)
def delete_hit(requester: Requester, hit_id: str, now: datetime) -> None:
    hit = changing.lock_hit(requester, hit_id)
    if hit.status not in (HITStatus.REVIEWABLE, HITStatus.REVIEWING):
        raise wrong_state("HIT", hit.status, "Reviewable, Reviewing")
    if hit.submitted:
        message = f"{hit.submitted} submitted assignment(s) of this HIT must be approved or rejected first."
        raise request_error("InvalidHITState", message)
    hit.is_disposed = True
    changing.refresh(hit)


def _hit_type(requester: Requester, type_id: str) -> HITType:
    hit_type = HITType.objects.filter(requester=requester, type_id=type_id, deleted_at=None).first()
    if hit_type is None:
        raise missing("HITType", type_id)
    return hit_type


def _check_changeable(hit: HIT, requester: Requester, now: datetime) -> None:
    if hit.is_disposed:
        raise wrong_state("HIT", hit.status, "Assignable, Unassignable, Reviewable, Reviewing")
    if changing.is_fresh(hit, requester, now):
        raise _too_new()


def _too_new() -> Exception:
    return request_error("InvalidHITState", "This HIT was created a moment ago and cannot be changed yet; try again.")
