"""Making a release with a preview of its recipe, exporting it, and deleting it."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from annotation.forms_releases import PresentationForm, ReleaseForm
from annotation.models import Campaign, Release, ReviewState
from annotation.releasing import showing
from annotation.selectors import releases as selectors
from annotation.selectors.review import open_tasks
from annotation.services import release_exports, releases
from annotation.task_types import TASK_TYPES
from tesa_site.kernel import jobs
from tesa_site.kernel import selectors as kernel_selectors
from tesa_site.kernel.errors import TesaError
from tesa_site.kernel.views.access import requires, signed_in

PREVIEWED = 1000  # instances a page looks at: a second of cleaning


@requires("annotation.add_release")
def new_release(request: HttpRequest) -> HttpResponse:
    """GET previews what the recipe would keep and leave out; POST freezes it."""
    is_post = request.method == "POST"
    query = request.POST if is_post else request.GET
    form = ReleaseForm(query if "cleaning" in query else None, initial={"campaigns": query.getlist("campaigns")})
    presentation = PresentationForm(request.POST if is_post else None)
    problem = ""
    if is_post and form.is_valid() and presentation.is_valid():
        try:
            return _start(request, form, presentation)
        except TesaError as error:
            problem = error.message
    context = {
        "form": form,
        "presentation": presentation,
        "problem": problem,
        **_preview(form),
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]),
    }
    status = 422 if problem or form.errors or presentation.errors else 200
    return render(request, "annotation/releases/new.html", context, status=status)


def _start(request: HttpRequest, form: ReleaseForm, presentation: PresentationForm) -> HttpResponse:
    by, fields = signed_in(request), presentation.cleaned_data
    plan = releases.ReleasePlan(fields["name"], form.recipe(), fields["description"], fields["licence"])
    job = releases.start_freezing(releases.create_release(plan, by=by), by=by)
    jobs.nudge(job)
    return redirect("job", job.pk)


def _preview(form: ReleaseForm) -> dict[str, object]:
    if not form.is_bound or not form.is_valid():
        return {}
    values, recipe = form.cleaned_data, form.recipe()
    facet = TASK_TYPES[recipe.task_type].release
    total = sum(campaign.tasks_made for campaign in values["campaigns"])
    statistics = releases.preview_release(recipe, PREVIEWED).to_json()
    fields = [(name, values[name]) for name in ("cleaning", "least_assignments", "least_answered")]
    fields += [("campaigns", campaign.pk) for campaign in values["campaigns"]]
    fields += [(name, "on") for name in ("use_reviews", "simulated") if values[name]]
    return {
        "statistics": statistics,
        "words": facet.words,
        "looked_at": PREVIEWED if total > PREVIEWED else None,
        "total": total,
        "funnel": showing.funnel(statistics, facet),
        **showing.figures(facet, statistics),
        "left_out": [words for _, words in showing.left_out(statistics)],
        "hidden": fields,
        "open": _open(values["campaigns"]) if values["use_reviews"] else "",
    }


def _open(campaigns: Iterable[Campaign]) -> str:
    """Say which tasks the review has not decided; "" if it has decided all of them."""
    parts = []
    for state, number in open_tasks(campaigns).items():
        if number and state == ReviewState.WAITING:
            parts.append(f"{number:,} task{' waits' if number == 1 else 's wait'} for review")
        elif number:
            parts.append(f"{number:,} {'is' if number == 1 else 'are'} {state}")
    return ", ".join(parts)


@requires("annotation.view_release")
@require_POST
def export(request: HttpRequest, release_id: int) -> HttpResponse:
    release = get_object_or_404(Release, pk=release_id)
    job = release_exports.start_export(release, request.POST.get("format", ""), by=signed_in(request))
    jobs.nudge(job)
    return redirect("job", job.pk)


@requires("annotation.delete_release")
def delete(request: HttpRequest, release_id: int) -> HttpResponse:
    release = get_object_or_404(Release, pk=release_id)
    if request.method == "POST":
        name = str(release)
        releases.delete_release(release, by=signed_in(request))
        messages.success(request, f"{name}: deleted.")
        return redirect("releases")
    next_version = selectors.last_version(release.name) + (1 if release.content_hash else 0)
    context = {"release": release, "users": selectors.users_of(release), "next_version": next_version}
    return render(request, "annotation/releases/delete.html", context)
