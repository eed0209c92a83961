"""Releases: what there is, one with its statistics, its items, what was left out, its files, and two side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from annotation.models import Release, ReleaseDiscard, ReleaseItem
from annotation.plots import release as release_plot
from annotation.releasing import showing
from annotation.releasing.building import STEPS
from annotation.releasing.exports import FORMATS
from annotation.selectors import releases as selectors
from corpus.display import show
from corpus.frozen import FrozenInstance
from corpus.list_filters import ListFilters
from tesa_site.kernel import selectors as kernel_selectors
from tesa_site.kernel.values import whole_number
from tesa_site.kernel.views.access import requires
from tesa_site.kernel.views.downloads import csv_download
from tesa_site.kernel.views.plots import svg, svg_file

PER_PAGE = 50
SHOWN = 50  # instances of each kind in a comparison


@requires("annotation.view_release")
def release_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(selectors.releases(), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "annotation/releases/list.html", {"page": page, "retired": selectors.retired()[:PER_PAGE]})


@requires("annotation.view_release")
def release_page(request: HttpRequest, release_id: int) -> HttpResponse:
    release = get_object_or_404(Release.objects.select_related("created_by"), pk=release_id)
    context: dict[str, object] = {"release": release, "users": selectors.users_of(release)}
    if release.content_hash:
        made = {export.format: export for export in release.exports.all()}
        others = selectors.releases().exclude(pk=release.pk).exclude(content_hash="")
        context |= {
            "lines": list(showing.table_two(release.statistics)),
            "funnel": showing.funnel(release.statistics) if release.statistics.get("funnel") else [],
            "left_out": showing.left_out(release.statistics),
            "plot": svg(release_plot.plot(showing.histogram_rows(release.statistics))),
            "recipe": json.dumps(release.recipe, indent=2, ensure_ascii=False),
            "formats": [(FORMATS[name], made.get(name)) for name in FORMATS],
            "others": others[:20],
            "queues_without_worker": kernel_selectors.queues_without_worker(["default"]),
        }
    return render(request, "annotation/releases/release.html", context)


@requires("annotation.view_releaseitem")
def item_list(request: HttpRequest, release_id: int) -> HttpResponse:
    release = get_object_or_404(Release, pk=release_id)
    filters = ListFilters.from_query(request.GET)
    found = selectors.items(release, type=filters.type, size=filters.size)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "annotation/releases/items.html", {"release": release, "page": page, **filters.context})


@requires("annotation.view_releaseitem")
def item_page(request: HttpRequest, release_id: int, position: int) -> HttpResponse:
    release = get_object_or_404(Release, pk=release_id)
    item = get_object_or_404(ReleaseItem, release=release, position=position)
    instance = FrozenInstance.from_json(item.value)
    context = {
        "release": release,
        "item": item,
        "instance": instance,
        "shown": show(instance),
        "number": position + 1,
        "before": position - 1 if position else None,
        "after": position + 1 if position + 1 < release.size else None,
    }
    return render(request, "annotation/releases/item.html", context)


@requires("annotation.view_release")
def discarded(request: HttpRequest, release_id: int) -> HttpResponse:
    release = get_object_or_404(Release, pk=release_id)
    step = request.GET.get("step", "")
    step = step if step in STEPS else ""
    page = Paginator(selectors.discards(release, step), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "release": release,
        "page": page,
        "rows": [
            (one, showing.LEFT_OUT[one.step][0], url) for one, url in zip(page, _seen_at(release, page), strict=True)
        ],
        "steps": [(name, showing.LEFT_OUT[name][1]) for name in STEPS],
        "step": step,
        "query": urlencode({"step": step}) if step else "",
    }
    return render(request, "annotation/releases/discarded.html", context)


def _seen_at(release: Release, found: Iterable[ReleaseDiscard]) -> list[str]:
    """Return the page that shows each one's instance; "" where it is gone."""
    keys = [one.key for one in found]
    kept, drawn = selectors.seen_at(release, keys)
    return [
        reverse("release-item", args=[release.pk, kept[key]])
        if key in kept
        else reverse("sample-member", args=drawn[key])
        if key in drawn
        else ""
        for key in keys
    ]


@requires("annotation.view_release")
def plot(request: HttpRequest, release_id: int, format: str) -> HttpResponse:
    """The plot as a file, or the numbers behind it."""
    release = get_object_or_404(Release.objects.exclude(content_hash=""), pk=release_id)
    rows, name = showing.histogram_rows(release.statistics), selectors.facts_of(release).slug
    if format == "svg":
        return svg_file(release_plot.plot(rows), f"{name}-statistics")
    return csv_download(request, f"{name}-statistics.csv", ["figure", "value", "of", "instances", "share"], rows)


@requires("annotation.view_release")
def download(request: HttpRequest, release_id: int, format: str) -> HttpResponseBase:
    file, name = selectors.stored_file(release_id, format)
    return FileResponse(file, as_attachment=True, filename=name)


@requires("annotation.view_release")
def compare(request: HttpRequest) -> HttpResponse:
    """Two releases side by side: recipes, statistics, and instances added, removed and changed."""
    found = Release.objects.exclude(content_hash="")
    before, after = (
        None if (number := whole_number(request.GET.get(name, ""))) is None else get_object_or_404(found, pk=number)
        for name in ("before", "after")
    )
    context: dict[str, object] = {"releases": found.defer("statistics"), "before": before, "after": after}
    if before and after:
        told = selectors.difference(before, after)
        old, new = (selectors.by_key(one, [*told.changed[:SHOWN]]) for one in (before, after))
        context |= {
            "told": told,
            "lines": list(showing.table_two(before.statistics, after.statistics)),
            "recipes": showing.recipe_differences(before.recipe, after.recipe),
            "added": selectors.by_key(after, told.added[:SHOWN]).values(),
            "removed": selectors.by_key(before, told.removed[:SHOWN]).values(),
            "changed": [(old[key], new[key]) for key in told.changed[:SHOWN]],
            "shown": SHOWN,
        }
    return render(request, "annotation/releases/compare.html", context)
