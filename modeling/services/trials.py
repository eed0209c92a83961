"""Trying a trained run on a question that somebody typed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction

from kernel.errors import InvalidInput
from kernel.models import User
from kernel.progress import Progress
from kernel.services import jobs as job_services
from modeling.models import Run, Trial
from modeling.rankers import RANKERS
from modeling.rankers.base import Generating
from modeling.run_folder import WEIGHTS
from modeling.selectors import trials
from modeling.selectors.resources import ranker_resources
from modeling.trials import Question, answer_of, question_from


@transaction.atomic
def start_trial(run: Run, question: Question, *, by: User | None) -> Trial:
    """Store the question and queue its job; raise WrongState if the run cannot be tried. The caller nudges."""
    trials.check_can_be_tried(run)
    trial = Trial.objects.create(run=run, question=question.to_json(), created_by=by)
    trial.job = job_services.create_job("try_run", subject=run.label, parameters={"trial": trial.pk}, by=by)
    trial.save(update_fields=["job"])
    return trial


def carry_out(trial_id: int, progress: Progress) -> Trial:
    """Rank and generate with the run's weights, and store the answer. A second call changes nothing."""
    trial = Trial.objects.select_related("run").filter(pk=trial_id).first()
    if trial is None:
        raise InvalidInput("the trial no longer exists: its experiment was deleted", field="trial")
    if trial.answer:
        return trial
    trials.check_can_be_tried(trial.run)
    work = Path(settings.VAR) / "work" / f"trial-{trial.pk}"
    shutil.rmtree(work, ignore_errors=True)  # of an attempt that was interrupted
    try:
        _fetch_weights(trial.run, work / WEIGHTS, progress)
        task = question_from(trial.question).task()
        ranker = RANKERS[trial.run.ranker](trial.run.parameters, replace(ranker_resources({}), work=work))
        (scores,) = ranker.score_all([task], progress=progress)
        generations = ranker.generations([task]) if isinstance(ranker, Generating) else None
        trial.answer = answer_of(task, scores, generations[0] if generations else None)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    trial.save(update_fields=["answer"])
    return trial


def _fetch_weights(run: Run, folder: Path, progress: Progress) -> None:
    """Copy the run's weights from the storage. Large files are copied in blocks."""
    folder.mkdir(parents=True)
    for name in run.weight_names:
        progress.report(0, None, "Fetching the weights")
        with default_storage.open(f"{run.folder}/{name}") as stored, (folder / Path(name).name).open("wb") as file:
            shutil.copyfileobj(stored, file)
