"""The command line does what the pages do; and the demo's models come and go."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from modeling import jobs
from modeling.dataset import read_dataset
from modeling.models import Experiment, Prediction, Split, TaskSet
from modeling.original_csv import read_ranking_csv
from modeling.services import demo, experiments
from tesa_site.kernel.models import Job
from tesa_site.kernel.progress import Silent
from tests.make import execute_all, make_experiment, make_synthetic_release, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.VAR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "files"


def told(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_an_experiment_is_made_run_continued_and_verified_from_the_terminal():
    make_synthetic_release()
    split = told("make_split", "Phrases", "--rule", "grouped", "--seed", "3")
    number = str(Split.objects.get().pk)
    assert split.startswith(f"split {number}: grouped, seed 3: 30/15/15")

    text = told(
        "run_experiment", "Mine", "--split", number, "--ranker", "frequency", "--ranker", "logistic-tesa penalty=1,5"
    )

    assert "chosen by validation: " in text
    assert "| frequency | " in text
    assert [run.label for run in Experiment.objects.get().runs.all()] == [
        "frequency, seed 1", "logistic-tesa, penalty 1, seed 1", "logistic-tesa, penalty 5, seed 1",
    ]  # fmt: skip
    assert Job.objects.filter(kind="run_ranker", status="succeeded").count() == 3
    again = told("run_experiment", "Mine", "--format", "csv")
    assert again.splitlines()[0].startswith("method,run,")
    assert Job.objects.count() == 3
    assert told("run_experiment", "Mine", "--verify").count("the same") == 3


def test_verifying_fails_when_something_came_out_otherwise():
    experiment = execute_all(make_experiment("Mine", "frequency"))
    experiment.runs.update(hashes={})

    with pytest.raises(CommandError, match="1 runs came out otherwise"):
        told("run_experiment", "Mine", "--verify")


def test_runs_can_be_left_to_the_workers():
    make_synthetic_release()

    told("run_experiment", "Later", "--release", "Phrases", "--ranker", "random", "--queue")

    assert Job.objects.get().status == "queued"


def test_folds_are_made():
    make_synthetic_release()

    assert told("make_split", "Phrases:1", "--folds", "3").count("fold") == 3


def test_two_runs_are_compared_and_hidden_figures_stay_hidden():
    experiment = execute_all(make_experiment("Mine", "frequency", "random", seeds=(1, 2)))
    frequency, *draws = experiment.runs.all()
    hidden = min(draws, key=lambda run: run.metrics["valid"]["ap"]["mean"])

    text = told("compare_runs", str(frequency.pk), str(hidden.pk), "--top", "2")
    assert text.startswith("valid MAP: +")
    assert len(text.splitlines()) == 3
    with pytest.raises(CommandError, match="--open-test"):
        told("compare_runs", str(frequency.pk), str(hidden.pk), "--part", "test")

    assert told("run_experiment", "Mine", "--open-test").count("Test MAP 0") == 3
    assert told("compare_runs", str(frequency.pk), str(hidden.pk), "--part", "test").startswith("test MAP")
    assert Experiment.objects.get().opened_by == "the command line"


@pytest.mark.parametrize(
    "arguments",
    [
        ["make_split", "Nothing"],
        ["run_experiment", "Nothing"],
        ["run_experiment", "New", "--split", "99"],
        ["compare_runs", "1", "2"],
        ["export_ranking_task", "Nothing", "--out", "x"],
    ],
)
def test_what_is_not_there_is_named(arguments):
    with pytest.raises(CommandError, match="there is no"):
        told(*arguments)


def test_ranking_tasks_are_exported_in_three_formats(tmp_path):
    experiment = execute_all(make_experiment("Mine", "random"))

    told("export_ranking_task", "Mine", "--out", str(tmp_path / "tasks.jsonl"))
    told("export_ranking_task", "Mine", "--format", "csv", "--out", str(tmp_path / "csv"))
    told("export_ranking_task", "Mine", "--format", "fairseq", "--out", str(tmp_path / "fairseq"))

    experiment.task_set.refresh_from_db()
    with (tmp_path / "tasks.jsonl").open(encoding="utf-8") as file:
        dataset = read_dataset(file)
    assert dataset.content_hash() == experiment.task_set.content_hash
    with (tmp_path / "csv" / "ranking_task_test.csv").open(encoding="utf-8", newline="") as file:
        assert len(read_ranking_csv(file)) == 15
    rows = (tmp_path / "fairseq" / "classification" / "dev.tsv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + sum(len(task.candidates) for task in dataset["valid"])


# ---- The demo and the job -------------------------------------------------------------------------


def test_the_demo_s_models_are_really_run_once_and_leave_without_a_trace():
    release = make_synthetic_release("Demo", instances=40, is_demo=True)
    mine = execute_all(make_experiment("Mine", "random"))

    experiment = demo.run_demo_models(release)
    finished = {run.pk: run.finished_at for run in experiment.runs.all()}
    again = jobs.demo_models({"release": release.pk}, Silent())

    assert {run.ranker for run in experiment.runs.all()} == set(experiments.usable_rankers())
    assert all(finished.values())
    assert {run.pk: run.finished_at for run in experiment.runs.all()} == finished
    assert again.text.startswith(f"{len(finished)} runs")
    demo.remove_demo_models()
    assert [left.name for left in Experiment.objects.all()] == ["Mine"]
    assert TaskSet.objects.count() == Split.objects.count() == 1
    assert Prediction.objects.exclude(run__experiment=mine).count() == 0
    assert not default_storage.exists(f"runs/{min(finished)}/spec.json")
    release.delete()


def test_the_job_of_a_run_leads_to_it():
    experiment = make_experiment("Mine", "frequency", is_queued=True)
    run = experiment.runs.get()
    assert run.job is not None

    outcome = jobs.run_ranker(run.job.parameters, Silent())

    assert outcome.url == f"/models/runs/{run.pk}/"
    run.refresh_from_db()
    assert f"Validation MAP {run.metrics['valid']['ap']['mean']:.3f}" in outcome.text
    with default_storage.open(f"{run.folder}/spec.json") as file:
        assert json.load(file)["seed"] == 1


def test_an_annotator_may_not_train():
    from tesa_site.kernel.errors import NotAllowed
    from tesa_site.kernel.roles import Role
    from tesa_site.kernel.services import jobs as job_services

    with pytest.raises(NotAllowed):
        job_services.create_job("run_ranker", parameters={"run": 1}, by=make_user("cleo", Role.ANNOTATOR))
