"""Do reviewers agree? Cohen's kappa between the first and the second decision on the same answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from annotation.quality.agreement import ONE_LABEL, REPLICATES, Agreement, interval_of
from annotation.quality.pairs import cohen_kappa
from annotation.quality.ratings import Undefined
from annotation.quality.verdicts import DECISIONS, ReviewEntry

MEASURE = "Cohen's kappa, first and second reviewer"
NOBODY = Undefined("No answer has been decided on by two reviewers.")
NOT_BLIND = Undefined("Only where each answer needs two reviewers does the second not see what the first decided.")


def first_and_second(
    history: Iterable[ReviewEntry], is_skip: Callable[[Mapping[str, Any]], bool] = lambda answer: False
) -> tuple[str, str] | None:
    """Return the verdicts of the first two reviewers who decided; None if fewer than two did.

    A correction to an answer that skips the question is a verdict of its own.

    Each counts with their first decision, since a later one may know of the other's. What was undone before anybody
    else had decided is as if it had not been said; what was undone afterwards counts all the same.
    """
    rows = sorted(history, key=lambda entry: entry.number)
    decisions = [entry for entry in rows if entry.verdict in DECISIONS]
    undone = {entry.undoes: entry.number for entry in rows if entry.undoes is not None}
    first: dict[str, str] = {}
    for entry in decisions:
        end = undone.get(entry.number)
        is_known = any(other.reviewer != entry.reviewer and other.number < end for other in decisions) if end else True
        if is_known:
            is_nothing = entry.verdict == "correct" and entry.answer is not None and is_skip(entry.answer)
            first.setdefault(entry.reviewer, "nothing fits" if is_nothing else entry.verdict)
    verdicts = [*first.values()]
    return (verdicts[0], verdicts[1]) if len(verdicts) > 1 else None


def reviewer_agreement(pairs: Sequence[tuple[str, str]], *, seed: int = 0, replicates: int = REPLICATES) -> Agreement:
    """Return kappa over (first, second) verdicts; what each of the two wrote in a correction is not compared."""
    import numpy as np

    if not pairs:
        return Agreement(MEASURE, NOBODY, NOBODY, 0, 0)
    value = cohen_kappa([first for first, _ in pairs], [second for _, second in pairs])
    same = sum(first == second for first, second in pairs)
    note = f"The same verdict on {same:,} of {len(pairs):,}."
    if isinstance(value, Undefined):
        return Agreement(MEASURE, ONE_LABEL, ONE_LABEL, len(pairs), 2 * len(pairs), note)
    verdicts = sorted({verdict for pair in pairs for verdict in pair})
    table = np.zeros((len(verdicts), len(verdicts)))
    for first, second in pairs:
        table[verdicts.index(first), verdicts.index(second)] += 1
    # Resampled answers are multinomial in the table's cells: no need to draw answer by answer.
    drawn = np.random.default_rng(seed).multinomial(len(pairs), table.ravel() / len(pairs), replicates)
    shares = drawn.reshape(replicates, *table.shape) / len(pairs)
    chance = (shares.sum(axis=1) * shares.sum(axis=2)).sum(axis=1)
    agreed = shares.trace(axis1=1, axis2=2)
    kappas = (agreed - chance) / np.where(chance < 1, 1 - chance, np.nan)
    return Agreement(MEASURE, value, interval_of(kappas), len(pairs), 2 * len(pairs), note)
