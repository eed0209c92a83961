"""Validation chooses: test figures of other runs, and of all while it may still choose another, stay hidden."""

from __future__ import annotations

import csv
import io
import json
import re
from random import Random

import pytest
from django.urls import reverse

from kernel.models import AuditEntry, Job
from kernel.progress import Silent
from modeling.models import Experiment, Run, TaskRow
from modeling.selectors import results
from modeling.services import experiments, running
from tests.make import execute_all, make_experiment
from tests.modeling.page_text import text_of
from tests.modeling.run_files import predictions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


def test_validation_chooses_and_the_test_figures_of_the_others_are_folded_away(researcher, experiment):
    page = researcher.get(reverse("experiment", args=[experiment.pk]))

    runs = {run.pk: run for run in experiment.runs.all()}
    best = max(runs.values(), key=lambda run: (run.metrics["valid"]["ap"]["mean"], -run.number))
    assert page.context["best"].run == best.pk
    others = list(page.context["others"])
    assert {run.ranker for run in others} == {"random", "logistic-tesa"}
    hidden = researcher.get(reverse("run", args=[others[0].pk]))
    assert "test figures stay hidden" in text_of(hidden)
    assert f"{runs[others[0].pk].metrics['test']['ndcg10']['mean']:.4f}" not in text_of(hidden)
    assert (
        researcher.get(reverse("run-errors", args=[others[0].pk]), {"part": "test"}).context["filters"].part == "valid"
    )


def test_files_of_a_run_that_validation_did_not_choose_hold_no_test_rows_until_these_are_opened(researcher, experiment):
    chosen = {run.pk for run in results.chosen_runs(experiment.runs.order_by("number"))}
    other = experiment.runs.exclude(pk__in=chosen).first()
    files = [reverse("run-file", args=[other.pk, name]) for name in ("metrics.jsonl", "predictions.jsonl")]

    def parts(address: str) -> set[str | None]:
        sent = b"".join(researcher.get(address).streaming_content).decode().splitlines()
        return {json.loads(line).get("part") for line in sent} - {None}

    assert [parts(address) for address in files] == [{"valid"}, {"valid"}]
    assert "without the rows of the test part" in text_of(researcher.get(reverse("run", args=[other.pk])))
    of_chosen = reverse("run-file", args=[min(chosen), "metrics.jsonl"])
    assert parts(of_chosen) == {"valid", "test"}
    researcher.post(reverse("experiment-open-test", args=[experiment.pk]))
    assert [parts(address) for address in files] == [{"valid", "test"}] * 2
    sent = b"".join(researcher.get(files[1]).streaming_content)
    assert sent.decode().splitlines() == predictions(other.pk)


def unfinished_experiment(state: str = "cancelled") -> Experiment:
    """Return an experiment with two whole runs and one in this state."""
    experiment = make_experiment("Open", "random", "frequency", "logistic-tesa", is_queued=state != "waiting")
    for run in experiment.runs.order_by("number")[:2]:
        running.execute_run(run.pk, Silent())
    if state != "waiting":
        Job.objects.update(status="succeeded")
        Job.objects.filter(runs__ranker="logistic-tesa").update(status=state)
    return experiment


@pytest.mark.parametrize("state", ["queued", "waiting", "cancelled"])
def test_while_a_run_is_not_whole_no_test_figure_is_shown_of_a_winner_that_may_change(researcher, state):
    experiment = unfinished_experiment(state)
    best = results.best_run(experiment)
    task = TaskRow.objects.filter(part="test").first()
    figures = [f"{best.metrics['test'][name]['mean']:.3f}" for name in ("ap", "r10", "rr")]

    page = text_of(researcher.get(reverse("experiment", args=[experiment.pk])))
    assert "1 run has not finished and can still change the choice" in page
    of_run = text_of(researcher.get(reverse("run", args=[best.pk])))
    assert "may still choose another" in of_run
    assert not any(figure in text for figure in figures for text in (page, of_run))
    table = researcher.get(reverse("results-file", args=[experiment.pk, "csv"])).content.decode("utf-8-sig")
    assert {row["test MAP mean"] for row in csv.DictReader(io.StringIO(table))} == {""}
    rows = researcher.get(f"/api/v1/experiments/{experiment.pk}/").json()["results"]
    assert [row["figures"]["test"] for row in rows] == [{}, {}]
    assert list(researcher.get(f"/api/v1/runs/{best.pk}/").json()["metrics"]) == ["valid"]
    assert researcher.get(reverse("experiment-plot", args=[experiment.pk, "breakdown", "csv"])).status_code == 404
    instance = researcher.get(reverse("model-instance", args=[experiment.pk, task.key]))
    assert instance.context["predictions"] == []
    execute_all(experiment)
    assert "Test MAP of" in text_of(researcher.get(reverse("experiment", args=[experiment.pk])))


def test_opened_while_a_run_is_not_whole_test_figures_are_shown_but_nothing_is_called_chosen(researcher):
    experiment = unfinished_experiment()

    page = text_of(researcher.post(reverse("experiment-open-test", args=[experiment.pk]), follow=True))

    assert "best on validation so far" in page
    assert "can still change the choice. Test figures are visible because ben showed them" in page
    assert "chosen on validation" not in page
    assert "Chosen" not in page
    best = results.best_run(experiment)
    of_run = text_of(researcher.get(reverse("run", args=[best.pk])))
    assert f"{best.metrics['test']['ndcg10']['mean']:.4f}" in of_run
    assert "Chosen" not in of_run


def test_the_best_run_is_the_best_of_those_that_validation_chose(experiment):
    runs, at_random = [*experiment.runs.order_by("number")], Random(1)
    figures = [{}, *({"valid": {"ap": {"mean": mean}}} for mean in (0.0, 1e-7, 0.25, 0.5, 1, 1.0))]
    for _ in range(60):
        for run in runs:
            run.metrics, run.share = at_random.choice(figures), at_random.choice([100, 100, 50])
            run.ranker = at_random.choice(["random", "frequency"])
            run.finished_at = at_random.choice([None, experiment.created_at, experiment.created_at])
        Run.objects.bulk_update(runs, ["metrics", "share", "ranker", "finished_at"])
        assert results.best_run(experiment) == results.best_of(results.chosen_runs(runs))


def test_opening_shows_them_and_says_who_did(researcher, experiment):
    other = researcher.get(reverse("experiment", args=[experiment.pk])).context["others"][0]

    researcher.post(reverse("experiment-open-test", args=[experiment.pk]))

    page = text_of(researcher.get(reverse("experiment-runs", args=[experiment.pk])))
    assert "ben showed all test" in page
    assert "Test MAP" in page
    run = Run.objects.get(pk=other.pk)
    assert f"{run.metrics['test']['ndcg10']['mean']:.4f}" in text_of(researcher.get(reverse("run", args=[run.pk])))


def test_a_test_instance_shows_only_the_chosen_runs_until_it_is_opened(researcher, experiment):
    task = TaskRow.objects.filter(part="test").first()
    address = reverse("model-instance", args=[experiment.pk, task.key])

    assert len(researcher.get(address, {"all": "1"}).context["predictions"]) == 3
    researcher.post(reverse("experiment-open-test", args=[experiment.pk]))
    assert len(researcher.get(address, {"all": "1"}).context["predictions"]) == 5


def test_the_mean_over_seeds_tells_nothing_of_test_until_it_was_opened(researcher, experiment):
    address = reverse("experiment", args=[experiment.pk])
    assert re.search(r"MAP over 2 seeds: validation 0\.\d+ ± 0\.\d+ 0", text_of(researcher.get(address)))

    researcher.post(reverse("experiment-open-test", args=[experiment.pk]))

    assert re.search(r"MAP over 2 seeds: validation [\d.]+ ± [\d.]+, test [\d.]+ ± ", text_of(researcher.get(address)))


def test_runs_that_did_not_finish_are_left_out_by_a_recorded_decision_and_then_validation_chooses(researcher):
    experiment = unfinished_experiment()
    address = reverse("experiment", args=[experiment.pk])
    assert "Leave out unfinished runs" in text_of(researcher.get(address))

    page = text_of(researcher.post(reverse("experiment-leave-out", args=[experiment.pk]), follow=True))

    assert "1 run left out." in page
    assert "Test MAP of" in page
    setup = text_of(researcher.get(reverse("experiment-setup", args=[experiment.pk])))
    assert "Left out logistic-tesa: not finished, left out by ben" in setup
    assert "Start unfinished runs" not in page
    assert experiments.resume_experiment(experiment, by=None) == []
    assert AuditEntry.objects.get(action="leave out unfinished runs").before == {"runs": ["logistic-tesa"]}


def test_nothing_is_left_out_while_runs_are_open_or_when_none_has_finished(researcher):
    some = unfinished_experiment("queued")
    none = make_experiment("None", "random", split=some.split)
    for experiment, message in ((some, "cancel them first"), (none, "resume them")):
        assert "Leave out unfinished runs" not in text_of(researcher.get(reverse("experiment", args=[experiment.pk])))

        answer = researcher.post(reverse("experiment-leave-out", args=[experiment.pk]), follow=True)

        assert message in text_of(answer)
    assert Run.objects.count() == 4


def test_a_run_on_a_share_of_the_training_part_holds_nothing_up_because_it_is_never_chosen(researcher):
    experiment = make_experiment("Curve", "frequency", shares=(10, 100))
    running.execute_run(experiment.runs.get(share=100).pk, Silent())

    page = text_of(researcher.get(reverse("experiment", args=[experiment.pk])))

    assert "Test MAP of" in page
    assert "1 run not started" in page
