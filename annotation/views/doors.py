"""Where people come in: signed in, by an invite, from a panel. Each door ends at a person's own address."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from annotation.models import Campaign
from annotation.services import joining
from tesa_site.access import requires, signed_in


@require_POST
@requires("annotation.add_annotation")
def start_as_user(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Let a signed-in annotator in, or back in."""
    campaign = get_object_or_404(Campaign, pk=campaign_id)
    return redirect("work", joining.join_as_user(campaign, signed_in(request)).secret)
