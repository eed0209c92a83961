"""An experiment is a grid of runs; a run ends whole, can be stopped and taken up, and repeats bit for bit."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from django.core.files.storage import default_storage

from annotation.models import Release
from annotation.services import releases
from kernel.errors import Cancelled, InvalidInput, WrongState
from kernel.models import AuditEntry, Job
from kernel.progress import Silent
from modeling import jobs
from modeling.candidates import CandidateOptions
from modeling.models import Experiment, Prediction, Run, Split, TaskRow, TaskSet
from modeling.run_folder import REPEATABLE
from modeling.selectors import results
from modeling.selectors.datasets import dataset_of
from modeling.services import experiments, run_files, running, splits
from tests.make import execute_all, make_experiment, make_running_job, make_split, make_synthetic_release, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.VAR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "files"


def text_of(run: Run, name: str) -> str:
    with default_storage.open(f"{run.folder}/{name}") as file:
        return str(file.read().decode())


class Stopping(Silent):
    """Progress of somebody who cancels when a step begins."""

    def __init__(self, step: str) -> None:
        self.step = step

    def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
        if step == self.step:
            raise Cancelled("asked to stop")


# ---- Running --------------------------------------------------------------------------------------


def test_a_run_leaves_files_in_the_storage_and_rows_that_say_the_same():
    experiment = execute_all(make_experiment("One", "logistic-tesa"))
    run = experiment.runs.get()

    rows = [json.loads(line) for line in text_of(run, "metrics.jsonl").splitlines()]
    means = {(row["part"], row["metric"]): row["mean"] for row in rows if row["kind"] == "result"}
    assert means == {(part, name): figure["mean"] for part, by in run.metrics.items() for name, figure in by.items()}
    predictions = [json.loads(line) for line in text_of(run, "predictions.jsonl").splitlines()]
    kept = {row.task.key: row for row in Prediction.objects.filter(run=run).select_related("task")}
    assert len(predictions) == len(kept) == 30
    for prediction in predictions:
        stored = kept[prediction["key"]]
        assert (stored.scores, stored.part) == (prediction["scores"], prediction["part"])
        assert (stored.task.phrases, stored.task.labels) == (prediction["candidates"], prediction["labels"])
    spec = json.loads(text_of(run, "spec.json"))
    assert (spec["ranker"], spec["release"]) == ("logistic-tesa", experiment.release.content_hash)
    assert spec["dataset"] == Experiment.objects.get().task_set.content_hash
    assert run.curve[0]["epoch"] == 1
    assert run.weights["names"][-1] == "bias"
    assert {"tesa", "numpy"} <= run.versions.keys()
    assert run.hardware["cores"]
    assert "done" in text_of(run, "log.txt")


def test_a_release_too_small_to_rank_anything_is_named_as_the_cause(monkeypatch):
    run = make_experiment("Tiny", "background-count").runs.get()
    dataset = dataset_of(run.experiment.task_set)
    empty = replace(dataset, parts=dict.fromkeys(dataset.parts, ()))
    monkeypatch.setattr(running, "dataset_of", lambda task_set: empty)

    with pytest.raises(InvalidInput, match="Freeze a release with more instances"):
        running.execute_run(run.pk, Silent())


def test_a_run_repeats_bit_for_bit():
    experiment = execute_all(make_experiment("First", "logistic-tesa", "boosting trees=5", "random", "logistic-paper"))

    for run in experiment.runs.all():
        assert set(running.verify_run(run.pk, Silent()).values()) == {True}
    other = execute_all(make_experiment("Second", "boosting trees=5", split=experiment.split))
    assert other.runs.get().hashes == experiment.runs.get(ranker="boosting").hashes


def test_verifying_tells_when_a_file_is_not_the_same():
    run = execute_all(make_experiment("One", "frequency")).runs.get()
    Run.objects.filter(pk=run.pk).update(hashes=run.hashes | {"predictions.jsonl": "0" * 64})

    assert running.verify_run(run.pk, Silent())["predictions.jsonl"] is False


def test_verifying_computes_the_features_anew(settings):
    run = execute_all(make_experiment("One", "context-count")).runs.get()
    kept = [*(settings.VAR / "cache" / "features").rglob("*.npy")]
    for path in kept:
        np.save(path, np.load(path) + 1000 * np.arange(np.load(path).shape[0])[:, None])

    assert kept
    assert set(running.verify_run(run.pk, Silent()).values()) == {True}


@pytest.mark.parametrize("step", ["Training", "Saving predictions"])
def test_a_run_that_was_stopped_is_taken_up_and_ends_as_if_it_had_not(step):
    whole = execute_all(make_experiment("Whole", "logistic-tesa")).runs.get()
    run = make_experiment("Stopped", "logistic-tesa", split=whole.experiment.split).runs.get()
    with pytest.raises(Cancelled):
        running.execute_run(run.pk, Stopping(step))
    run.refresh_from_db()
    assert not run.finished_at

    running.execute_run(run.pk, Silent())

    run.refresh_from_db()
    assert {name: run.hashes[name] for name in REPEATABLE} == {name: whole.hashes[name] for name in REPEATABLE}
    assert run.predictions.count() == 30


def test_a_whole_run_is_not_run_again():
    run = execute_all(make_experiment("One", "random")).runs.get()

    running.execute_run(run.pk, Stopping("Drawing candidates"))

    assert Run.objects.get().finished_at == run.finished_at


def test_a_work_folder_of_another_version_is_begun_anew(settings):
    run = make_experiment("One", "random").runs.get()
    settings.VERSION = "0.0.1"
    with pytest.raises(Cancelled):
        running.execute_run(run.pk, Stopping("Saving predictions"))
    settings.VERSION = "0.0.2"

    running.execute_run(run.pk, Silent())

    assert json.loads(text_of(run, "spec.json"))["tesa"] == "0.0.2"


def test_experiments_with_the_same_candidates_share_their_tasks():
    first = execute_all(make_experiment("First", "random"))
    second = execute_all(make_experiment("Second", "frequency", split=first.split))

    assert first.task_set == second.task_set
    assert TaskRow.objects.count() == 30


def test_candidates_that_come_out_otherwise_are_refused():
    experiment = execute_all(make_experiment("First", "random"))
    type(experiment.task_set).objects.update(content_hash="0" * 64)
    other = make_experiment("Second", "random", split=experiment.split)

    with pytest.raises(WrongState, match="other candidates"):
        running.execute_run(other.runs.get().pk, Silent())


def test_a_share_of_the_training_part_is_less_to_learn_from_and_the_same_to_be_judged_by():
    experiment = execute_all(make_experiment("Sizes", "frequency", shares=(10, 100)))

    few, all_of_it = experiment.runs.order_by("share")
    assert few.metrics["valid"]["ap"]["mean"] != all_of_it.metrics["valid"]["ap"]["mean"]
    assert few.predictions.count() == all_of_it.predictions.count()
    assert few.breakdowns["test"]["seen"]["seen"]["n"] == all_of_it.breakdowns["test"]["seen"]["seen"]["n"]


def test_a_run_waits_until_it_is_begun_and_then_shows_the_state_of_the_job_that_does_it():
    experiment = make_experiment("Two", "random", "frequency")
    seen = []

    class Looking(Silent):
        def report(self, done: int, total: int | None = None, step: str | None = None) -> None:
            seen.append([run.status for run in experiment.runs.order_by("number")])

    first, job = experiment.runs.order_by("number").first(), make_running_job(kind="demo_models")
    running.execute_run(first.pk, Looking(), job=job)

    assert seen[0] == ["running", "waiting"]
    first.refresh_from_db()
    assert first.job == job  # its page leads to what was logged
    assert experiments.resume_experiment(experiment, by=None)[0].parameters == {"run": first.pk + 1}


# ---- Afterwards -----------------------------------------------------------------------------------


def test_cancelling_stops_what_is_open_and_resuming_queues_it_again():
    experiment = make_experiment("Two", is_queued=True)
    ada = make_user("ada")

    assert experiments.cancel_experiment(experiment, by=ada) == 2
    assert {run.status for run in experiment.runs.all()} == {"cancelled"}

    jobs = experiments.resume_experiment(experiment, by=ada)
    assert [job.attempt for job in jobs] == [2, 2]
    assert experiments.resume_experiment(experiment, by=ada) == []


def test_opening_the_test_figures_is_recorded_once():
    experiment, ada, ben = make_experiment(), make_user("ada"), make_user("ben")

    experiments.open_test(experiment, by=ada)
    experiments.open_test(experiment, by=ben)

    experiment.refresh_from_db()
    assert experiment.opened_by == "ada"
    assert AuditEntry.objects.filter(action="open test figures").count() == 1


def test_deleting_an_experiment_takes_its_files_and_leaves_the_split():
    experiment = execute_all(make_experiment())
    folder = experiment.runs.first().folder

    experiments.delete_experiment(experiment, by=None)

    assert not Run.objects.exists()
    assert not default_storage.exists(f"{folder}/spec.json")
    assert Split.objects.exists()


@pytest.mark.parametrize("end", [experiments.leave_out_unfinished, experiments.delete_experiment])
def test_what_a_run_left_half_done_goes_with_it(end):
    experiment = make_experiment("Two", "random", "frequency")
    whole, half = experiment.runs.all()
    running.execute_run(whole.pk, Silent())
    with pytest.raises(Cancelled):
        running.execute_run(half.pk, Stopping("Saving predictions"))
    assert run_files.work_folder(half.pk).exists()

    end(experiment, by=None)

    assert not run_files.work_folder(half.pk).exists()


def test_a_split_is_deleted_with_its_tasks_when_no_experiment_uses_it_and_the_release_then_too():
    experiment = execute_all(make_experiment())
    split, release = experiment.split, experiment.release
    with pytest.raises(WrongState, match="1 experiment uses this split: delete them first"):
        splits.delete_split(split, by=None)

    experiments.delete_experiment(experiment, by=None)
    splits.delete_split(split, by=None)

    assert not TaskSet.objects.exists()
    assert AuditEntry.objects.filter(action="delete split").count() == 1
    releases.delete_release(release, by=None)
    assert not Release.objects.exists()


def test_a_release_that_is_used_names_three_users_of_each_kind_and_counts_the_others():
    release = make_synthetic_release()
    for seed in range(5):
        make_split(release, seed=seed)

    with pytest.raises(WrongState, match=r"split “paper, seed 4”, .*, 2 more splits: delete that first"):
        releases.delete_release(release, by=None)


def test_an_experiment_with_open_runs_is_not_deleted():
    with pytest.raises(WrongState, match="cancel them first"):
        experiments.delete_experiment(make_experiment(is_queued=True), by=None)


def test_the_job_of_the_last_run_tests_for_significance_so_that_the_page_need_not(monkeypatch):
    experiment = make_experiment("Last", "random", "frequency", is_queued=True)
    Job.objects.update(status="running")  # both at once
    tested = []
    monkeypatch.setattr(results, "p_values", lambda values: tested.append(len(values)) or [{} for _ in values])

    for run in experiment.runs.all():
        jobs.run_ranker({"run": run.pk}, Silent())

    assert tested == [2]
    results.results_table(results.runs_of(experiment))
    assert tested == [2]


def test_golds_that_do_not_fit_in_the_candidates_are_refused_before_anything_is_made():
    split = make_split()
    most = max(int(golds) for part in split.statistics.values() for golds in part["by_golds"])

    with pytest.raises(InvalidInput, match=f"an instance has {most} golds, which do not fit in {most - 1} candidates"):
        make_experiment("Tight", "random", split=split, options=CandidateOptions(size=most - 1))

    assert not Experiment.objects.exists()
    assert execute_all(make_experiment("Fits", "random", split=split, options=CandidateOptions(size=most))).pk


def test_a_release_of_one_type_is_split_ranked_and_shown():
    release = make_synthetic_release("One type", instances=90)
    release.items.exclude(type="person").delete()

    experiment = execute_all(make_experiment("One", "frequency", "logistic-tesa", split=make_split(release)))

    assert {type_ for run in experiment.runs.all() for type_ in run.breakdowns["test"]["type"]} == {"person"}


@pytest.mark.parametrize("instances", [1, 3])
def test_too_few_instances_are_refused_in_one_sentence(instances):
    with pytest.raises(InvalidInput, match=f"{instances} instance.* at least four are needed"):
        make_split(make_synthetic_release("Few", instances=instances))


def test_a_finished_run_names_its_preparation_and_version_1_is_not_verified_or_mixed_with_version_2():
    experiment = make_experiment("Words", "all-count", "logistic-tesa", "frequency")
    first, second, third = experiment.runs.order_by("number")
    running.execute_run(first.pk, Silent())
    running.execute_run(third.pk, Silent())
    first.refresh_from_db()
    assert first.preparation == "paper 2"
    assert Run.objects.get(pk=third.pk).preparation == ""
    with default_storage.open(f"{first.folder}/spec.json") as file:
        assert json.load(file)["preparation"] == "paper 2"

    Run.objects.filter(pk=first.pk).update(preparation="paper 1")

    with pytest.raises(WrongState, match=r"Words, run 1 was made with version 1 of the preparation 'paper'"):
        running.execute_run(second.pk, Silent())
    with pytest.raises(WrongState, match="run it again in a new experiment"):
        running.verify_run(first.pk, Silent())
    assert all(running.verify_run(third.pk, Silent()).values())
