"""The statistics of a split, and its ranking tasks as files."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from kernel.errors import TesaError
from kernel.views.access import requires, signed_in
from modeling import task_files
from modeling.models import Split, TaskSet
from modeling.selectors import downloads
from modeling.services import split_folders, splits

MEASURES = {
    "instances": "Instances",
    "golds_per_instance": "Accepted answers per instance",
    "distinct_golds": "Different accepted answers",
    "distinct_entities": "Different entities",
    "distinct_tuples": "Different groups of entities",
    "articles": "Articles",
    "unseen": "Unseen in training",
}


@requires("modeling.view_split")
def split_page(request: HttpRequest, split_id: int) -> HttpResponse:
    split = get_object_or_404(Split.objects.select_related("release", "created_by"), pk=split_id)
    parts = {part: split.statistics[part] for part in ("train", "valid", "test")}
    context = {
        "split": split,
        "parts": parts,
        "rows": [(label, [part[key] for part in parts.values()]) for key, label in MEASURES.items()],
        "types": _counted(parts, "by_type"),
        "sizes": _counted(parts, "by_size"),
        "golds": _counted(parts, "by_golds"),
        "set_aside": len(split.value.get("set_aside", [])),
        "experiments": split.experiments.order_by("-id"),
        "task_sets": split.task_sets.order_by("pk"),
        "formats": task_files.LABELS,
    }
    return render(request, "modeling/split.html", context)


@requires("modeling.delete_split")
def delete(request: HttpRequest, split_id: int) -> HttpResponse:
    split = get_object_or_404(Split.objects.select_related("release"), pk=split_id)
    if request.method == "POST":
        try:
            splits.delete_split(split, by=signed_in(request))
        except TesaError as error:
            messages.error(request, error.message)
            return redirect("split", split_id)
        messages.success(request, f"The split “{split}” of {split.release} was deleted.")
        return redirect("experiments")
    return render(request, "modeling/split_delete.html", {"split": split, "used": split.experiments.count()})


def _counted(parts: dict[str, Any], name: str) -> list[tuple[str, list[int]]]:
    values = sorted({value for part in parts.values() for value in part[name]})
    return [(value, [part[name].get(value, 0) for part in parts.values()]) for value in values]


@requires("annotation.view_releaseitem")
def split_folder(request: HttpRequest, split_id: int) -> HttpResponseBase:
    """Return the release as a Hugging Face folder with the parts of the split."""
    split = get_object_or_404(Split.objects.select_related("release"), pk=split_id)
    try:
        return split_folders.pack_folder(split).to_response()
    except TesaError as error:
        messages.error(request, error.message)
        return redirect("split", split_id)


@requires("modeling.view_split")
def task_file(request: HttpRequest, task_set_id: int, format: str) -> HttpResponseBase:
    """Return the ranking tasks of a task set in a format."""
    task_sets = TaskSet.objects.select_related("split__release")
    return downloads.ranking_tasks(get_object_or_404(task_sets, pk=task_set_id), format).to_response()
