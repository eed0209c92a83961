"""Rankers on ranking tasks that came as files: run, chosen by validation, and put into a results table.

The rule is that of experiments: of each ranker's runs the one with the best validation MAP is shown on test, and kept.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from modeling import results_table
from modeling.dataset import Dataset
from modeling.evaluation import Evaluation
from modeling.execution import RunResult, execute
from modeling.grids import Cell
from modeling.rankers import RANKERS, preparation_label
from modeling.rankers.base import Ranker, Resources
from modeling.results_table import COLUMNS, PARTS, Line, p_values, with_best
from modeling.run_folder import RunFolder
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import Json


@dataclass(frozen=True)
class FileRun:
    """One run on the tasks of files, and the folder with what it left."""

    number: int
    cell: Cell
    result: RunResult
    folder: Path

    @property
    def valid_map(self) -> float:
        return float(self.result.evaluations["valid"].values["ap"].mean())


def run_cells(
    dataset: Dataset, cells: Sequence[Cell], resources: Resources, work: Path, progress: Progress
) -> list[FileRun]:
    """Run every cell of a grid, each in a folder of its own under `work`. None begins when one cannot be made."""
    rankers = [_made(cell, resources) for cell in cells]
    vectors = resources.vectors.identity if resources.vectors else None
    identity = dataset.content_hash()
    runs = []
    for number, (cell, ranker) in enumerate(zip(cells, rankers, strict=True), start=1):
        progress.report(number - 1, len(cells), cell.ranker)
        folder = RunFolder.open(work / str(number), _spec(cell, identity, vectors))
        result = execute(ranker, dataset, folder, seed=cell.seed, progress=progress, share=cell.share)
        runs.append(FileRun(number, cell, result, folder.path))
    return runs


def _made(cell: Cell, resources: Resources) -> Ranker:
    try:
        return RANKERS[cell.ranker](cell.parameters, resources)
    except InvalidInput as error:
        raise InvalidInput(f"{cell.ranker}: {error}") from error


def _spec(cell: Cell, dataset: str, vectors: str | None) -> dict[str, Json]:
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
    """Return for each ranker the run with the best validation MAP, of equal ones the first; in the runs' order."""
    best: dict[str, FileRun] = {}
    for run in runs:
        known = best.get(run.cell.ranker)
        if known is None or run.valid_map > known.valid_map:
            best[run.cell.ranker] = run
    return list(best.values())


def table_of(runs: Sequence[FileRun]) -> list[Line]:
    """Return the results table: a line for each ranker, with intervals, the best in bold, and significance."""
    chosen = chosen_of(runs)
    best = max(chosen, key=lambda run: (run.valid_map, -run.number), default=None)
    chances = p_values([_values(run.result.evaluations) for run in chosen])
    counts = [sum(run.cell.ranker == one.cell.ranker for run in runs) for one in chosen]
    lines = [
        Line(
            label=run.cell.ranker,
            run=run.number,
            runs=count,
            cells={part: _cells(part, run.result.evaluations[part], found) for part in PARTS},
            is_chosen=run is best,
            detail=run.cell.detail if count > 1 else "",
        )
        for run, count, found in zip(chosen, counts, chances, strict=True)
    ]
    return with_best(lines)


def _values(evaluations: Mapping[str, Evaluation]) -> dict[tuple[str, str], list[float]]:
    return {(part, metric): evaluations[part].values[metric].tolist() for part in PARTS for metric in COLUMNS}


def _cells(part: str, evaluation: Evaluation, chances: dict[tuple[str, str], float]) -> dict[str, results_table.Cell]:
    figures = {metric: evaluation.figure(metric) for metric in COLUMNS}
    tie_broken = {metric: float(evaluation.tie_broken[metric].mean()) for metric in COLUMNS}
    return {
        metric: results_table.Cell(found.mean, found.low, found.high, tie_broken[metric], p=chances.get((part, metric)))
        for metric, found in figures.items()
    }


def keep(chosen: Sequence[FileRun], out: Path) -> None:
    """Copy what the chosen runs left into a folder for each ranker."""
    for run in chosen:
        shutil.copytree(run.folder, out / run.cell.ranker)
