"""The mean of each method over k folds, and the sample standard deviation, from each fold's chosen run.

The folds share one test part, so the deviation shows how much the training part matters, not the test part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kernel.csv_files import csv_lines
from modeling.results_table import COLUMNS, HEADS, PART_METRICS, Spread


@dataclass(frozen=True)
class FoldLine:
    """One method. Hidden parts are missing."""

    label: str
    spreads: Mapping[tuple[str, str], Spread]  # (part, metric) → over the folds
    backend: str = ""  # the library of a neural method

    @property
    def row(self) -> list[Spread | None]:
        return [self.spreads.get(column) for column in PART_METRICS]


def heading(k: int) -> str:
    return (
        f"Mean of {k} folds ± standard deviation, each fold by the run that its own validation part chose. "
        "The folds share one test part."
    )


def as_markdown(lines: Sequence[FoldLine]) -> str:
    rows = [f"| Method | {' | '.join(HEADS)} |", f"|---|{'---:|' * len(HEADS)}"]
    rows += [
        f"| {line.label} | {' | '.join(str(spread) if spread else '–' for spread in line.row)} |" for line in lines
    ]
    return "\n".join(rows) + "\n"


def as_csv(lines: Sequence[FoldLine]) -> str:
    names = [f"{part} {COLUMNS[metric]} {figure}" for part, metric in PART_METRICS for figure in ("mean", "deviation")]
    rows = []
    for line in lines:
        numbers = [(spread.mean, spread.deviation) if spread else ("", "") for spread in line.row]
        rows.append([line.label, *(number for pair in numbers for number in pair)])
    return "".join(csv_lines(["method", *names], rows, mark=False))


def as_latex(lines: Sequence[FoldLine]) -> str:
    rows = [
        " & ".join([line.label, *(f"${spread}$".replace("±", r"\pm") if spread else "--" for spread in line.row)])
        for line in lines
    ]
    body = "\n".join(rf"{row} \\" for row in rows)
    return (
        "% needs \\usepackage{booktabs}\n"
        rf"\begin{{tabular}}{{l{'r' * len(HEADS)}}}" + "\n"
        rf"\toprule Method & {' & '.join(HEADS)} \\ \midrule" + f"\n{body}\n" + r"\bottomrule\end{tabular}" + "\n"
    )


FORMATS = {"tex": as_latex, "md": as_markdown, "csv": as_csv}
