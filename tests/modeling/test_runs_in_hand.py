"""One job has a run in hand: another does not begin it, and who lost it stops before replacing anything."""

from __future__ import annotations

import pytest
from django.core.files.storage import default_storage

from kernel.errors import Cancelled, WrongState
from kernel.models import Job
from kernel.progress import Silent
from modeling.models import Prediction, Run
from modeling.run_folder import FILES
from modeling.services import experiments, run_files, running
from tests.make import make_experiment, make_running_job

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


def test_a_run_that_another_job_has_in_hand_is_not_begun_by_a_second():
    run = make_experiment("One", "random").runs.get()
    Run.objects.update(job=make_running_job(kind="demo_models"))

    with pytest.raises(WrongState, match=r"Job \d+ is executing One, run 1"):
        running.execute_run(run.pk, Silent(), job=make_running_job(kind="run_ranker"))

    assert Run.objects.get().job.kind == "demo_models"
    assert not run_files.work_folder(run.pk).exists()


class Meanwhile(Silent):
    """Progress during which something happens once, when predictions are about to be kept."""

    def __init__(self, happens) -> None:
        self.happens = happens

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        if step == "Saving predictions" and (happens := self.happens):
            self.happens = None
            happens()


def test_a_run_that_was_ended_by_another_meanwhile_keeps_the_files_and_rows_of_that_one():
    run = make_experiment("One", "random").runs.get()

    with pytest.raises(Cancelled):
        running.execute_run(run.pk, Meanwhile(lambda: running.execute_run(run.pk, Silent())))

    kept = Run.objects.get()
    assert kept.predictions.count() == 30
    assert running.verify_run(run.pk, Silent())["predictions.jsonl"]
    assert {name for name in FILES if default_storage.exists(f"{kept.folder}/{name}")} == {*FILES}


def test_an_attempt_that_was_followed_by_another_keeps_nothing():
    run, job = make_experiment("One", "random").runs.get(), make_running_job(kind="run_ranker")

    with pytest.raises(Cancelled):
        running.execute_run(run.pk, Meanwhile(lambda: Job.objects.update(attempt=2)), job=job)

    assert not Prediction.objects.exists()
    assert not default_storage.exists(f"{run.folder}/spec.json")


def test_a_run_that_was_left_out_while_it_ran_does_not_come_back():
    run = make_experiment("One", "random").runs.get()

    with pytest.raises(Cancelled):
        running.execute_run(run.pk, Meanwhile(lambda: Run.objects.all().delete()))

    assert not Run.objects.exists()


def test_a_job_that_does_several_runs_is_cancelled_and_retried_alone():
    experiment, job = make_experiment("Three", "random", "frequency", "context-count"), make_running_job()
    Job.objects.update(kind="demo_models")
    first, second, _ = experiment.runs.order_by("number")
    for run in (first, second):
        Run.objects.filter(pk=run.pk).update(job=job)
    running.execute_run(first.pk, Silent())

    assert experiments.cancel_experiment(experiment, by=None) == 1
    Job.objects.update(status="cancelled")

    assert experiments.resume_experiment(experiment, by=None) == [job]
    assert [run.job for run in experiment.runs.order_by("number")] == [job, job, None]
    assert Job.objects.count() == 1
