"""Telling a marketplace of the grants that a campaign asks for: they are qualifications there."""

from __future__ import annotations

from annotation.models import Campaign, HeldGrant, is_held
from annotation.providers.base import Doubtful, Market, NotSent, Refused
from annotation.qualifications import qualifications
from annotation.services.market import marketplaces
from annotation.services.market.calls import Done
from kernel.clock import now


def send(campaign: Campaign, market: Market, done: Done) -> None:
    """Tell the marketplace of grants that are new, taken away or expired. Telling it twice does no harm."""
    asked = qualifications(campaign.qualifications).grant
    here = {"grant__in": asked, "worker__provider": marketplaces.worker_provider(campaign)}
    rows = HeldGrant.objects.filter(**here).select_related("worker", "grant").order_by("pk")
    lost = rows.filter(sent_at__isnull=False).exclude(is_held())
    new = rows.filter(is_held(), sent_at=None)
    for held_rows, tell, is_new in ((lost, market.ungrant, False), (new, market.grant, True)):
        for held in held_rows:
            try:
                tell(str(held.grant_id), held.worker.external_id)
            except (Refused, NotSent, Doubtful) as error:
                done.note(error)
            else:
                HeldGrant.objects.filter(pk=held.pk, sent_at=held.sent_at).update(sent_at=now() if is_new else None)
