from __future__ import annotations

from pathlib import Path

import pytest

from kernel.progress import Silent
from modeling.execution import RunResult, execute
from modeling.rankers import RANKERS
from modeling.rankers.base import Resources
from modeling.run_folder import RunFolder
from tests.modeling.recompute import differences
from tests.modeling.values import synthetic_dataset

NAMES = ("spec.json", "metrics.jsonl", "predictions.jsonl", "model.json", "log.txt")


def run(path: Path, name: str = "logistic-tesa") -> RunResult:
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

    lines, metrics = ((tmp_path / name).read_text().splitlines() for name in ("predictions.jsonl", "metrics.jsonl"))

    off = differences(lines, metrics)
    assert {part for part, _ in off} == {"valid", "test"}
    assert max(off.values()) < 1e-12
