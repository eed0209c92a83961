"""What an experiment's pages show: its runs, the runs that validation chose, the results table.

Pages show the test figures of the runs that validation chose, one for each method; those of other runs once somebody
has opened them. While a run that could be chosen is unfinished (queued, cancelled or failed), the choice is open and
test figures are hidden unless they were opened. `leave_out_unfinished` removes runs that will not be finished.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from django.core.cache import caches
from django.db.models import F, QuerySet

from kernel.models import OPEN_STATUSES, AuditEntry
from kernel.values import content_hash
from modeling.models import Experiment, Prediction, Run
from modeling.results_table import (
    COLUMNS,
    PARTS,
    ResultCell,
    ResultLine,
    Spread,
    best_of_each,
    p_values,
    spread,
    with_best,
)

BULKY = ("breakdowns", "curve", "weights", "versions", "hardware", "hashes")
SECONDS_CACHED = 30 * 24 * 3600
LEFT_OUT = "leave out unfinished runs"


def runs_of(experiment: Experiment) -> QuerySet[Run]:
    """Return the runs in their order, without the fields that only their own pages show."""
    return experiment.runs.select_related("job").defer(*BULKY, "job__parameters", "job__traceback").order_by("number")


def has_open_runs(experiment: Experiment) -> bool:
    """Return whether an unfinished run is queued or running. If two end at the same time, one of them sees none."""
    return experiment.runs.filter(finished_at=None, job__status__in=OPEN_STATUSES).exists()


def value_of(run: Run, part: str = "valid", metric: str = "ap") -> float:
    figure = run.metrics.get(part, {}).get(metric)
    return float(figure["mean"]) if figure else -1.0


def chosen_runs(runs: Iterable[Run]) -> list[Run]:
    """Return for each method the first run with the best validation MAP, in the runs' order.

    Runs on a share of the training part are never chosen: they are for the curve.
    """
    whole = (run for run in runs if run.finished_at and run.share == 100)
    return best_of_each(whole, lambda run: run.method, value_of)


def best_of(chosen: Sequence[Run]) -> Run | None:
    """Return the run with the best validation MAP of all."""
    return max(chosen, key=lambda run: (value_of(run), -run.number), default=None)


def best_run(experiment: Experiment) -> Run | None:
    """Return the same run, of which only the figures are read, and nothing of the others."""
    return whole_runs_best_first().filter(experiment=experiment).only("experiment", "metrics").first()


def whole_runs_best_first() -> QuerySet[Run]:
    """Return the finished runs that learned from the whole training part, by validation MAP; of equals the oldest."""
    by_value = F("metrics__valid__ap__mean").desc(nulls_last=True)
    return Run.objects.filter(finished_at__isnull=False, share=100).order_by(by_value, "experiment", "number")


def is_choice_open(experiment: Experiment) -> bool:
    """Return whether validation may still choose another run.

    A cancelled run counts: somebody who has seen the test figures of its rivals could resume it.
    """
    return experiment.runs.filter(finished_at=None, share=100).exists()


def is_test_hidden(experiment: Experiment) -> bool:
    """Return whether all test figures are hidden: the choice is open, and nobody has opened them."""
    return experiment.opened_at is None and is_choice_open(experiment)


def runs_with_test(experiment: Experiment) -> set[int]:
    """Return the ids of the runs whose test figures may be shown: the chosen ones, or all once they were opened."""
    if is_test_hidden(experiment):
        return set()
    finished = experiment.runs.exclude(finished_at=None).order_by("number")
    if experiment.opened_at:
        return {*finished.values_list("pk", flat=True)}
    return {run.pk for run in chosen_runs(finished.defer(*BULKY))}


def is_test_shown(run: Run) -> bool:
    return run.pk in runs_with_test(run.experiment)


def shown_parts(run: Run) -> list[str]:
    return [*PARTS] if is_test_shown(run) else ["valid"]


def left_out(experiment: Experiment) -> list[AuditEntry]:
    """Return the recorded decisions to leave out unfinished runs, oldest first."""
    subject = {"subject_type": experiment._meta.label_lower, "subject_id": str(experiment.pk)}
    return [*AuditEntry.objects.filter(action=LEFT_OUT, **subject).order_by("id")]


# ---- The table ------------------------------------------------------------------------------------


def results_table(runs: Iterable[Run]) -> list[ResultLine]:
    """Return one line for each method: the run that validation chose for it."""
    runs = list(runs)
    chosen = chosen_runs(runs)
    best = best_of(chosen)
    parts = ["valid"] if best and is_test_hidden(best.experiment) else [*PARTS]
    counts = Counter(run.method for run in runs if run.finished_at and run.share == 100)
    lines = [
        ResultLine(
            label=run.method,
            backend=run.backend,
            run=run.pk,
            runs=counts[run.method],
            cells={part: _cells(run, part, p) for part in parts if part in run.metrics},
            is_chosen=run == best,
            detail=run.detail if counts[run.method] > 1 else "",
            seeds=len(seeds),
            spreads=_spreads(seeds),
        )
        for run, p in zip(chosen, _p_values(chosen), strict=True)
        for seeds in [_over_seeds(run, runs)]
    ]
    return with_best(lines)


def _over_seeds(chosen: Run, runs: Sequence[Run]) -> list[Run]:
    """Return the finished runs that differ from the chosen run only by their seed, including the chosen run."""
    return [
        run
        for run in runs
        if (run.ranker, run.share, run.parameters) == (chosen.ranker, chosen.share, chosen.parameters)
        and run.finished_at
    ]


def _spreads(runs: Sequence[Run]) -> dict[tuple[str, str], Spread]:
    """Return mean and deviation over seeds; on test only once opened, as they include runs that were not chosen."""
    if len(runs) < 2:
        return {}
    parts = [*PARTS] if runs[0].experiment.opened_at else ["valid"]
    return {
        (part, metric): spread([value_of(run, part, metric) for run in runs])
        for part in parts
        for metric in COLUMNS
        if all(part in run.metrics for run in runs)
    }


def _cells(run: Run, part: str, p_values: dict[tuple[str, str], float]) -> dict[str, ResultCell]:
    figures = run.metrics[part]
    return {
        metric: ResultCell(
            mean=figures[metric]["mean"],
            low=figures[metric]["low"],
            high=figures[metric]["high"],
            tie_broken=run.tie_broken[part][metric],
            p=p_values.get((part, metric)),
        )
        for metric in COLUMNS
    }


def _p_values(chosen: Sequence[Run]) -> list[dict[tuple[str, str], float]]:
    """Return each run's p-values against the best of each column. Cached: they take 0.1 s at the paper's size."""
    key = "p-" + content_hash([[run.pk, str(run.finished_at)] for run in chosen])
    cached: list[dict[tuple[str, str], float]] | None = caches["plots"].get(key)
    if cached is None:
        cached = p_values([values_of(run.pk) for run in chosen])
        caches["plots"].set(key, cached, SECONDS_CACHED)
    return cached


def values_of(run_id: int) -> dict[tuple[str, str], list[float]]:
    """Return every task's values by part and metric, in the order of the tasks."""
    by_column: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    rows = Prediction.objects.filter(run=run_id).order_by("task_id").values_list("part", *COLUMNS)
    for part, *values in rows:
        for metric, value in zip(COLUMNS, values, strict=True):
            by_column[part, metric].append(value)
    return dict(by_column)
