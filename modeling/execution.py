"""One run from beginning to end: fit, save the model, score valid and test, save predictions and figures.

Each step writes its file complete, so an interrupted run continues at the first missing file. The files contain neither
times nor machine names: the same specification gives the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kernel.atomic_files import read_lines, write_lines
from kernel.progress import Progress
from kernel.values import Json
from modeling.dataset import Dataset, RankingTask
from modeling.evaluation import Evaluation, TaskScores, evaluate, prediction_lines, read_predictions, scores_for
from modeling.generations import generation_lines, mark
from modeling.rankers.base import Expecting, Generating, Ranker
from modeling.run_folder import RunFolder

EVALUATED = ("valid", "test")


@dataclass(frozen=True)
class RunResult:
    """The scores of each part as its file holds them, their evaluation, and the learning curve."""

    scores: Mapping[str, Sequence[tuple[float, ...]]]
    evaluations: Mapping[str, Evaluation]
    curve: Sequence[Mapping[str, Json]]


def execute(
    ranker: Ranker, dataset: Dataset, folder: RunFolder, *, seed: int, progress: Progress, share: int = 100
) -> RunResult:
    """Run the ranker on the dataset, or continue an interrupted run; a finished run is only read.

    The ranker learns from `share` per cent of the training part. Whether an entity was seen depends on all of it.
    """
    state = folder.model()
    if state is None:
        folder.log("fitting")
        if isinstance(ranker, Expecting):
            ranker.expect(dataset["test"])
        train = training_share(dataset["train"], share)
        curve = ranker.fit(train, dataset["valid"], seed=seed, progress=progress)
        folder.write_metrics({"kind": "curve", **row} for row in curve)
        folder.save_model(ranker.state())
    else:
        ranker.load(state)
    if not folder.predictions_path.exists():
        _write_predictions(ranker, dataset, folder, progress)
    if isinstance(ranker, Generating) and not folder.generations_path.exists():
        _write_generations(ranker, dataset, folder)
    predictions = read_predictions(read_lines(folder.predictions_path))
    parts = [part for part in EVALUATED if dataset[part]]
    scores = {part: scores_for(dataset[part], predictions, part) for part in parts}
    evaluations = {part: evaluate(dataset[part], scores[part], train=dataset["train"]) for part in parts}
    rows = folder.metrics()
    curve_rows = [row for row in rows if row.get("kind") == "curve"]
    if not any(row.get("kind") == "result" for row in rows):
        folder.write_metrics([*curve_rows, *_result_rows(evaluations)])
        folder.log("done")
    return RunResult(scores, evaluations, curve_rows)


def training_share(train: Sequence[RankingTask], share: int) -> tuple[RankingTask, ...]:
    """Return `share` per cent of the training tasks, at least one.

    Each smaller share is part of each larger one, and does not depend on the ranker or its seed.
    """
    if share == 100:
        return tuple(train)
    size = max(round(len(train) * share / 100), 1)
    keys = sorted((task.key for task in train), key=lambda key: hashlib.sha256(f"share {key}".encode()).digest())
    kept = set(keys[:size])
    return tuple(task for task in train if task.key in kept)


def _write_predictions(ranker: Ranker, dataset: Dataset, folder: RunFolder, progress: Progress) -> None:
    folder.log("scoring")
    predictions: list[TaskScores] = []
    tasks: dict[str, RankingTask] = {}
    for part in EVALUATED:
        scores = ranker.score_all(dataset[part], progress=progress)
        tasks.update((task.key, task) for task in dataset[part])
        predictions += [TaskScores(part, task.key, tuple(row)) for task, row in zip(dataset[part], scores, strict=True)]
    write_lines(folder.predictions_path, prediction_lines(predictions, tasks))


def _write_generations(ranker: Generating, dataset: Dataset, folder: RunFolder) -> None:
    """Write what the ranker generated for the evaluated parts; no file if it generated nothing."""
    generations = {part: ranker.generations(dataset[part]) for part in EVALUATED}
    if all(phrases is not None for phrases in generations.values()):
        rows = [
            mark(task.item, part, phrases)
            for part, generated in generations.items()
            for task, phrases in zip(dataset[part], generated or (), strict=True)
        ]
        write_lines(folder.generations_path, generation_lines(rows))


def _result_rows(evaluations: Mapping[str, Evaluation]) -> list[Mapping[str, Json]]:
    return [
        {"kind": "result", "part": part, "metric": metric, **figure.to_json()}
        for part, evaluation in evaluations.items()
        for metric, figure in evaluation.figures().items()
    ]
