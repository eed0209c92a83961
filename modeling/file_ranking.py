"""Running rankers on ranking tasks from files, with a results table.

As in experiments, the run with the best validation MAP of each ranker is shown on test and saved.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kernel.errors import InvalidInput
from kernel.progress import Progress
from kernel.values import Json
from modeling import results_table
from modeling.dataset import Dataset
from modeling.evaluation import Evaluation
from modeling.execution import RunResult, execute
from modeling.grids import PlannedRun
from modeling.rankers import RANKERS, preparation_label
from modeling.rankers.base import Ranker, Resources
from modeling.results_table import COLUMNS, PARTS, ResultLine, best_of_each, p_values, with_best
from modeling.run_folder import NEURAL, WEIGHTS, RunFolder, weight_files


@dataclass(frozen=True)
class FileRun:
    """One run on the tasks of files, and the folder of its files."""

    number: int
    cell: PlannedRun
    result: RunResult
    folder: Path

    @property
    def valid_map(self) -> float:
        return float(self.result.evaluations["valid"].values["ap"].mean())


def run_cells(
    dataset: Dataset, cells: Sequence[PlannedRun], resources: Resources, work: Path, progress: Progress
) -> list[FileRun]:
    """Run every cell of a grid, each in its own folder under `work`; none starts if one of them cannot run."""
    rankers = [
        _build(cell, replace(resources, work=work / str(number) / NEURAL)) for number, cell in enumerate(cells, start=1)
    ]
    vectors = resources.vectors.identity if resources.vectors else None
    identity = dataset.content_hash()
    runs = []
    for number, (cell, ranker) in enumerate(zip(cells, rankers, strict=True), start=1):
        progress.report(number - 1, len(cells), cell.ranker)
        folder = RunFolder.open(work / str(number), _spec(cell, identity, vectors))
        result = execute(ranker, dataset, folder, seed=cell.seed, progress=progress, share=cell.share)
        runs.append(FileRun(number, cell, result, folder.path))
    return runs


def _build(cell: PlannedRun, resources: Resources) -> Ranker:
    try:
        return RANKERS[cell.ranker](cell.parameters, resources)
    except InvalidInput as error:
        raise InvalidInput(f"{cell.ranker}: {error}") from error


def _spec(cell: PlannedRun, dataset: str, vectors: str | None) -> dict[str, Json]:
    return {
        "schema": 2,
        "dataset": dataset,
        "ranker": cell.ranker,
        "preparation": preparation_label(cell.ranker, cell.parameters),
        "parameters": dict(cell.parameters),
        "seed": cell.seed,
        "vectors": vectors,
    }


def chosen_of(runs: Sequence[FileRun]) -> list[FileRun]:
    """Return for each ranker the first run with the best validation MAP, in the runs' order."""
    return best_of_each(runs, lambda run: run.cell.method, lambda run: run.valid_map)


def table_of(runs: Sequence[FileRun]) -> list[ResultLine]:
    """Return the results table: a line for each ranker, with intervals, the best in bold, and significance."""
    chosen = chosen_of(runs)
    best = max(chosen, key=lambda run: (run.valid_map, -run.number), default=None)
    p_by_run = p_values([_values(run.result.evaluations) for run in chosen])
    counts = Counter(run.cell.method for run in runs)
    lines = [
        ResultLine(
            label=run.cell.method,
            backend=run.cell.backend,
            run=run.number,
            runs=counts[run.cell.method],
            cells={part: _cells(part, run.result.evaluations[part], p) for part in PARTS},
            is_chosen=run is best,
            detail=run.cell.detail if counts[run.cell.method] > 1 else "",
        )
        for run, p in zip(chosen, p_by_run, strict=True)
    ]
    return with_best(lines)


def _values(evaluations: Mapping[str, Evaluation]) -> dict[tuple[str, str], list[float]]:
    return {(part, metric): evaluations[part].values[metric].tolist() for part in PARTS for metric in COLUMNS}


def _cells(
    part: str, evaluation: Evaluation, p_values: dict[tuple[str, str], float]
) -> dict[str, results_table.ResultCell]:
    figures = {metric: evaluation.figure(metric) for metric in COLUMNS}
    tie_broken = {metric: float(evaluation.tie_broken[metric].mean()) for metric in COLUMNS}
    return {
        metric: results_table.ResultCell(
            figure.mean, figure.low, figure.high, tie_broken[metric], p=p_values.get((part, metric))
        )
        for metric, figure in figures.items()
    }


def save_runs(chosen: Sequence[FileRun], out: Path) -> None:
    """Copy the files of the chosen runs into one folder per ranker, with the weights of neural ones."""
    for run in chosen:
        target = out / run.cell.method.replace(" ", "-")
        shutil.copytree(run.folder, target, ignore=shutil.ignore_patterns(NEURAL))
        if weight_files(run.folder):
            shutil.copytree(run.folder / NEURAL / WEIGHTS, target / WEIGHTS)
