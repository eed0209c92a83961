"""The command line does what the pages do; and the demo's models come and go."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from kernel.models import Job
from kernel.progress import Silent
from modeling import jobs
from modeling.dataset import read_dataset
from modeling.models import Experiment, Prediction, Run, Split, TaskSet
from modeling.original_csv import read_ranking_csv
from modeling.rankers import usable_rankers
from modeling.rankers.frequency import FrequencyRanker
from modeling.selectors import results
from modeling.services import demo, running
from tests.make import (
    execute_all,
    make_experiment,
    make_job,
    make_running_job,
    make_split,
    make_synthetic_release,
    make_user,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.VAR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "files"


def output_of(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_an_experiment_is_made_run_continued_and_verified_from_the_terminal():
    make_synthetic_release()
    split = output_of("make_split", "Phrases", "--rule", "grouped", "--seed", "3")
    number = str(Split.objects.get().pk)
    assert split.startswith(f"split {number}: grouped, seed 3: 30/15/15")

    text = output_of(
        "run_experiment", "Mine", "--split", number, "--ranker", "frequency", "--ranker", "logistic-tesa penalty=1,5"
    )

    assert "chosen by validation: " in text
    assert "| frequency | " in text
    assert [run.label for run in Experiment.objects.get().runs.all()] == [
        "frequency", "logistic-tesa, penalty 1", "logistic-tesa, penalty 5",
    ]  # fmt: skip
    assert Job.objects.filter(kind="run_ranker", status="succeeded").count() == 3
    again = output_of("run_experiment", "Mine", "--format", "csv")
    assert again.splitlines()[0].startswith('"method","backend","run",')
    assert Job.objects.count() == 3
    assert output_of("run_experiment", "Mine", "--verify").count("the same") == 3


def test_verifying_fails_when_something_came_out_otherwise():
    experiment = execute_all(make_experiment("Mine", "frequency"))
    experiment.runs.update(hashes={})

    with pytest.raises(CommandError, match="1 run gave other results"):
        output_of("run_experiment", "Mine", "--verify")


def test_runs_can_be_left_to_the_workers_cancelled_and_left_to_them_again():
    make_synthetic_release()

    output_of("run_experiment", "Later", "--release", "Phrases", "--ranker", "random", "--queue")
    assert Job.objects.get().status == "queued"
    assert output_of("run_experiment", "Later", "--cancel").startswith("1 run cancelled")
    assert Job.objects.get().status == "cancelled"
    output_of("run_experiment", "Later", "--queue")

    assert (Job.objects.get().status, Job.objects.get().attempt) == ("queued", 2)


def test_a_run_that_fails_does_not_keep_the_others_from_being_run(monkeypatch):
    def unlucky(*args, **kwargs):
        raise RuntimeError("no luck")

    make_synthetic_release()
    monkeypatch.setattr(FrequencyRanker, "fit", unlucky)
    out = StringIO()

    with pytest.raises(CommandError) as caught:
        call_command(
            "run_experiment", "Mine", "--release", "Phrases", "--folds", "2", "--ranker", "frequency", "--ranker",
            "random", stdout=out,
        )  # fmt: skip

    states = [[run.status for run in experiment.runs.all()] for experiment in Experiment.objects.order_by("pk")]
    assert states == [["failed", "succeeded"]] * 2
    assert str(caught.value).count("frequency: RuntimeError: no luck") == 2
    assert "best on validation so far: random" in out.getvalue()
    assert "chosen by validation" not in out.getvalue()


def test_a_run_that_is_cancelled_ends_the_command(monkeypatch):
    make_synthetic_release()

    def stopped(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "execute_run", stopped)

    with pytest.raises(CommandError, match="stopped; continue with"):
        output_of("run_experiment", "Mine", "--release", "Phrases", "--ranker", "frequency", "--ranker", "random")

    assert [run.status for run in Experiment.objects.get().runs.all()] == ["waiting", "waiting"]
    assert Job.objects.get().status == "cancelled"


def test_folds_are_made():
    make_synthetic_release()

    assert output_of("make_split", "Phrases:1", "--folds", "3").count("fold") == 3


@pytest.mark.parametrize("ratio", [("0", "1", "1"), ("2", "0", "1"), ("2", "1", "-1")])
def test_a_ratio_that_empties_a_part_is_refused_in_one_sentence(ratio):
    make_synthetic_release()

    with pytest.raises(CommandError, match=r"--ratio: give three numbers of at least 1"):
        output_of("make_split", "Phrases", "--ratio", *ratio)


@pytest.mark.parametrize(
    "arguments",
    [
        ["make_split", "Phrases", "--seed"],
        ["make_split", "Phrases", "--folds", "3", "--seed"],
        ["run_experiment", "Mine", "--release", "Phrases", "--ranker", "random", "--split-seed"],
        ["run_experiment", "Mine", "--release", "Phrases", "--ranker", "random", "--candidate-seed"],
    ],
)
@pytest.mark.parametrize("seed", [str(2**63), str(-(2**70))])
def test_a_seed_that_cannot_be_kept_is_refused_in_one_sentence(arguments, seed):
    make_synthetic_release()

    with pytest.raises(CommandError, match=r"seed: must be a whole number from −9,223,"):
        output_of(*arguments, seed)

    assert not Experiment.objects.exists()


def test_two_runs_are_compared_and_hidden_figures_stay_hidden():
    experiment = execute_all(make_experiment("Mine", "frequency", "random", seeds=(1, 2)))
    frequency, *draws = experiment.runs.all()
    hidden = min(draws, key=lambda run: run.metrics["valid"]["ap"]["mean"])

    text = output_of("compare_runs", str(frequency.pk), str(hidden.pk), "--top", "2")
    assert text.startswith("valid MAP: +")
    assert len(text.splitlines()) == 3
    with pytest.raises(CommandError, match="--open-test"):
        output_of("compare_runs", str(frequency.pk), str(hidden.pk), "--part", "test")

    assert output_of("run_experiment", "Mine", "--open-test").count("Test MAP 0") == 3
    assert output_of("compare_runs", str(frequency.pk), str(hidden.pk), "--part", "test").startswith("test MAP")
    assert Experiment.objects.get().opened_by == "the command line"


def test_runs_that_did_not_finish_are_left_out_from_the_terminal():
    experiment = make_experiment("Mine", "frequency", "random")
    running.execute_run(experiment.runs.get(ranker="frequency").pk, Silent())
    assert results.is_choice_open(experiment)

    text = output_of("run_experiment", "Mine", "--leave-out", "--format", "csv")

    figures = next(csv.DictReader(text.splitlines()))
    assert float(figures["test MAP mean"]) > 0
    assert [run.label for run in experiment.runs.all()] == ["frequency"]


def test_the_worst_instances_are_listed_and_one_is_shown_with_every_rank_and_gold():
    experiment = execute_all(make_experiment("Mine", "frequency", "random"))
    run = experiment.runs.get(ranker="frequency")
    worst = run.predictions.filter(part="valid").order_by("ap", "task_id").select_related("task")

    listed = output_of("models", "worst", str(run.pk), "--top", "2").splitlines()
    shown = output_of("models", "instance", "Mine", worst[0].task.key[:12])

    assert [line.split()[:2] for line in listed[1:]] == [
        [f"{prediction.ap:.3f}", prediction.task.key[:12]] for prediction in worst[:2]
    ]  # fmt: skip
    task = worst[0].task
    golds = {phrase for phrase, label in zip(task.phrases, task.labels, strict=True) if label}
    starred = [line for line in shown.splitlines() if line.startswith("★ ") and not line.startswith("★ = gold")]
    assert len(starred) == len(golds)
    assert all(any(line.startswith(f"★ {gold}  ") for line in starred) for gold in golds)
    assert all(phrase in shown for phrase in task.phrases)
    assert f"frequency (AP {worst[0].ap:.3f})" in shown


def test_filters_of_the_worst_are_those_of_the_page():
    experiment = execute_all(make_experiment("Mine", "frequency"))
    run = experiment.runs.get()
    task = run.predictions.filter(part="test", task__type="person").order_by("ap", "task_id")[0].task
    output_of("models", "note", "Mine", task.key, "too vague", "--kind", "gold")

    listed = output_of("models", "worst", str(run.pk), "--part", "test", "--type", "person", "--noted").splitlines()

    assert "1 instance of test" in listed[0]
    assert listed[1].endswith("1 note")


def test_ranks_and_errors_on_test_stay_hidden_in_the_terminal_while_a_run_could_be_chosen():
    experiment = make_experiment("Mine", "frequency", "random")
    run = experiment.runs.get(ranker="frequency")
    running.execute_run(run.pk, Silent())
    key = run.predictions.filter(part="test")[0].task.key

    with pytest.raises(CommandError, match="--open-test"):
        output_of("models", "worst", str(run.pk), "--part", "test")
    assert "No ranks to show" in output_of("models", "instance", "Mine", key, "--all")
    with pytest.raises(CommandError, match="has not finished"):
        output_of("models", "worst", str(experiment.runs.get(ranker="random").pk))


def test_a_note_is_kept_in_somebody_s_name_and_shown():
    execute_all(make_experiment("Mine", "frequency"))
    key = Prediction.objects.filter(part="valid")[0].task.key
    make_user("ada")

    output_of("models", "note", "Mine", key[:12], "too vague", "--kind", "gold", "--by", "ada")
    output_of("models", "note", "Mine", key[:12], "--kind", "context")
    shown = output_of("models", "instance", "Mine", key)

    assert "note by ada: a gold is wrong: too vague" in shown
    assert "note by the command line: the passage was not heeded" in shown
    with pytest.raises(CommandError, match="say what is wrong"):
        output_of("models", "note", "Mine", key)
    with pytest.raises(CommandError, match="no user"):
        output_of("models", "note", "Mine", key, "x", "--by", "nobody")


def test_experiments_and_splits_are_deleted_from_the_terminal_when_nothing_uses_them():
    experiment = execute_all(make_experiment("Mine", "frequency"))
    split, run = str(experiment.split_id), experiment.runs.get().pk

    assert output_of("models", "list").splitlines() == [
        f"Mine: 1 of 1 run, split {split}", f"split {split}: paper, seed 1, of {experiment.release}",
    ]  # fmt: skip
    with pytest.raises(CommandError, match="1 experiment uses this split: delete them first"):
        output_of("models", "delete-split", split, "--yes")
    assert "add --yes" in output_of("models", "delete-experiment", "Mine")
    assert Experiment.objects.exists()
    output_of("models", "delete-experiment", "Mine", "--yes")
    assert "add --yes" in output_of("models", "delete-split", split)
    output_of("models", "delete-split", split, "--yes")

    assert not Experiment.objects.exists()
    assert not Split.objects.exists()
    assert not default_storage.exists(f"runs/{run}/spec.json")


def test_an_experiment_with_open_runs_is_not_deleted():
    make_experiment("Mine", "frequency", is_queued=True)

    with pytest.raises(CommandError, match="cancel them first"):
        output_of("models", "delete-experiment", "Mine", "--yes")


@pytest.mark.parametrize(
    "arguments",
    [
        ["models", "worst", "99"],
        ["models", "instance", "Nothing", "abc"],
        ["models", "delete-split", "99"],
        ["make_split", "Nothing"],
        ["run_experiment", "Nothing"],
        ["run_experiment", "New", "--split", "99"],
        ["compare_runs", "1", "2"],
        ["export_ranking_task", "Nothing", "--out", "x"],
    ],
)
def test_what_is_not_there_is_named(arguments):
    with pytest.raises(CommandError, match="there is no"):
        output_of(*arguments)


def test_ranking_tasks_are_exported_in_three_formats(tmp_path):
    experiment = execute_all(make_experiment("Mine", "random"))

    output_of("export_ranking_task", "Mine", "--out", str(tmp_path / "tasks.jsonl"))
    output_of("export_ranking_task", "Mine", "--format", "csv", "--out", str(tmp_path / "csv"))
    output_of("export_ranking_task", "Mine", "--format", "fairseq", "--out", str(tmp_path / "fairseq"))

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

    assert {run.ranker for run in experiment.runs.all()} == set(usable_rankers(has_vectors=False))
    assert all(finished.values())
    assert {run.pk: run.finished_at for run in experiment.runs.all()} == finished
    assert again.text.startswith(f"{len(finished)} runs")
    demo.remove_demo_models()
    assert [left.name for left in Experiment.objects.all()] == ["Mine"]
    assert TaskSet.objects.count() == Split.objects.count() == 1
    assert Prediction.objects.exclude(run__experiment=mine).count() == 0
    assert not default_storage.exists(f"runs/{min(finished)}/spec.json")
    release.delete()


def test_the_demo_s_job_leaves_a_run_that_is_queued_to_its_own_job():
    release = make_synthetic_release("Demo", instances=40, is_demo=True)
    experiment = make_experiment(demo.NAME, "random", "frequency", split=make_split(release))
    Run.objects.filter(ranker="random").update(job=make_job(kind="run_ranker"))

    demo.run_demo_models(release, job=make_running_job(kind="demo_models"))

    assert [run.status for run in experiment.runs.all()] == ["queued", "succeeded"]


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
    from kernel.errors import NotAllowed
    from kernel.roles import Role
    from kernel.services import jobs as job_services

    with pytest.raises(NotAllowed):
        job_services.create_job("run_ranker", parameters={"run": 1}, by=make_user("cleo", Role.ANNOTATOR))
