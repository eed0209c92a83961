"""Links that let people in: made, and taken back."""

from __future__ import annotations

from django.db import transaction

from annotation.models import Campaign, CampaignStatus, Invite
from tesa_site.kernel.clock import now
from tesa_site.kernel.errors import InvalidInput, WrongState
from tesa_site.kernel.models import User
from tesa_site.kernel.services import audit
from tesa_site.kernel.values import storable

MOST = 10_000


@transaction.atomic(durable=True)
def make_invite(campaign: Campaign, *, label: str, capacity: int, by: User | None) -> Invite:
    """Return a link for so many people; the label tells the team whom it was sent to."""
    label = " ".join(storable(label).split())
    if not 0 < len(label) <= 100:
        raise InvalidInput("say in at most 100 characters whom the link is for", field="label")
    if not 1 <= capacity <= MOST:
        raise InvalidInput(f"must be between 1 and {MOST:,}", field="capacity")
    if campaign.provider != "local":
        raise WrongState("Its people come from a panel: this campaign has no links.")
    if campaign.status == CampaignStatus.CLOSED:
        raise WrongState("The campaign is closed: nobody can come in any more.")
    invite = Invite.objects.create(campaign=campaign, label=label, capacity=capacity, created_by=by)
    audit.record("make invite", invite, by=by, after={"campaign": campaign.pk, "capacity": capacity})
    return invite


@transaction.atomic(durable=True)
def revoke_invite(invite_id: int, *, by: User | None) -> Invite:
    """Let nobody in through this link any more; who came in already stays."""
    revoked = Invite.objects.filter(pk=invite_id, revoked_at=None).update(revoked_at=now())
    invite = Invite.objects.get(pk=invite_id)
    if revoked:
        audit.record("revoke invite", invite, by=by, after={"used": invite.used})
    return invite
