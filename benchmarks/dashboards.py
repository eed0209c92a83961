"""The pages under /models/ with 200 runs on 430 test instances: milliseconds a page, first and later visits.

python -m benchmarks.dashboards [--runs 200] [--instances 1718]          (TESA_DATABASE_URL=… for PostgreSQL)

The runs are rows with drawn scores, evaluated by the product's own code; the pages are asked for inside one process.
"""

from __future__ import annotations

import argparse
import html
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

TARGET_MS = 300
VISITS = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--instances", type=int, default=1_718)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tesa-dashboards-", ignore_cleanup_errors=True) as folder:
        os.environ.update(TESA_TEST_VAR=folder, DJANGO_SETTINGS_MODULE="tesa_site.settings_test")
        run(options.runs, options.instances)


def run(runs: int, instances: int) -> None:
    import django

    django.setup()
    from django.conf import settings
    from django.test.utils import get_runner, setup_test_environment

    setup_test_environment()
    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        if measure(fill(runs, instances)) > TARGET_MS:
            sys.exit(f"a page took more than {TARGET_MS} ms")
    finally:
        runner.teardown_databases(databases)


def fill(runs: int, instances: int) -> Any:
    """Return an experiment of this many runs: ten rankers' names, then seeds; scores are drawn, figures computed."""
    import numpy as np

    from kernel.clock import now
    from modeling.evaluation import evaluate
    from modeling.grids import Grid, parse_entries
    from modeling.metrics import PRIMARY
    from modeling.models import Prediction, Run, TaskRow
    from modeling.rankers import usable_rankers
    from modeling.selectors.datasets import dataset_of
    from modeling.services import experiments, running
    from tests import make

    split = make.make_split(make.make_synthetic_release(instances=instances))
    plan = experiments.ExperimentPlan(name="Dashboards", split=split, grid=Grid(parse_entries(["random"])))
    experiment = experiments.create_experiment(plan, by=None, is_queued=False)
    dataset = dataset_of(experiment.task_set)
    running.fill_task_set(experiment.task_set, dataset)
    ids = dict(TaskRow.objects.values_list("key", "pk"))
    experiment.runs.all().delete()
    names = usable_rankers(has_vectors=False)
    lot = np.random.default_rng(0)
    for number in range(1, runs + 1):
        row = Run(experiment=experiment, number=number, ranker=names[number % len(names)], seed=number)
        evaluations = {}
        predictions = []
        for part in ("valid", "test"):
            tasks = dataset[part]
            scores = [(lot.normal(size=len(t.labels)) + np.array(t.labels) * (number % 7) / 3).tolist() for t in tasks]
            evaluations[part] = evaluation = evaluate(tasks, scores, train=dataset["train"])
            predictions += [
                (part, key, scores[n], {metric: float(evaluation.values[metric][n]) for metric in PRIMARY})
                for n, key in enumerate(evaluation.keys)
            ]
        row.metrics = {
            part: {metric: _figure(evaluation.values[metric]) for metric in evaluation.values}
            for part, evaluation in evaluations.items()
        }
        row.tie_broken = {
            part: {name: float(v.mean()) for name, v in f.tie_broken.items()} for part, f in evaluations.items()
        }
        row.breakdowns = {part: _breakdown(evaluation, PRIMARY) for part, evaluation in evaluations.items()}
        row.curve = [{"epoch": n, "loss": 1 / n, "valid_ap": 1 - 1 / n} for n in range(1, 51)]
        row.weights = {"names": [f"feature {n}" for n in range(15)] + ["bias"], "values": [0.1] * 16, "unit": "weight"}
        row.hashes, row.seconds, row.finished_at = {"predictions.jsonl": str(number)}, 1.0, now()
        row.save()
        Prediction.objects.bulk_create(
            [
                Prediction(run=row, task_id=ids[key], part=part, scores=scores, **values)
                for part, key, scores, values in predictions
            ],
            batch_size=500,
        )
    print(f"{runs} runs, {Prediction.objects.count():,} predictions, {len(dataset['test'])} test instances")
    return experiment


def _figure(values: Any) -> dict[str, float]:
    mean = float(values.mean())
    return {"mean": mean, "low": mean - 0.03, "high": mean + 0.03, "deviation": float(values.std())}


def _breakdown(evaluation: Any, metrics: tuple[str, ...]) -> dict[str, Any]:
    return {
        by: {
            value: {"n": len(places)} | {metric: _figure(evaluation.values[metric][places]) for metric in metrics}
            for value, places in groups.items()
        }
        for by, groups in evaluation.groups.items()
    }


def measure(experiment: Any) -> float:
    """Print milliseconds of each page, and of the drawings it asks for afterwards; return the slowest page."""
    from django.test import Client
    from django.urls import reverse

    from modeling.jobs import warm
    from modeling.models import TaskRow
    from tests.make import make_user

    client = Client()
    client.force_login(make_user("ben"))
    first, second = experiment.runs.order_by("number")[:2]
    task = TaskRow.objects.filter(part="valid").first()
    assert task
    pages = {
        "a page without queries of ours (calibration)": reverse("account"),
        "experiments": reverse("experiments"),
        "Train": reverse("experiment-new"),
        "experiment": reverse("experiment", args=[experiment.pk]),
        "run": reverse("run", args=[first.pk]),
        "errors": reverse("run-errors", args=[first.pk]),
        "compare": f"{reverse('compare')}?a={first.pk}&b={second.pk}",
        "instance, chosen runs": reverse("model-instance", args=[experiment.pk, task.key]),
        "instance, all runs": reverse("model-instance", args=[experiment.pk, task.key]) + "?all=1",
        "split": reverse("split", args=[experiment.split_id]),
    }
    client.get(reverse("jobs"))  # the first page of a process imports
    print(f"significance, by the last run's job: {_milliseconds(partial(warm, experiment)):.0f} ms")
    slowest = 0.0
    for name, path in pages.items():
        visit = partial(_get, client, path)
        first_visit, asked = _milliseconds(visit), re.findall(rb'hx-get="([^"]+)" hx-trigger="load"', visit().content)
        drawing = partial(_draw, client, asked)
        drawn = f"   then {len(asked)} drawings in {_milliseconds(drawing):.0f} ms" if asked else ""
        times = [_milliseconds(visit) for _ in range(VISITS)]
        later = statistics.median(times)
        slowest = max(slowest, first_visit, later)
        print(f"{name:45} first {first_visit:7.0f} ms   later {later:6.0f} ms (best {min(times):.0f}){drawn}")
    return slowest


def _draw(client: Any, addresses: list[bytes]) -> None:
    """Ask for drawings as a page does."""
    for address in addresses:
        _get(client, html.unescape(address.decode()), headers={"HX-Request": "true"})


def _get(client: Any, address: str, **options: Any) -> Any:
    answer = client.get(address, **options)
    assert answer.status_code == 200, answer.status_code
    return answer


def _milliseconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
