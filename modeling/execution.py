"""One run from beginning to end: fit, keep the model, score valid and test, keep predictions and figures.

Each step leaves its file whole, so a run that was stopped takes up at the first step whose file is missing. The files
say nothing of time or machine: the same specification gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modeling.dataset import Dataset, RankingTask
from modeling.evaluation import Evaluation, Prediction, evaluate, prediction_lines, read_predictions, scores_for
from modeling.rankers.base import Ranker
from modeling.run_folder import RunFolder
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import Json

EVALUATED = ("valid", "test")


@dataclass(frozen=True)
class Outcome:
    """The evaluation of each part, and the learning curve of the ranker."""

    evaluations: Mapping[str, Evaluation]
    curve: Sequence[Mapping[str, Json]]


def execute(ranker: Ranker, dataset: Dataset, folder: RunFolder, *, seed: int, progress: Progress) -> Outcome:
    """Run the ranker on the dataset, or finish what was begun in the folder; a finished run is only read."""
    state = folder.model()
    if state is None:
        folder.log("fitting")
        fitted = ranker.fit(dataset["train"], dataset["valid"], seed=seed, progress=progress)
        folder.write_metrics({"kind": "curve", **row} for row in fitted)
        folder.save_model(ranker.state())
    else:
        ranker.load(state)
    curve = [row for row in folder.metrics() if row.get("kind") == "curve"]
    predictions = _predict(ranker, dataset, folder, progress)
    evaluations = {}
    for part in EVALUATED:
        tasks = dataset[part]
        if tasks:
            scores = scores_for(tasks, predictions, part)
            evaluations[part] = evaluate(tasks, scores, train=dataset["train"])
    if not any(row.get("kind") == "result" for row in folder.metrics()):
        folder.write_metrics([*curve, *_result_rows(evaluations)])
        folder.log("done")
    return Outcome(evaluations, curve)


def _predict(ranker: Ranker, dataset: Dataset, folder: RunFolder, progress: Progress) -> tuple[Prediction, ...]:
    if not folder.has_predictions:
        folder.log("scoring")
        found: list[Prediction] = []
        tasks: dict[str, RankingTask] = {}
        for part in EVALUATED:
            scores = ranker.score_all(dataset[part], progress=progress)
            tasks.update((task.key, task) for task in dataset[part])
            found += [Prediction(part, task.key, tuple(one)) for task, one in zip(dataset[part], scores, strict=True)]
        folder.write_predictions(prediction_lines(found, tasks))
    return read_predictions(folder.prediction_lines())


def _result_rows(evaluations: Mapping[str, Evaluation]) -> list[Mapping[str, Json]]:
    return [
        {"kind": "result", "part": part, "metric": metric, **figure.to_json()}
        for part, evaluation in evaluations.items()
        for metric, figure in evaluation.figures().items()
    ]
