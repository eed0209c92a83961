"""Links that let people in without an account."""

from __future__ import annotations

from django.db import transaction

from annotation.models import Campaign, CampaignStatus, Invite
from annotation.providers import PROVIDERS
from kernel.clock import now
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import storable

MOST_PEOPLE = 10_000


@transaction.atomic(durable=True)
def make_invite(campaign: Campaign, *, label: str, capacity: int, by: User | None) -> Invite:
    """Return a link that lets in `capacity` people; the label reminds the team whom it was sent to."""
    label = " ".join(storable(label).split())
    if not 0 < len(label) <= 100:
        raise InvalidInput("name the link in at most 100 characters", field="label")
    if not 1 <= capacity <= MOST_PEOPLE:
        raise InvalidInput(f"must be between 1 and {MOST_PEOPLE:,}", field="capacity")
    if not PROVIDERS[campaign.provider].takes_own_people:
        raise WrongState("This campaign has no links: its provider sends the people.")
    if campaign.status == CampaignStatus.CLOSED:
        raise WrongState("The campaign is closed: nobody can join it any more.")
    invite = Invite.objects.create(campaign=campaign, label=label, capacity=capacity, created_by=by)
    audit.record("make invite", invite, by=by, after={"campaign": campaign.pk, "capacity": capacity})
    return invite


@transaction.atomic(durable=True)
def revoke_invite(invite_id: int, *, by: User | None) -> Invite:
    """Let nobody else in through this link; people who already joined stay."""
    revoked = Invite.objects.filter(pk=invite_id, revoked_at=None).update(revoked_at=now())
    invite = Invite.objects.get(pk=invite_id)
    if revoked:
        audit.record("revoke invite", invite, by=by, after={"used": invite.used})
    return invite
