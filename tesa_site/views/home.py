"""The first page: the pipeline for researchers, what there is to do for annotators."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tesa_site import pipeline
from tesa_site.access import requires, signed_in
from tesa_site.kernel import selectors


@requires()
def home(request: HttpRequest) -> HttpResponse:
    if not signed_in(request).has_perm("kernel.view_pipeline"):
        return render(request, "home_annotator.html")
    stages = pipeline.stage_counts()
    return render(
        request,
        "home.html",
        {
            "stages": stages,
            "missing_stages": [stage.holds for stage, number in stages if number is None],
            "action": pipeline.next_action(),
            "recent_jobs": selectors.jobs()[:5],
        },
    )
