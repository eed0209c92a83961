"""Scores of linkers as rows, for pages, the terminal, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.linking.scoring import LinkCounts, LinkScores
from kernel.values import rounded

COLUMNS = ("system", "counted", "precision", "recall", "F1", "mean F1 of texts", "right", "spurious", "missed")
LINKS, SPANS = "piece and entity", "piece alone"


def score_rows(systems: Sequence[tuple[str, LinkScores]]) -> list[list[str]]:
    """Return two rows for each system: its links, and its pieces whatever they name."""
    rows = []
    for name, scores in systems:
        rows.append([name, LINKS, *_cells(scores.links, scores.macro())])
        rows.append([name, SPANS, *_cells(scores.spans, scores.macro(spans=True))])
    return rows


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows below the names of their columns, in columns of a terminal."""
    every = [COLUMNS, *rows]
    widths = [max(len(row[column]) for row in every) for column in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in every
    )


def _cells(counts: LinkCounts, macro: float | None) -> list[str]:
    shares = [percent(own) for own in (counts.precision, counts.recall, counts.f1, macro)]
    return [*shares, *map(str, (counts.right, counts.spurious, counts.missed))]


def percent(value: float | None) -> str:
    return "–" if value is None else rounded(100 * value, 1)


def latex(systems: Sequence[tuple[str, LinkScores]]) -> str:
    """Return a table as papers print it: precision, recall and F1 of the links."""
    return latex_of_rows(score_rows(systems))


def latex_of_rows(rows: Sequence[Sequence[str]]) -> str:
    lines = [r"\begin{tabular}{lrrr}", r"system & P & R & F1 \\", r"\hline"]
    for name, counted, *cells in rows:
        if counted == LINKS:
            shares = " & ".join(cell.replace("–", "--") for cell in cells[:3])
            lines.append(rf"{_escaped(name)} & {shares} \\")
    return "\n".join([*lines, r"\end{tabular}", ""])


def _escaped(text: str) -> str:
    signs = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(signs.get(sign, f"\\{sign}" if sign in "&%$#_{}" else sign) for sign in text)
