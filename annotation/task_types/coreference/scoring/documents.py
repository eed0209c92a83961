"""The documents of an evaluation, those with most errors first: how many of each kind, and F1 of each metric."""

from __future__ import annotations

from annotation.task_types.coreference.scoring import METRICS
from annotation.task_types.coreference.scoring.differences import ChainDifferences
from annotation.task_types.coreference.scoring.evaluation import CorefEvaluation
from kernel.values import rounded

ERRORS = ("Errors", "Missing", "Spurious", "Linked wrongly")


def error_counts(differences: ChainDifferences) -> tuple[int, int, int, int]:
    """Return how many errors there are, and how many of each kind: the numbers under ERRORS."""
    linked = len(differences.separated) + len(differences.wrongly_linked)
    return differences.errors, len(differences.missing), len(differences.spurious), linked


def errors_as_text(evaluation: CorefEvaluation) -> str:
    """Return a line for each document, in columns of equal width."""
    rows = [["Document", *ERRORS, *(METRICS[name].label for name in evaluation.scores)]]
    for document in evaluation.most_errors_first:
        f1 = [score.f1 for score in document.scores.values()]
        values = ["–" if value is None else rounded(100 * value, 2) for value in f1]
        rows.append([document.name, *map(str, error_counts(document.differences)), *values])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() + "\n" for row in rows
    )
