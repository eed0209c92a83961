"""The same rankers on k folds: made with one click or command, and told as mean and deviation of the chosen figures."""

from __future__ import annotations

import csv
from io import StringIO
from statistics import fmean, stdev

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from kernel.progress import Silent
from modeling.grids import Grid, parse_entries
from modeling.models import Experiment, Split
from modeling.selectors import folds, results
from modeling.services import experiments, running, splits
from tests.make import execute_all, make_experiment, make_split, make_synthetic_release
from tests.modeling.page_text import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]
FORM = {"name": "Mine", "action": "chosen", "rankers": ["frequency", "random"], "seeds": "1 2", "folds": "3"}


def by_hand(part: str, metric: str, ranker: str) -> tuple[float, float]:
    """Return mean and deviation over the experiments of the run with the best validation MAP."""
    values = []
    for experiment in Experiment.objects.all():
        runs = experiment.runs.filter(ranker=ranker)
        chosen = max(runs, key=lambda run: (run.metrics["valid"]["ap"]["mean"], -run.number))
        values.append(chosen.metrics[part][metric]["mean"])
    return fmean(values), stdev(values)


def test_the_train_page_makes_an_experiment_on_each_fold_and_their_pages_show_the_mean(researcher):
    release = make_synthetic_release()

    answer = researcher.post(reverse("experiment-new"), FORM, follow=True)

    assert f"This makes 9 runs on {release}: 3 on each of 3 folds." in text_of(answer)
    made = [*Experiment.objects.order_by("pk")]
    assert [experiment.name for experiment in made] == ["Mine, fold 1 of 3", "Mine, fold 2 of 3", "Mine, fold 3 of 3"]
    assert [experiment.split.fold for experiment in made] == [0, 1, 2]
    assert len({str(experiment.split.value["parts"]["test"]) for experiment in made}) == 1
    for experiment in made:
        execute_all(experiment)
    page = text_of(researcher.get(made[1].get_absolute_url()))
    assert "Mean of 3 folds" in page
    mean, deviation = by_hand("test", "ap", "random")
    assert f"{mean:.3f}" in page.split("Mean of 3 folds")[1]
    assert f"± {deviation:.3f}" in page.split("Mean of 3 folds")[1]


def test_no_mean_on_test_is_shown_while_a_run_of_any_fold_could_still_be_chosen(researcher):
    make_synthetic_release()
    researcher.post(reverse("experiment-new"), FORM)
    first, second, last = Experiment.objects.order_by("pk")
    execute_all(first)
    execute_all(second)
    running.execute_run(last.runs.get(ranker="frequency").pk, Silent())

    fold_set = folds.fold_set(first)

    assert results.is_choice_open(last)
    assert fold_set is not None
    assert fold_set.is_open
    assert [line.label for line in fold_set.lines] == ["frequency"]
    assert {part for line in fold_set.lines for part, _ in line.spreads} == {"valid"}
    page = text_of(researcher.get(first.get_absolute_url()))
    assert "the mean on the test part appears when all have finished or were left out" in page


def test_opening_the_test_figures_of_a_fold_does_not_make_a_mean_of_what_is_not_chosen_yet(researcher):
    make_synthetic_release()
    researcher.post(reverse("experiment-new"), FORM)
    first, second, last = Experiment.objects.order_by("pk")
    execute_all(first)
    execute_all(second)
    running.execute_run(last.runs.get(ranker="frequency").pk, Silent())
    experiments.open_test(last, by=None)

    fold_set = folds.fold_set(first)

    assert fold_set is not None
    assert fold_set.is_open
    assert {part for line in fold_set.lines for part, _ in line.spreads} == {"valid"}


def test_without_every_fold_there_is_no_mean(researcher):
    make_synthetic_release()
    researcher.post(reverse("experiment-new"), FORM)
    for experiment in Experiment.objects.all():
        execute_all(experiment)
    first, second, _ = Experiment.objects.order_by("pk")
    second.grid = {}  # not the same rankers
    second.save()

    fold_set = folds.fold_set(first)

    assert fold_set is not None
    assert (fold_set.missing, fold_set.lines) == (1, ())
    assert "1 fold has no such experiment" in text_of(researcher.get(first.get_absolute_url()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"folds": "1"}, "greater than or equal to 2"),
        ({"folds": "21"}, "less than or equal to 20"),
        ({"rule": "unseen"}, "folds can be made by the rules paper and grouped only"),
        ({"name": "Taken"}, "An experiment named “Taken, fold 3 of 3” exists: choose another name"),
        ({"name": "x" * 95}, "give the experiment a name of at most 87 characters, because each fold adds its number"),
        (
            {"seeds": " ".join(map(str, range(20))), "grid": "logistic-paper epochs=1,2", "folds": "9"},
            "these are 549 runs on 9 folds: choose fewer values or folds, at most 500 runs",
        ),
        ({"split": "old"}, "Folds are made of a new split"),
    ],
)
def test_folds_that_cannot_be_made_are_said_and_leave_no_experiment(researcher, change, message):
    old = make_experiment("Taken, fold 3 of 3").split
    change = {**change, "split": str(old.pk)} if "split" in change else change

    answer = researcher.post(reverse("experiment-new"), FORM | change)

    assert answer.status_code == 422
    assert message in text_of(answer)
    assert Experiment.objects.count() == 1


def test_an_experiment_on_each_fold_is_made_by_few_queries_whatever_the_number_of_runs():
    made = splits.make_splits(make_synthetic_release(), 2, rule="paper", seed=1, by=None)
    seen = []
    for seeds in ((1, 2), tuple(range(20))):
        grid = Grid(parse_entries(["random", "logistic-paper"]), seeds)
        plan = experiments.ExperimentPlan(f"With {len(seeds)} seeds", made[0], grid)
        with CaptureQueriesContext(connection) as queries:
            created = experiments.create_experiments(plan, made, by=None)
        assert [len(experiments.open_jobs(experiment)) for experiment in created] == [2 * len(seeds)] * 2
        seen.append(len(queries))

    assert seen[1] <= seen[0]


def test_runs_on_folds_count_before_a_hundred_are_started(researcher):
    make_synthetic_release()
    data = FORM | {"seeds": " ".join(map(str, range(20))), "folds": "5"}

    asked = researcher.post(reverse("experiment-new"), data)

    assert "This makes 105 runs." in text_of(asked)
    assert not Split.objects.exists()


def test_an_experiment_on_no_fold_has_no_mean_of_folds(researcher):
    experiment = execute_all(make_experiment("Mine", "frequency", split=make_split()))

    assert folds.fold_set(experiment) is None
    assert "Mean of" not in text_of(researcher.get(experiment.get_absolute_url()))


def output_of(*arguments: str) -> str:
    out = StringIO()
    call_command("run_experiment", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.django_db(transaction=True)
def test_folds_are_run_and_their_mean_is_printed_from_the_terminal():
    make_synthetic_release()

    text = output_of("Mine", "--release", "Phrases", "--folds", "3", "--ranker", "frequency")
    again = output_of("Mine", "--format", "csv")

    mean, deviation = by_hand("test", "rr", "frequency")
    assert f"{mean:.3f} ± {deviation:.3f} |" in text.split("Mean of 3 folds ± standard deviation")[1]
    (row,) = csv.DictReader(line for line in again.split("share one test part.")[1].splitlines() if line)
    assert float(row["test MRR mean"]) == pytest.approx(mean)
    assert float(row["test MRR deviation"]) == pytest.approx(deviation)
    assert r"\pm" in output_of("Mine, fold 2 of 3", "--format", "tex").split("share one test part.")[1]
    with pytest.raises(CommandError, match="--release"):
        output_of("Other", "--split", str(Split.objects.first().pk), "--folds", "3")
