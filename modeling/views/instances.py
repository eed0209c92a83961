"""One instance as every run ranked it, and its notes."""

from __future__ import annotations

from itertools import chain

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from corpus.items.instances import INSTANCE
from kernel.errors import TesaError
from kernel.views.access import requires, signed_in
from modeling.models import ErrorKind, Experiment, TaskRow
from modeling.selectors import instances, results
from modeling.selectors.experiments import all_experiments
from modeling.services import notes

PER_PAGE = 50


def _task(experiment_id: int, key: str) -> tuple[Experiment, TaskRow]:
    experiment = get_object_or_404(Experiment.objects.select_related("task_set"), pk=experiment_id)
    return experiment, get_object_or_404(TaskRow, task_set=experiment.task_set_id, key=key)


@requires("modeling.view_run")
def instance_list(request: HttpRequest, experiment_id: int) -> HttpResponse:
    experiment = get_object_or_404(all_experiments(), pk=experiment_id)
    part = "valid" if request.GET.get("part") == "valid" else "test"
    tasks = TaskRow.objects.filter(task_set=experiment.task_set, part=part).order_by("position")
    page = Paginator(tasks, PER_PAGE).get_page(request.GET.get("page"))
    context = {"experiment": experiment, "page": page, "part": part, "parts": ("test", "valid")}
    return render(request, "modeling/instances.html", context)


@requires("modeling.view_run")
def instance_page(request: HttpRequest, experiment_id: int, key: str) -> HttpResponse:
    experiment, task = _task(experiment_id, key)
    instance = instances.frozen_of(experiment, key)
    is_all = bool(request.GET.get("all"))
    groups = instances.in_groups(instances.predictions_for(experiment, task, is_all=is_all))
    predictions = [*chain.from_iterable(groups.values())]
    context = {
        "experiment": experiment,
        "task": task,
        "place": instances.neighbours(task),
        "instance": instance,
        "shown": INSTANCE.show(instance),
        "facts": INSTANCE.facts(instance),
        "groups": groups,
        "predictions": predictions,
        "lines": instances.candidate_lines(task, predictions),
        "is_all": is_all,
        "is_test_hidden": results.is_test_hidden(experiment),
        "can_show_all": task.part == "valid" or experiment.opened_at is not None,
        "notes": task.notes.all(),
        "kinds": ErrorKind.choices,
    }
    return render(request, "modeling/instance.html", context)


@require_POST
@requires("modeling.add_errornote")
def add_note(request: HttpRequest, experiment_id: int, key: str) -> HttpResponse:
    _, task = _task(experiment_id, key)
    kind, text = (request.POST.get(name, "") for name in ("kind", "text"))
    try:
        notes.add_note(task, kind=kind, text=text, by=signed_in(request))
    except TesaError as error:
        messages.error(request, f"The note was not saved: {error.message}.")
    else:
        messages.success(request, "Note saved.")
    return redirect("model-instance", experiment_id, key)
