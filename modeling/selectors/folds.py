"""The experiments that do the same on each of k folds, and what their chosen runs come to together.

They belong together by what they are: one release, rule, seed and number of folds, one way to draw candidates, one
grid, the same word vectors. Of several on one fold the newest counts.
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
    """`experiments` in the order of their folds; `lines` are empty until each fold has whole runs."""

    k: int
    experiments: tuple[Experiment, ...]
    missing: int  # folds without an experiment
    is_open: bool  # a run could still be chosen, so that no test figure is in the lines, though they were opened
    lines: tuple[FoldLine, ...]


def fold_set(experiment: Experiment) -> FoldSet | None:
    """Return the folds this experiment is one of; nothing where its split is no fold."""
    split = experiment.split
    k = split.parameters.get("folds")
    if split.fold is None or not k:
        return None
    found = _alike(experiment, k)
    members = tuple(found[fold] for fold in sorted(found))
    is_open = len(members) < k or any(map(results.is_choice_open, members))
    chosen = [{run.ranker: run for run in results.chosen_runs(results.runs_of(one))} for one in members]
    lines = _lines(chosen, ["valid"] if is_open else [*PARTS]) if len(members) == k else ()
    return FoldSet(k, members, k - len(members), is_open, lines)


def _alike(experiment: Experiment, k: int) -> dict[int, Experiment]:
    """Return the experiment for each fold; for the own fold the experiment itself."""
    split = experiment.split
    same = Experiment.objects.filter(
        release=experiment.release_id,
        split__rule=split.rule,
        split__seed=split.seed,
        split__fold__isnull=False,
        task_set__recipe_hash=experiment.task_set.recipe_hash,
    )
    found: dict[int, Experiment] = {}
    for one in same.select_related("split").defer("split__value", "split__statistics").order_by("pk"):
        is_alike = (one.grid, one.vectors) == (experiment.grid, experiment.vectors)
        if is_alike and one.split.parameters.get("folds") == k and one.split.fold is not None:
            found[one.split.fold] = one
    assert split.fold is not None  # noqa: S101  (for the type checker)
    return found | {split.fold: experiment}


def _lines(chosen: Sequence[Mapping[str, Run]], parts: Sequence[str]) -> tuple[FoldLine, ...]:
    """Return a line for each method that has a chosen run in every fold."""
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
        )
        for ranker in everywhere
    )
