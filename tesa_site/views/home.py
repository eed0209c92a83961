"""The home page: an overview for researchers, open campaigns for annotators."""

from __future__ import annotations

from django.conf import settings
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string

from annotation.models import Campaign, Participation
from annotation.selectors import annotators
from annotation.selectors.open_work import open_campaigns, with_a_free_task
from annotation.selectors.places_left import places_left_by
from kernel import selectors
from kernel.databases import outages
from kernel.models import User
from kernel.views.access import requires, signed_in
from tesa_site import activity, pipeline, searching

SECONDS_KEPT = 2
JOB_FIELDS = ("kind", "subject", "status", "done", "total")  # what the page shows of a job


@requires()
def home(request: HttpRequest) -> HttpResponse:
    if not signed_in(request).has_perm("annotation.add_annotation"):
        return redirect("marketplace")  # somebody who signed up there and has no role here
    if not signed_in(request).has_perm("kernel.view_pipeline"):
        return render(request, "home_annotator.html", {"campaigns": my_campaigns(signed_in(request))})
    return render(request, "home.html", {"body": cache.get_or_set("home.body", pipeline_body, SECONDS_KEPT)})


@requires("kernel.view_pipeline")
def search(request: HttpRequest) -> HttpResponse:
    """Show what was found; to a request by script only the hits."""
    words = " ".join(request.GET.get("q", "").split())[:100]
    groups = searching.search(words, signed_in(request)) if words else []
    template = "search.html#hits" if request.htmx else "search.html"  # type: ignore[attr-defined]
    return render(request, template, {"words": words, "groups": groups})


@requires("kernel.access_admin")
def components(request: HttpRequest) -> HttpResponse:
    """Show every part of the pages in every state, for people who build pages."""
    if settings.PRODUCTION:
        raise Http404
    return render(request, "components.html")


def my_campaigns(user: User) -> list[tuple[Campaign, Participation | None]]:
    """Return the campaigns that this annotator has begun, left with pay owed, or may begin now, with their place."""
    mine = {person.campaign_id: person for person in annotators.participations_of(user)}
    begun = [(person.campaign, person) for person in mine.values()]
    others = [campaign for campaign in open_campaigns() if campaign.pk not in mine]
    gone = {person.campaign_id: person for person in places_left_by(user, others)}
    offered = with_a_free_task(others)
    return begun + [
        (campaign, gone.get(campaign.pk)) for campaign in others if campaign.pk in gone or campaign.pk in offered
    ]


def pipeline_body() -> str:
    """Return the part that is the same for every researcher, so that one query serves the whole team."""
    overview = pipeline.Overview()
    context = {
        "stages": overview.stages(),
        "to_do": overview.to_do(),
        "open_campaigns": overview.open_campaigns,
        "more_campaigns": len(overview.running) - len(overview.open_campaigns),
        "jobs": selectors.jobs(status="open").select_related(None).only(*JOB_FIELDS)[:4],
        "activity": activity.latest(),
        "stuck_writer": outages.stuck_writer(),
    }
    return render_to_string("home_body.html", context)
