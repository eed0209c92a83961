"""What an experiment's pages show: the runs, which of them validation chose, the results table.

Test figures are shown of the runs that validation chose, one for each ranker; of the others once somebody opened them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.core.cache import caches
from django.db.models import QuerySet

from modeling.models import Experiment, Prediction, Run
from modeling.results_table import COLUMNS, PARTS, Cell, Line, p_values
from tesa_site.kernel.values import content_hash

BULKY = ("breakdowns", "curve", "weights", "versions", "hardware", "hashes")
SECONDS_KEPT = 30 * 24 * 3600


def runs_of(experiment: Experiment) -> QuerySet[Run]:
    """Return the runs in their order, without what only their own pages show."""
    return experiment.runs.select_related("job").defer(*BULKY, "job__parameters", "job__traceback").order_by("number")


def value_of(run: Run, part: str = "valid", metric: str = "ap") -> float:
    found = run.metrics.get(part, {}).get(metric)
    return float(found["mean"]) if found else -1.0


def chosen_runs(runs: Iterable[Run]) -> list[Run]:
    """Return for each ranker the run with the best validation MAP, of equal ones the first; in the runs' order.

    Runs on a share of the training part are not chosen: they are for the curve.
    """
    best: dict[str, Run] = {}
    for run in runs:
        if run.finished_at and run.share == 100:
            known = best.get(run.ranker)
            if known is None or value_of(run) > value_of(known):
                best[run.ranker] = run
    return list(best.values())


def best_of(chosen: Sequence[Run]) -> Run | None:
    """Return the run that validation chooses of all."""
    return max(chosen, key=lambda run: (value_of(run), -run.number), default=None)


def is_test_shown(run: Run) -> bool:
    """Return whether the test figures of a run may be shown: validation chose it, or somebody opened all."""
    if run.experiment.opened_at:
        return True
    rivals = run.experiment.runs.filter(ranker=run.ranker, share=100).exclude(finished_at=None)
    return run.pk in {one.pk for one in chosen_runs(rivals.only("ranker", "share", "finished_at", "metrics", "number"))}


def shown_parts(run: Run) -> list[str]:
    return [*PARTS] if is_test_shown(run) else ["valid"]


# ---- The table ------------------------------------------------------------------------------------


def results_table(runs: Iterable[Run]) -> list[Line]:
    """Return the lines of the table: one for each ranker, the run that validation chose for it."""
    runs = list(runs)
    chosen = chosen_runs(runs)
    best = best_of(chosen)
    chances = _p_values(chosen)
    counts: defaultdict[str, int] = defaultdict(int)
    for run in runs:
        counts[run.ranker] += bool(run.finished_at and run.share == 100)
    lines = [
        Line(
            label=run.ranker,
            run=run.pk,
            runs=counts[run.ranker],
            cells={part: _cells(run, part, found) for part in PARTS if part in run.metrics},
            is_chosen=run == best,
            detail=run.label.removeprefix(run.ranker).strip(", ") if counts[run.ranker] > 1 else "",
        )
        for run, found in zip(chosen, chances, strict=True)
    ]
    return _with_best(lines)


def _cells(run: Run, part: str, chances: dict[tuple[str, str], float]) -> dict[str, Cell]:
    figures = run.metrics[part]
    return {
        metric: Cell(
            mean=figures[metric]["mean"],
            low=figures[metric]["low"],
            high=figures[metric]["high"],
            expected=figures[metric]["expected"],
            p=chances.get((part, metric)),
        )
        for metric in COLUMNS
    }


def _with_best(lines: list[Line]) -> list[Line]:
    """Return the lines with the best mean of each column marked; several where three decimals do not part them."""
    tops = {
        (part, metric): max((round(cell.mean, 3) for line in lines if (cell := line.cell(part, metric))), default=0.0)
        for part in PARTS
        for metric in COLUMNS
    }
    return [
        replace(
            line,
            cells={
                part: {
                    metric: replace(cell, is_best=round(cell.mean, 3) == tops[part, metric])
                    for metric, cell in cells.items()
                }
                for part, cells in line.cells.items()
            },
        )
        for line in lines
    ]


def _p_values(chosen: Sequence[Run]) -> list[dict[tuple[str, str], float]]:
    """Return each run's p-values against the best of each column; kept, because they take a second at paper's size."""
    key = "p-" + content_hash([[run.pk, str(run.finished_at)] for run in chosen])
    kept: list[dict[tuple[str, str], float]] | None = caches["plots"].get(key)
    if kept is None:
        kept = p_values([values_of(run.pk) for run in chosen])
        caches["plots"].set(key, kept, SECONDS_KEPT)
    return kept


def values_of(run_id: int) -> dict[tuple[str, str], list[float]]:
    """Return every task's values by part and metric, in the order of the tasks."""
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    rows = Prediction.objects.filter(run=run_id).order_by("task_id").values_list("part", *COLUMNS)
    for part, *values in rows:
        for metric, value in zip(COLUMNS, values, strict=True):
            found[part, metric].append(value)
    return dict(found)


def warm(experiment: Experiment) -> None:
    """Compute what the experiment's page would compute, so that the page need not."""
    _p_values(chosen_runs(runs_of(experiment)))
