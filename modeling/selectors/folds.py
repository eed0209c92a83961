"""The experiments that do the same on each of k folds, and the mean of their chosen runs.

Experiments belong together if they share release, rule, seed, number of folds, candidate options, grid and word
vectors. If several are on one fold, the newest counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modeling.fold_table import FoldLine
from modeling.models import Experiment, Run
from modeling.results_table import COLUMNS, PARTS, spread
from modeling.selectors import results


@dataclass(frozen=True)
class FoldSet:
    """`experiments` are in the order of their folds; `lines` are empty until each fold has an experiment."""

    k: int
    experiments: tuple[Experiment, ...]
    missing: int  # folds without an experiment
    is_open: bool  # a run could still be chosen, so the lines have no test figure even if these were opened
    lines: tuple[FoldLine, ...]


def fold_set(experiment: Experiment) -> FoldSet | None:
    """Return the folds that this experiment belongs to; None if its split is not a fold."""
    split = experiment.split
    k = split.parameters.get("folds")
    if split.fold is None or not k:
        return None
    by_fold = _alike(experiment, k) | {split.fold: experiment}  # on its own fold, itself counts
    members = tuple(by_fold[fold] for fold in sorted(by_fold))
    is_open = len(members) < k or any(map(results.is_choice_open, members))
    chosen = [{run.method: run for run in results.chosen_runs(results.runs_of(member))} for member in members]
    lines = _lines(chosen, ["valid"] if is_open else [*PARTS]) if len(members) == k else ()
    return FoldSet(k, members, k - len(members), is_open, lines)


def _alike(experiment: Experiment, k: int) -> dict[int, Experiment]:
    """Return the newest matching experiment of each fold."""
    split = experiment.split
    same = Experiment.objects.filter(
        release=experiment.release_id,
        split__rule=split.rule,
        split__seed=split.seed,
        split__fold__isnull=False,
        task_set__recipe_hash=experiment.task_set.recipe_hash,
    )
    return {
        other.split.fold: other
        for other in same.select_related("split").defer("split__value", "split__statistics").order_by("pk")
        if (other.grid, other.vectors, other.split.parameters.get("folds")) == (experiment.grid, experiment.vectors, k)
        and other.split.fold is not None
    }


def _lines(chosen: Sequence[Mapping[str, Run]], parts: Sequence[str]) -> tuple[FoldLine, ...]:
    """Return a line for each method with a chosen run in every fold."""
    everywhere = [ranker for ranker in chosen[0] if all(ranker in fold for fold in chosen)]
    return tuple(
        FoldLine(
            ranker,
            {
                (part, metric): spread([results.value_of(fold[ranker], part, metric) for fold in chosen])
                for part in parts
                for metric in COLUMNS
                if all(part in fold[ranker].metrics for fold in chosen)
            },
            chosen[0][ranker].backend,
        )
        for ranker in everywhere
    )
