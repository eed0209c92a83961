"""Trying a trained run: the form, and the page that waits for the answer and keeps it."""

from __future__ import annotations

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from kernel import jobs
from kernel import selectors as kernel_selectors
from kernel.errors import WrongState
from kernel.views.access import requires, signed_in
from modeling.forms import TrialForm
from modeling.generations import Phrase
from modeling.models import Run, Trial
from modeling.selectors import trials
from modeling.selectors.training_machines import QUEUE
from modeling.services import trials as services


@require_http_methods(["GET", "POST"])
@requires("modeling.view_run")
def new_trial(request: HttpRequest, run_id: int) -> HttpResponse:
    """Ask for entities, backgrounds and a text, or begin with an instance of the release; then start the trial."""
    run = get_object_or_404(Run.objects.select_related("experiment__task_set", "experiment__release"), pk=run_id)
    key = request.GET.get("instance", "").replace("\x00", "")
    form = TrialForm(request.POST) if request.method == "POST" else TrialForm(initial=trials.typed(run, key))
    problem = ""
    try:
        trials.check_can_be_tried(run)
        if form.is_bound and form.is_valid():
            question = form.question
            if not question.candidates:
                question = replace(question, candidates=tuple(trials.usual_answers(run, question.entity_type)))
            trial = services.start_trial(run, question, by=signed_in(request))
            if trial.job:
                jobs.nudge(trial.job)
            return redirect("trial", trial.pk)
    except WrongState as error:
        problem = error.message
    context = {
        "run": run,
        "experiment": run.experiment,
        "form": form,
        "problem": problem,
        "instances": [] if problem else trials.instances(run),
        "chosen": key,
        "is_waiting_in_vain": bool(kernel_selectors.queues_without_worker([QUEUE])),
    }
    return render(request, "modeling/try.html", context, status=422 if form.is_bound else 200)


@requires("modeling.view_run")
def trial_page(request: HttpRequest, trial_id: int) -> HttpResponse:
    """Show the answer; while there is none, the page asks again every two seconds."""
    trial = get_object_or_404(Trial.objects.select_related("run__experiment__release", "job"), pk=trial_id)
    generated = trial.answer.get("generated")
    is_open = bool(trial.job and trial.job.is_open and not trial.answer)
    context = {
        "trial": trial,
        "run": trial.run,
        "experiment": trial.run.experiment,
        "question": trial.question,
        "entities": list(zip(trial.question["entities"], trial.question["backgrounds"], strict=True)),
        "ranked": trial.answer.get("ranked", []),
        "generated": None
        if generated is None
        else [Phrase(row["phrase"], row["score"], lists_entities=row["lists_entities"]) for row in generated],
        "is_open": is_open,
        "is_waiting_in_vain": is_open and bool(kernel_selectors.queues_without_worker([QUEUE])),
    }
    part = "modeling/trial.html#answer" if request.headers.get("HX-Request") else "modeling/trial.html"
    return render(request, part, context)
