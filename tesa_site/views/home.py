"""The home page: the pipeline for researchers, open campaigns for annotators."""

from __future__ import annotations

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from annotation import selectors as annotation_selectors
from annotation.models import Campaign, Participation
from tesa_site import databases, pipeline
from tesa_site.kernel import selectors
from tesa_site.kernel.models import User
from tesa_site.kernel.views.access import requires, signed_in

SECONDS_KEPT = 2


@requires()
def home(request: HttpRequest) -> HttpResponse:
    if not signed_in(request).has_perm("kernel.view_pipeline"):
        return render(request, "home_annotator.html", {"campaigns": my_campaigns(signed_in(request))})
    return render(request, "home.html", {"body": cache.get_or_set("home.body", pipeline_body, SECONDS_KEPT)})


def my_campaigns(user: User) -> list[tuple[Campaign, Participation | None]]:
    """Return what this annotator has begun, left with pay owed, or may begin and finds a task in, with their place."""
    mine = {person.campaign_id: person for person in annotation_selectors.participations_of(user)}
    begun = [(person.campaign, person) for person in mine.values()]
    others = [one for one in annotation_selectors.open_campaigns() if one.pk not in mine]
    left = annotation_selectors.places_left_by(user, others)
    gone = {person.campaign_id: person for person in left}
    offered = annotation_selectors.with_a_free_task(others)
    return begun + [(one, gone.get(one.pk)) for one in others if one.pk in gone or one.pk in offered]


def pipeline_body() -> str:
    """Return the part that is the same for every researcher, so that one query serves the whole team."""
    stages = pipeline.stage_counts()
    context = {
        "stages": stages,
        "missing_stages": [stage.holds for stage, number in stages if number is None],
        "action": pipeline.next_action(),
        "page": selectors.jobs()[:5],
        "site_version": settings.VERSION,
        "stuck_writer": databases.stuck_writer(),
    }
    return render_to_string("home_body.html", context)
