"""What an experiment's pages show: the runs, which of them validation chose, the results table.

Test figures are shown of the runs that validation chose, one for each ranker; of the others once somebody opened them.
While a run that could be chosen is not whole nothing is chosen for good, whether it is queued, cancelled or failed: no
test figure is shown, unless they were opened. Runs that are not to be finished are left out (`leave_out_unfinished`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.core.cache import caches
from django.db.models import QuerySet

from modeling.models import Experiment, Prediction, Run
from modeling.results_table import COLUMNS, PARTS, Cell, Line, Spread, p_values, spread, with_best
from tesa_site.kernel.models import OPEN_STATUSES, AuditEntry
from tesa_site.kernel.values import content_hash

BULKY = ("breakdowns", "curve", "weights", "versions", "hardware", "hashes")
SECONDS_KEPT = 30 * 24 * 3600
LEFT_OUT = "leave out unfinished runs"


def runs_of(experiment: Experiment) -> QuerySet[Run]:
    """Return the runs in their order, without what only their own pages show."""
    return experiment.runs.select_related("job").defer(*BULKY, "job__parameters", "job__traceback").order_by("number")


def has_open_runs(experiment: Experiment) -> bool:
    """Return whether a run that is not whole is queued or running: of two that end at once, one sees none."""
    return experiment.runs.filter(finished_at=None, job__status__in=OPEN_STATUSES).exists()


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


def is_choice_open(experiment: Experiment) -> bool:
    """Return whether validation may still choose otherwise: what is best is so only so far.

    A cancelled run counts: it could be taken up by somebody who has seen the test figures of its rivals.
    """
    return experiment.runs.filter(finished_at=None, share=100).exists()


def is_test_hidden(experiment: Experiment) -> bool:
    """Return whether nobody sees a test figure yet: the choice is open, and nobody opened them nevertheless."""
    return experiment.opened_at is None and is_choice_open(experiment)


def runs_with_test(experiment: Experiment) -> set[int]:
    """Return the ids of the runs whose test figures may be shown: validation chose them, or somebody opened all."""
    if is_test_hidden(experiment):
        return set()
    whole = experiment.runs.exclude(finished_at=None).order_by("number")
    if experiment.opened_at:
        return {*whole.values_list("pk", flat=True)}
    return {run.pk for run in chosen_runs(whole.defer(*BULKY))}


def is_test_shown(run: Run) -> bool:
    return run.pk in runs_with_test(run.experiment)


def shown_parts(run: Run) -> list[str]:
    return [*PARTS] if is_test_shown(run) else ["valid"]


def left_out(experiment: Experiment) -> list[AuditEntry]:
    """Return who left out which runs that had not finished, the first decision first."""
    subject = {"subject_type": experiment._meta.label_lower, "subject_id": str(experiment.pk)}
    return [*AuditEntry.objects.filter(action=LEFT_OUT, **subject).order_by("id")]


# ---- The table ------------------------------------------------------------------------------------


def results_table(runs: Iterable[Run]) -> list[Line]:
    """Return the lines of the table: one for each ranker, the run that validation chose for it."""
    runs = list(runs)
    chosen = chosen_runs(runs)
    best = best_of(chosen)
    parts = ["valid"] if best and is_test_hidden(best.experiment) else [*PARTS]
    chances = _p_values(chosen)
    counts: defaultdict[str, int] = defaultdict(int)
    for run in runs:
        counts[run.ranker] += bool(run.finished_at and run.share == 100)
    lines = [
        Line(
            label=run.ranker,
            run=run.pk,
            runs=counts[run.ranker],
            cells={part: _cells(run, part, found) for part in parts if part in run.metrics},
            is_chosen=run == best,
            detail=run.detail if counts[run.ranker] > 1 else "",
            seeds=len(_over_seeds(run, runs)),
            spreads=_spreads(_over_seeds(run, runs)),
        )
        for run, found in zip(chosen, chances, strict=True)
    ]
    return with_best(lines)


def _over_seeds(chosen: Run, runs: Sequence[Run]) -> list[Run]:
    """Return the whole runs that differ from the chosen one by nothing but their seed, itself among them."""
    return [
        run
        for run in runs
        if (run.ranker, run.share, run.parameters) == (chosen.ranker, chosen.share, chosen.parameters)
        and run.finished_at
    ]


def _spreads(runs: Sequence[Run]) -> dict[tuple[str, str], Spread]:
    """Return mean and deviation over seeds; on test only once it was opened: they tell of runs that were not chosen."""
    if len(runs) < 2:
        return {}
    parts = [*PARTS] if runs[0].experiment.opened_at else ["valid"]
    return {
        (part, metric): spread([value_of(run, part, metric) for run in runs])
        for part in parts
        for metric in COLUMNS
        if all(part in run.metrics for run in runs)
    }


def _cells(run: Run, part: str, chances: dict[tuple[str, str], float]) -> dict[str, Cell]:
    figures = run.metrics[part]
    return {
        metric: Cell(
            mean=figures[metric]["mean"],
            low=figures[metric]["low"],
            high=figures[metric]["high"],
            tie_broken=run.tie_broken[part][metric],
            p=chances.get((part, metric)),
        )
        for metric in COLUMNS
    }


def _p_values(chosen: Sequence[Run]) -> list[dict[tuple[str, str], float]]:
    """Return each run's p-values against the best of each column; kept, because they take 0.1 s at paper's size."""
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
