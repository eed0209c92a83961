from __future__ import annotations

import json
from pathlib import Path

import pytest

from modeling.execution import Outcome, execute
from modeling.rankers import RANKERS
from modeling.rankers.base import Resources
from modeling.run_folder import RunFolder
from tesa_site.kernel.progress import Silent
from tests.modeling.values import synthetic_dataset

NAMES = ("spec.json", "metrics.jsonl", "predictions.jsonl", "model.json", "log.txt")


def run(path: Path, name: str = "logistic-tesa") -> Outcome:
    folder = RunFolder.open(path, {"ranker": name, "seed": 1})
    return execute(RANKERS[name]({}, Resources()), synthetic_dataset(), folder, seed=1, progress=Silent())


def files(path: Path) -> dict[str, bytes]:
    return {name: (path / name).read_bytes() for name in NAMES}


@pytest.mark.parametrize("name", ["logistic-tesa", "frequency"])
def test_the_same_run_leaves_the_same_bytes(name: str, tmp_path: Path):
    run(tmp_path / "a", name)
    run(tmp_path / "b", name)

    assert files(tmp_path / "a") == files(tmp_path / "b")


@pytest.mark.parametrize("lost", [("predictions.jsonl",), ("metrics.jsonl", "model.json", "predictions.jsonl"), ()])
def test_a_run_stopped_between_two_files_is_finished_with_the_same_result(lost: tuple[str, ...], tmp_path: Path):
    first = run(tmp_path)
    whole = files(tmp_path)
    for name in lost:
        (tmp_path / name).unlink()

    second = run(tmp_path)

    after = files(tmp_path)
    assert {name: after[name] for name in NAMES[:-1]} == {name: whole[name] for name in NAMES[:-1]}
    assert second.evaluations["test"].values["ap"].tolist() == first.evaluations["test"].values["ap"].tolist()
    assert [*second.curve] == [*first.curve]


def test_the_results_can_be_recomputed_from_the_predictions_without_our_metrics(tmp_path: Path):
    run(tmp_path)
    precisions, reciprocals = [], []
    for line in (tmp_path / "predictions.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["part"] == "test":
            order = sorted(range(len(row["scores"])), key=lambda place: (-row["scores"][place], place))
            golds = [rank for rank, place in enumerate(order, start=1) if row["labels"][place]]
            precisions.append(sum((n + 1) / rank for n, rank in enumerate(golds)) / len(golds))
            reciprocals.append(1 / golds[0])

    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    told = {row["metric"]: row["mean"] for row in rows if row["kind"] == "result" and row["part"] == "test"}

    assert told["ap"] == pytest.approx(sum(precisions) / len(precisions), abs=1e-12)
    assert told["rr"] == pytest.approx(sum(reciprocals) / len(reciprocals), abs=1e-12)
