"""Pages of releases: the list, one release, its items, what was left out, its files, and two releases compared.

A release is made with a preview of its recipe.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import capfirst
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.forms.release import PresentationForm, ReleaseForm, starting_values
from annotation.models import Campaign, Release, ReleaseDiscard, ReleaseItem, ReviewState
from annotation.plots import release_plot
from annotation.releasing import showing
from annotation.releasing.asked_rules import asked_rules, rule_fields, rules_id
from annotation.releasing.building import SETTLEMENTS, SOURCES, STEPS, VOTES
from annotation.releasing.recipe import TRUST
from annotation.selectors import piece_votes
from annotation.selectors import releases as selectors
from annotation.selectors.review_queue import open_tasks
from annotation.services import release_exports, releases
from annotation.task_types import type_of
from annotation.task_types.base import template_of
from corpus.items import ITEM_KINDS, common_words
from kernel import selectors as kernel_selectors
from kernel.errors import TesaError
from kernel.values import whole_number
from kernel.views.access import requires, signed_in
from kernel.views.downloads import csv_download
from kernel.views.jobs import follow
from kernel.views.plots import svg, svg_file

PER_PAGE = 50
SHOWN = 50  # instances of each kind in a comparison
PREVIEWED = 1000  # instances a page looks at: a second of cleaning


@requires("annotation.view_release")
def release_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(selectors.releases(), PER_PAGE).get_page(request.GET.get("page"))
    _, items = common_words(type_of(release).item_kind for release in page)
    context = {"page": page, "items": capfirst(items), "retired": selectors.retired()[:PER_PAGE]}
    return render(request, "annotation/releases/list.html", context)


@requires("annotation.view_release")
def release_page(request: HttpRequest, release_id: int, tab: str = "release") -> HttpResponse:
    release = get_object_or_404(Release.objects.select_related("created_by"), pk=release_id)
    type_ = type_of(release)
    item_kind = ITEM_KINDS[type_.item_kind]
    context: dict[str, object] = {"release": release, "users": selectors.users_of(release), "item_kind": item_kind}
    if release.content_hash:
        exports = {export.format: export for export in release.exports.all()}
        making = release_exports.open_jobs(release)
        statistics, facet = release.statistics, type_.release
        others = selectors.releases().exclude(pk=release.pk).exclude(content_hash="")
        context |= {
            "words": facet.words,
            **showing.figures(facet, statistics),
            "funnel": showing.funnel(statistics, type_) if statistics.get("funnel") else [],
            "left_out": showing.left_out(statistics, type_),
            "plot": svg(release_plot(facet.histograms(statistics), facet.words.histograms)),
            "recipe_words": showing.recipe_words(release.recipe).items(),
            "recipe": json.dumps(release.recipe, indent=2, ensure_ascii=False),
            "formats": [(format_, exports.get(name), making.get(name)) for name, format_ in facet.formats.items()],
            "is_making": bool(making),
            "others": others[:20],
            "queues_without_worker": kernel_selectors.queues_without_worker(["default"]),
        }
    return render(request, f"annotation/releases/{tab}.html", context)


@requires("annotation.view_releaseitem")
def item_list(request: HttpRequest, release_id: int) -> HttpResponse:
    release = get_object_or_404(Release, pk=release_id)
    type_ = type_of(release)
    asked = {name: request.GET.get(name, "") for name in ("type", "size")}
    choices = {"types": [*type_.release.categories], "sizes": [str(size) for size in type_.release.sizes]}
    asked = {name: value if value in choices[f"{name}s"] else "" for name, value in asked.items()}
    items = selectors.items(release, category=asked["type"], size=int(asked["size"] or 0))
    page = Paginator(items, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "release": release,
        "task_type": type_,
        "part": template_of(type_, "release_items"),
        "cell": template_of(type_, "release_cell"),
        "item_kind": ITEM_KINDS[type_.item_kind],
        "page": page,
        "listed": [(item, type_.release.title(item.value)) for item in page],
        "query": urlencode({name: value for name, value in asked.items() if value}),
        **choices,
        **asked,
    }
    return render(request, "annotation/releases/items.html", context)


@requires("annotation.view_releaseitem")
def item_page(request: HttpRequest, release_id: int, position: int) -> HttpResponse:
    release = get_object_or_404(Release, pk=release_id)
    item = get_object_or_404(ReleaseItem, release=release, position=position)
    type_ = type_of(release)
    kind = ITEM_KINDS[type_.item_kind]
    frozen = kind.thaw(item.value)
    context = {
        "release": release,
        "item": item,
        "title": type_.release.title(item.value),
        "task_type": type_,
        "part": template_of(type_, "release_item"),
        "cell": template_of(type_, "release_cell"),
        "instance": type_.read(item.value),
        "shown": kind.show(frozen),
        "facts": kind.facts(frozen),
        "item_kind": kind,
        "number": position + 1,
        "before": position - 1 if position else None,
        "after": position + 1 if position + 1 < release.size else None,
    }
    return render(request, "annotation/releases/item.html", context)


@requires("annotation.view_release")
def discarded(request: HttpRequest, release_id: int) -> HttpResponse:
    release = get_object_or_404(Release, pk=release_id)
    step = request.GET.get("step", "")
    type_ = type_of(release)
    counts = release.statistics.get("discarded", {})
    further = [name for name in (TRUST, SOURCES, VOTES) if counts.get(name)]
    steps = (*STEPS, *further, *([SETTLEMENTS] if type_.settles else []))
    step = step if step in steps else ""
    page = Paginator(selectors.discards(release, step), PER_PAGE).get_page(request.GET.get("page"))
    words = showing.left_out_words(type_)
    context = {
        "release": release,
        "item_kind": ITEM_KINDS[type_.item_kind],
        "page": page,
        "rows": [
            (discard, words[discard.step][0], showing.reason(discard.step, discard.why), url)
            for discard, url in zip(page, _seen_at(release, page), strict=True)
        ],
        "steps": [(name, words[name][1]) for name in steps],
        "step": step,
        "query": urlencode({"step": step}) if step else "",
    }
    return render(request, "annotation/releases/discarded.html", context)


def _seen_at(release: Release, discards: Iterable[ReleaseDiscard]) -> list[str]:
    """Return the address of the page that shows each discard's instance; "" if there is none."""
    keys = [discard.key for discard in discards]
    kept, drawn = selectors.seen_at(release, keys)
    urls = {key: reverse("release-item", args=[release.pk, position]) for key, position in kept.items()}
    urls |= {key: reverse("sample-member", args=place) for key, place in drawn.items()}
    return [urls.get(key, "") for key in keys]


@requires("annotation.view_release")
def plot(request: HttpRequest, release_id: int, format: str) -> HttpResponse:
    """The plot as a file, or the numbers behind it."""
    release = get_object_or_404(Release.objects.exclude(content_hash=""), pk=release_id)
    facet, name = type_of(release).release, selectors.facts_of(release).slug
    rows = facet.histograms(release.statistics)
    if format == "svg":
        return svg_file(release_plot(rows, facet.words.histograms), f"{name}-statistics")
    return csv_download(request, f"{name}-statistics.csv", ["figure", "value", "of", "instances", "share"], rows)


@requires("annotation.view_release")
def download(request: HttpRequest, release_id: int, format: str) -> HttpResponseBase:
    file, name = selectors.stored_file(release_id, format)
    return FileResponse(file, as_attachment=True, filename=name)


@requires("annotation.view_release")
def compare(request: HttpRequest) -> HttpResponse:
    """Two releases side by side: recipes, statistics, and instances added, removed and changed."""
    frozen = Release.objects.exclude(content_hash="")
    before, after = (
        None if (number := whole_number(request.GET.get(name, ""))) is None else get_object_or_404(frozen, pk=number)
        for name in ("before", "after")
    )
    context: dict[str, object] = {"releases": frozen.defer("statistics"), "before": before, "after": after}
    if before and after:
        context |= _comparison(before, after)
    return render(request, "annotation/releases/compare.html", context)


def _comparison(before: Release, after: Release) -> dict[str, object]:
    difference = selectors.difference(before, after)
    types = [type_of(release) for release in (before, after)]
    old, new = (selectors.by_key(release, difference.changed[:SHOWN]) for release in (before, after))
    added = selectors.by_key(after, difference.added[:SHOWN]).values()
    removed = selectors.by_key(before, difference.removed[:SHOWN]).values()
    is_one_type = types[0].name == types[1].name  # figures of two types do not fit into one table
    return {
        "difference": difference,
        "words": types[1].release.words,
        **(showing.figures(types[1].release, before.statistics, after.statistics) if is_one_type else {}),
        "recipes": showing.recipe_differences(before.recipe, after.recipe),
        "added": [(item, types[1].release.title(item.value)) for item in added],
        "removed": [(item, types[0].release.title(item.value)) for item in removed],
        "changed": [(old[key], new[key], types[1].release.title(new[key].value)) for key in difference.changed[:SHOWN]],
        "cells": [template_of(type_, "release_cell") for type_ in types],
        "shown": SHOWN,
    }


@requires("annotation.add_release")
def new_release(request: HttpRequest) -> HttpResponse:
    """GET previews what the recipe would keep and leave out; POST freezes it."""
    is_post = request.method == "POST"
    if not is_post and (voting := whole_number(request.GET.get("only", ""))) is not None:
        return redirect(f"{reverse('release-new')}?{_only_confirmed(request.GET, voting)}")
    query = request.POST if is_post else request.GET
    form = ReleaseForm(query if "cleaning" in query else None, initial={"campaigns": query.getlist("campaigns")})
    if request.htmx and request.method == "GET":  # type: ignore[attr-defined]  # somebody ticked another campaign
        return render(request, "annotation/releases/new.html#rules", _asked_rules(query, form))
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
        "confirmable": piece_votes.confirmable(),
        **_asked_rules(query, form),  # the form knows by now which of them is wrong
        "queues_without_worker": kernel_selectors.queues_without_worker(["default"]),
    }
    status = 422 if problem or form.errors or presentation.errors else 200
    return render(request, "annotation/releases/new.html", context, status=status)


def _only_confirmed(query: QueryDict, voting_id: int) -> str:
    """Return what was filled in, with a recipe that keeps only what two of three confirm in this campaign."""
    voting = get_object_or_404(Campaign, pk=voting_id)
    row = piece_votes.follow_up_of(voting)
    kind = type_of(row.parent).follow_ups.get(row.kind) if row and row.parent else None
    if row is None or kind is None or kind.confirmation is None:
        raise Http404
    chosen, values = piece_votes.chosen_votes(voting, kind), query.copy()
    del values["only"]
    if "cleaning" not in values:  # the link of another page, which fills in nothing else
        values.update({name: str(value) for name, value in starting_values().items()})
    if str(row.parent_id) not in values.getlist("campaigns"):
        values.appendlist("campaigns", str(row.parent_id))
    values["votes"], values["keep"] = voting.name, "; ".join(condition.as_typed for condition in chosen.keep)
    return values.urlencode()


def _start(request: HttpRequest, form: ReleaseForm, presentation: PresentationForm) -> HttpResponse:
    by, fields = signed_in(request), presentation.cleaned_data
    plan = releases.ReleasePlan(fields["name"], form.recipe(), fields["description"], fields["licence"])
    release = releases.create_release(plan, by=by)
    return follow(request, releases.start_freezing(release, by=by), reverse("release", args=[release.pk]))


def _asked_rules(query: QueryDict, form: ReleaseForm) -> dict[str, object]:
    """Return the rules of the task of the chosen campaigns; none if they ask for several tasks."""
    numbers = [number for text in query.getlist("campaigns") if (number := whole_number(text)) is not None]
    types = {*map(type_of, Campaign.objects.filter(pk__in=numbers))}
    if len(types) != 1:
        return {"rules": []}
    (type_,) = types
    offers, facet = type_.consensus_rules, type_.release
    fields = next((own.fields for own in facet.tables(facet.schema, {})["instances"] if own.name == "consensus"), ())
    sent = {name: str(value) for name, value in query.items()}
    asked = asked_rules(offers, {own.name: own.about for own in fields}, sent, form.rule_problem)
    return {"rules": asked, "rules_id": rules_id(offers)}


def _preview(form: ReleaseForm) -> dict[str, object]:
    if not form.is_bound or not form.is_valid():
        return {}
    values, recipe = form.cleaned_data, form.recipe()
    type_ = type_of(recipe)
    facet = type_.release
    total = sum(campaign.tasks_made for campaign in values["campaigns"])
    statistics = releases.preview_release(recipe, PREVIEWED).to_json()
    numbers = ("least_assignments", "least_answered", "least_trust", "least_tests")
    fields = [(name, values[name]) for name in ("cleaning", *numbers)]
    fields += [("campaigns", campaign.pk) for campaign in values["campaigns"]]
    fields += [(name, "on") for name in ("use_reviews", "simulated") if values[name]]
    fields += [(name, values[name]) for name in ("votes", "keep") if values.get(name)]
    fields += rule_fields(form.sent)
    return {
        "statistics": statistics,
        "words": facet.words,
        "item_kind": ITEM_KINDS[type_.item_kind],
        "looked_at": PREVIEWED if total > PREVIEWED else None,
        "total": total,
        "funnel": showing.funnel(statistics, type_),
        **showing.figures(facet, statistics),
        "left_out": [words for _, words in showing.left_out(statistics, type_)],
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
    """Make a file of a release; pressed again meanwhile, the page follows the job that is making it."""
    release, format_ = get_object_or_404(Release, pk=release_id), request.POST.get("format", "")
    job = release_exports.open_jobs(release).get(format_)
    return follow(request, job or release_exports.start_export(release, format_, by=signed_in(request)))


@requires("annotation.delete_release")
def delete(request: HttpRequest, release_id: int) -> HttpResponse:
    release = get_object_or_404(Release, pk=release_id)
    if request.method == "POST":
        name = str(release)
        releases.delete_release(release, by=signed_in(request))
        messages.success(request, f"{name}: deleted.")
        return redirect("releases")
    next_version = selectors.last_version(release.name) + (1 if release.content_hash else 0)
    item_kind = ITEM_KINDS[type_of(release).item_kind]
    context = {
        "release": release,
        "users": selectors.users_of(release),
        "next_version": next_version,
        "item_kind": item_kind,
    }
    return render(request, "annotation/releases/delete.html", context)
