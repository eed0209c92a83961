"""Every number on the pages under /models/ equals a recomputation from predictions.jsonl by code that is not ours."""

from __future__ import annotations

import csv
import inspect
import io
import re
import sys

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from modeling.models import TaskRow
from modeling.selectors import results
from tests.make import execute_all, make_experiment, make_split, make_synthetic_release
from tests.modeling import recompute as recompute_script
from tests.modeling.page_text import text_of
from tests.modeling.recompute import COLUMNS, METRICS, differences, recompute
from tests.modeling.run_files import predictions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


def test_every_mean_of_the_table_equals_a_recomputation_from_the_files(researcher, experiment):
    page = researcher.get(reverse("experiment", args=[experiment.pk]))
    table = researcher.get(reverse("results-file", args=[experiment.pk, "csv"])).content.decode("utf-8-sig")

    shown = re.findall(
        r'<th scope="row"><a class="title" href="/models/runs/(\d+)/">.*?</tr>', page.content.decode(), re.S
    )
    rows = list(csv.DictReader(io.StringIO(table)))
    rows.sort(key=lambda row: -float(row["valid MAP mean"]))
    assert [row["run"] for row in rows] == shown
    assert len(rows) == 3
    for row in rows:
        recomputed = recompute(predictions(int(row["run"])))
        for (part, name), value in recomputed.items():
            if name not in COLUMNS:
                continue
            assert float(row[f"{part} {name} mean"]) == pytest.approx(value, abs=1e-12)
        cells = _cells(page.content.decode(), row["run"])
        columns = [("test", name) for name in COLUMNS] + [("valid", "MAP")]
        assert cells == [f"{recomputed[column]:.3f}" for column in columns]


def test_every_metric_of_every_run_equals_a_recomputation_by_a_script_that_imports_nothing_of_ours(experiment):
    for run in experiment.runs.all():
        lines = predictions(run.pk)
        recomputed = recompute(lines)
        with default_storage.open(f"{run.folder}/metrics.jsonl") as file:
            off = differences(lines, file.read().decode().splitlines())

        assert len(recomputed) == 12
        assert max(off.values()) < 1e-12
        for (part, name), value in recomputed.items():
            assert run.metrics[part][METRICS[name]]["mean"] == pytest.approx(value, abs=1e-12)
    imported = re.findall(r"^\s*(?:from|import) (\w+)", inspect.getsource(recompute_script), re.M)
    assert set(imported) <= sys.stdlib_module_names


def _cells(page: str, run: str) -> list[str]:
    row = re.search(rf'<th scope="row"><a class="title" href="/models/runs/{run}/">.*?</tr>', page, re.S)
    assert row
    return re.findall(r'<td class="number[^>]*>(?:<strong>)?([\d.]+)', row.group())


def test_the_breakdown_of_a_run_equals_a_recomputation_over_those_instances(researcher, experiment):
    run = experiment.runs.get(ranker="frequency")
    lines = predictions(run.pk)

    for by, groups in run.breakdowns["test"].items():
        for value, figures in groups.items():
            fields = {"type": {"type": value}, "size": {"size": value}, "seen": {"is_seen": value == "seen"}}[by]
            keys = set(TaskRow.objects.filter(part="test", **fields).values_list("key", flat=True))
            recomputed = recompute(lines, keys)
            assert figures["n"] == len(keys)
            assert figures["ap"]["mean"] == pytest.approx(recomputed["test", "MAP"], abs=1e-12)
            assert figures["rr"]["mean"] == pytest.approx(recomputed["test", "MRR"], abs=1e-12)
    page = text_of(researcher.get(reverse("run", args=[run.pk])))
    assert f"{recompute(lines)['test', 'MAP']:.4f}" in page


def test_the_errors_and_the_comparison_say_what_the_files_say(researcher, experiment):
    first, second = experiment.runs.get(ranker="frequency"), experiment.runs.filter(ranker="random").first()
    means = [recompute(predictions(run.pk))["valid", "MAP"] for run in (first, second)]

    page = text_of(researcher.get(reverse("compare"), {"a": first.pk, "b": second.pk}))

    for run, mean in zip((first, second), means, strict=True):
        assert f"MAP of {run.label} {mean:.3f}" in page
    assert "Validation part 15 instances" in page
    errors = researcher.get(reverse("run-errors", args=[first.pk]))
    values = [error.prediction.ap for error in errors.context["errors"]]
    assert values == sorted(values)
    assert sum(values) / len(values) == pytest.approx(means[0])
    for error in errors.context["errors"]:
        key = {error.task.key}
        assert error.prediction.ap == pytest.approx(recompute(predictions(first.pk), key)["valid", "MAP"])


def test_the_pages_lead_with_a_number_its_interval_and_its_difference_to_the_rival(researcher, experiment):
    run_by_ranker = {run.ranker: run for run in results.chosen_runs(experiment.runs.order_by("number"))}
    best, following = sorted(run_by_ranker.values(), key=lambda run: -run.metrics["valid"]["ap"]["mean"])[:2]
    change = recompute(predictions(best.pk))["test", "MAP"] - recompute(predictions(following.pk))["test", "MAP"]

    for run, rival, sign, name in (
        (best, following, 1, "experiment"),
        (best, following, 1, "run"),
        (following, best, -1, "run"),
    ):
        page = text_of(researcher.get(reverse(name, args=[experiment.pk if name == "experiment" else run.pk])))

        ahead = "Ahead of" if sign * change >= 0 else "Behind"
        difference = f"{sign * change:+.3f}".replace("-", "−")
        assert f"{ahead} {rival.ranker} by {difference}" in page
        assert f"95% interval {run.metrics['test']['ap']['low']:.3f} to {run.metrics['test']['ap']['high']:.3f}" in page


def test_too_few_instances_have_no_interval_and_few_are_said_to_be_few(researcher):
    split = make_split(make_synthetic_release(instances=10))
    experiment = execute_all(make_experiment("Few", "random", "frequency", split=split, seeds=(1, 2)))

    page = text_of(researcher.get(reverse("experiment", args=[experiment.pk])))
    of_run = text_of(researcher.get(reverse("run", args=[experiment.runs.first().pk])))

    assert "no interval: fewer than 5 instances" in page
    assert "Only 2 test instances" in page
    assert "[too few]" in page
    assert "no interval: fewer than 5 instances" in of_run
    assert "95% interval" not in of_run
    plot = researcher.get(reverse("experiment-plot", args=[experiment.pk, "methods", "svg"]))
    assert plot.status_code == 200
