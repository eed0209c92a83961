"""The paper's tables of an experiment: its figures beside ours, never instead of them."""

from __future__ import annotations

import pytest
from django.urls import reverse

from modeling import published
from modeling.models import Experiment, Run
from modeling.results_table import COLUMNS
from modeling.selectors import paper, results
from modeling.services import demo
from tests.make import execute_all, make_experiment, make_synthetic_release
from tests.modeling.page_text import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


def as_ablation(run: Run, **parameters: str) -> None:
    """Let a finished run pass for a neural one, so that no torch is needed."""
    Run.objects.filter(pk=run.pk).update(ranker="bart-generative", parameters=parameters)


@pytest.fixture
def ablated() -> Experiment:
    """Four runs; two pass for a neural ranker with and without the text."""
    experiment = execute_all(make_experiment("Paper", "random", "frequency", "context-count", "background-count"))
    by_name = {run.ranker: run for run in experiment.runs.all()}
    as_ablation(by_name["frequency"])
    as_ablation(by_name["context-count"], text_format="vc")
    return experiment


def test_table_4_shows_published_figures_in_columns_of_their_own(ablated):
    rows = {row.line.label: row for row in paper.table_4(results.results_table(results.runs_of(ablated)), "test")}

    assert rows["random"].published == tuple(published.FIGURES["random"]["test"][name] for name in COLUMNS)
    assert rows["bart-generative"].published == (0.701, 0.903, 0.840)
    assert rows["background-count"].published == (None, None, None)
    assert rows["random"].cells[0].mean == results.value_of(ablated.runs.get(ranker="random"), "test")


def test_table_5_is_the_difference_to_the_same_ranker_with_the_whole_text(ablated):
    (row,) = paper.table_5(results.chosen_runs(results.runs_of(ablated)), "test")

    whole, less = (results.value_of(run, "test") for run in (row.whole, row.run))
    assert row.comparison.difference == pytest.approx(less - whole)
    assert (row.run.method, row.reads, row.published) == ("bart-generative vc", "names of the entities alone", -0.145)


def test_a_backend_is_compared_with_itself_and_has_the_same_published_figures(ablated):
    whole, less = (
        ablated.runs.get(parameters={}, ranker="bart-generative"),
        ablated.runs.get(parameters__text_format="vc"),
    )
    as_ablation(whole, backend="fairseq")
    runs = results.runs_of(ablated)

    assert paper.table_5(results.chosen_runs(runs), "test") == []  # the other run has the other backend
    rows = {row.line.label: row.published for row in paper.table_4(results.results_table(runs), "test")}
    assert rows["bart-generative fairseq"] == (0.701, 0.903, 0.840)
    as_ablation(less, backend="fairseq", text_format="vc")
    (row,) = paper.table_5(results.chosen_runs(results.runs_of(ablated)), "test")
    assert (row.run.method, row.whole) == ("bart-generative vc fairseq", whole)


def test_table_6_shows_the_best_candidates_of_each_method_for_one_instance(ablated):
    task = paper.neighbours(ablated, "test", "")["here"]
    prediction = task.predictions.get(run__ranker="random")

    ((_, best),) = paper.table_6(task, [prediction])

    assert [candidate.score for candidate in best] == sorted(prediction.scores, reverse=True)[: paper.TOP]
    assert all(candidate.is_gold == bool(task.labels[task.phrases.index(candidate.phrase)]) for candidate in best)


def test_the_page_holds_all_three_and_leads_from_instance_to_instance(ablated, researcher):
    address = reverse("experiment-paper", args=[ablated.pk])
    page = researcher.get(address)
    second = page.context["after"]
    after = researcher.get(address, {"instance": second.key})

    content = text_of(page)
    assert all(text in content for text in ("Table 4", "Published", "0.701", "bart-generative vc", "−0.145", "Table 6"))
    assert after.context["task"] == second
    assert after.context["before"] == page.context["task"]
    assert researcher.get(address, {"instance": "nonsense"}).context["task"] == page.context["task"]


def test_while_the_choice_is_open_the_tables_show_validation_alone(ablated, researcher):
    Run.objects.filter(ranker="background-count").update(finished_at=None)

    page = researcher.get(reverse("experiment-paper", args=[ablated.pk]))

    assert page.context["part_name"] == "Validation"
    assert page.context["task"].part == "valid"
    assert page.context["ablations"][0].published is None


@pytest.mark.parametrize("has_torch", [True, False])
def test_the_demo_queues_tiny_neural_models_once_and_only_where_torch_is_installed(settings, has_torch):
    settings.HAS_TORCH = has_torch
    release = make_synthetic_release()

    jobs = demo.queue_demo_neural_models(release)

    assert {job.kind for job in jobs} == ({"run_ranker", "run_neural_ranker"} if has_torch else set())
    assert Experiment.objects.filter(is_demo=True).exists() == has_torch
    assert demo.queue_demo_neural_models(release) == []
