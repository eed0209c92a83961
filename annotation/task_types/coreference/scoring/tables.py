"""Scores as tables: plain text, JSON, CSV and LaTeX.

Percentages have two decimals and are rounded, whereas the reference scorer cuts the decimals off.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.task_types.coreference.scoring import METRICS
from annotation.task_types.coreference.scoring.counts import CorefScore, Proportion
from annotation.task_types.coreference.scoring.evaluation import Scores, conll_average
from kernel.csv_files import csv_lines
from kernel.values import rounded

AVERAGE = "conll"
LATEX = {character: f"\\{character}" for character in "#$%&_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
HEADS = ("Metric", "Recall", "", "Precision", "", "F1")  # a count follows each of the two proportions


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A line of the table. The two parts of BLANC have lines of their own below it."""

    name: str
    label: str
    recall: float | None
    precision: float | None
    f1: float | None
    recall_counts: Proportion | None = None
    precision_counts: Proportion | None = None


def score_lines(scores: Scores) -> list[ScoreLine]:
    """Return a line for each metric, and the CoNLL average if its three metrics are there."""
    lines = [line for name, score in scores.items() for line in _lines_of(name, score)]
    average = conll_average(scores)
    return lines if average is None else [*lines, ScoreLine(AVERAGE, "CoNLL average", None, None, average)]


def _lines_of(name: str, score: CorefScore) -> Iterator[ScoreLine]:
    for label, part in {METRICS[name].label: score, **score.parts}.items():
        counts = (part.counts.recall, part.counts.precision) if part.counts else (None, None)
        yield ScoreLine(name, label, part.recall, part.precision, part.f1, *counts)


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The lines of one response: of all its documents, or of the one that is named."""

    response: str
    lines: Sequence[ScoreLine]
    document: str = ""

    @property
    def title(self) -> str:
        return ", ".join(filter(None, (self.response, self.document)))


def as_text(tables: Sequence[ScoreTable]) -> str:
    """Return columns of equal width; "–" is undefined. Each of several tables has its title above it."""
    return "\n".join(f"{table.title}\n{_text_of(table)}" if len(tables) > 1 else _text_of(table) for table in tables)


def _text_of(table: ScoreTable) -> str:
    rows = [HEADS, *(_cells(line, "–") for line in table.lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    return "".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() + "\n" for row in rows
    )


def as_json(tables: Sequence[ScoreTable]) -> str:
    """Return a list with an object for each table, with all digits; null is undefined, or all documents."""
    objects = [
        {"response": table.response, "document": table.document or None, "scores": [*map(_object, table.lines)]}
        for table in tables
    ]
    return json.dumps(objects, ensure_ascii=False, indent=2) + "\n"


def _object(line: ScoreLine) -> dict[str, Any]:
    return {
        "metric": line.name,
        "label": line.label,
        "recall": line.recall,
        "recall_counts": _numbers(line.recall_counts) or None,
        "precision": line.precision,
        "precision_counts": _numbers(line.precision_counts) or None,
        "f1": line.f1,
    }


def as_csv(tables: Sequence[ScoreTable]) -> str:
    """Return all digits; an empty cell is undefined, an empty document all of them."""
    heads = ["response", "document", "metric", "label", *_csv_heads("recall"), *_csv_heads("precision"), "f1"]
    rows = (
        [
            table.response,
            table.document,
            line.name,
            line.label,
            *_csv_cells(line.recall, line.recall_counts),
            *_csv_cells(line.precision, line.precision_counts),
            line.f1,
        ]
        for table in tables
        for line in table.lines
    )
    return "".join(csv_lines(heads, rows, mark=False))


def as_latex(tables: Sequence[ScoreTable]) -> str:
    r"""Return a tabular with booktabs rules for all documents, and one for each document that is named.

    A single response has its counts, several stand beside each other without them.
    """
    groups: dict[str, list[ScoreTable]] = {}
    for table in tables:
        groups.setdefault(table.document, []).append(table)
    parts = [f"{_comment(document)}{_tabular(group)}" for document, group in groups.items()]
    return "% needs \\usepackage{booktabs}\n" + "\n".join(parts)


def _comment(document: str) -> str:
    return f"% {' '.join(document.split())}\n" if document else ""


def _tabular(tables: Sequence[ScoreTable]) -> str:
    columns = range(len(HEADS)) if len(tables) == 1 else (0, 1, 3, 5)
    names = "".join(rf" & \multicolumn{{3}}{{c}}{{{_latex(table.response)}}}" for table in tables)
    rows = [
        [line[0].label, *(_cells(cells, "--")[column] for cells in line for column in columns[1:])]
        for line in zip(*(table.lines for table in tables), strict=True)
    ]
    heads = [HEADS[0], *(HEADS[column] for _ in tables for column in columns[1:])]
    lines = [
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        *([rf"{names.removeprefix(' ')} \\"] if len(tables) > 1 else []),
        rf"{' & '.join(heads)} \\",
        r"\midrule",
        *(rf"{' & '.join(row).replace('³', '$^3$')} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _latex(name: str) -> str:
    """Return a name as LaTeX shows it."""
    return "".join(LATEX.get(character, character) for character in name)


FORMATS = {"txt": as_text, "json": as_json, "csv": as_csv, "tex": as_latex}


def _cells(line: ScoreLine, undefined: str) -> tuple[str, ...]:
    blank = "" if line.name == AVERAGE else undefined  # an average of F1 alone has no recall
    return (
        line.label,
        _percent(line.recall, blank),
        _fraction(line.recall_counts),
        _percent(line.precision, blank),
        _fraction(line.precision_counts),
        _percent(line.f1, undefined),
    )


def _percent(value: float | None, undefined: str) -> str:
    return undefined if value is None else rounded(100 * value, 2)


def _fraction(counts: Proportion | None) -> str:
    return "/".join(str(number) if isinstance(number, int) else rounded(number, 2) for number in _numbers(counts))


def _csv_heads(name: str) -> list[str]:
    return [name, f"{name} numerator", f"{name} denominator"]


def _csv_cells(value: float | None, counts: Proportion | None) -> list[float | None]:
    return [value, *(_numbers(counts) or (None, None))]


def _numbers(counts: Proportion | None) -> list[float]:
    """Return numerator and denominator, whole numbers without a decimal point."""
    numbers = (counts.numerator, counts.denominator) if counts else ()
    return [int(number) if number == int(number) else number for number in numbers]
