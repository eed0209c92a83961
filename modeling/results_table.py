"""The results table in the paper's layout: a line for each method, validation and test, MAP, R@10 and MRR.

The best mean of a column is bold. A dagger marks methods that are worse than the best of the column by the paired
randomisation test, without correction for several comparisons: † p < .05, ‡ p < .01.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Protocol, TypeVar

from kernel.csv_files import csv_lines
from kernel.values import rounded
from modeling.significance import LEAST, MeanInterval, randomisation_p_values

if TYPE_CHECKING:  # every web process imports this module, few need numpy and its 25 MB
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
PARTS = {"valid": "Validation", "test": "Test"}
COLUMNS = {"ap": "MAP", "r10": "R@10", "rr": "MRR"}
METRIC_NAMES = {**COLUMNS, "p10": "P@10", "ndcg10": "nDCG@10", "rar": "1 / average rank"}
PART_METRICS = tuple(product(PARTS, COLUMNS))  # in the table's order
HEADS = tuple(f"{part} {column}" for part in PARTS.values() for column in COLUMNS.values())
OVER_SEEDS = ("mean", "deviation")
LEVELS = ((0.01, "‡"), (0.05, "†"))


@dataclass(frozen=True)
class ResultCell(MeanInterval):
    """A mean with its interval. Ties are averaged over all possible orders."""

    tie_broken: float  # the mean for the order in which candidates are listed; only for the CSV file
    is_best: bool = False
    p: float | None = None  # against the best of the column

    @property
    def mark(self) -> str:
        return next((mark for level, mark in LEVELS if self.p is not None and self.p < level), "")

    @property
    def interval(self) -> str:
        if self.low is None or self.high is None:
            return "[too few]"
        return f"[{rounded(self.low)}, {rounded(self.high)}]"


@dataclass(frozen=True)
class Spread:
    """Mean and sample standard deviation of several runs."""

    mean: float
    deviation: float

    def __str__(self) -> str:
        return f"{rounded(self.mean)} ± {rounded(self.deviation)}"


def spread(values: Sequence[float]) -> Spread:
    import numpy as np

    return Spread(float(np.mean(values)), float(np.std(values, ddof=1)))


@dataclass(frozen=True)
class ResultLine:
    """One method: the run that validation chose for it. Hidden parts are missing."""

    label: str
    run: int
    runs: int  # the number of runs it was chosen from
    cells: Mapping[str, Mapping[str, ResultCell]]  # part → metric → cell
    is_chosen: bool = False  # the best of all methods on validation
    detail: str = ""  # the chosen parameters and seed, if there were several
    backend: str = ""  # the library of a neural method
    seeds: int = 1  # of the chosen parameters
    spreads: Mapping[tuple[str, str], Spread] = field(default_factory=dict)  # (part, metric) → over these seeds

    def cell(self, part: str, metric: str) -> ResultCell | None:
        return self.cells.get(part, {}).get(metric)

    @property
    def spread_words(self) -> str:
        """The MAP over several seeds, or an empty text."""
        maps = [f"{PARTS[part].lower()} {spread}" for part in PARTS if (spread := self.spreads.get((part, "ap")))]
        return f"MAP over {self.seeds} seeds: {', '.join(maps)}" if maps else ""

    @property
    def row(self) -> list[ResultCell | None]:
        return [self.cell(*column) for column in PART_METRICS]


def best_of_each(runs: Iterable[T], ranker: Callable[[T], str], value: Callable[[T], float]) -> list[T]:
    """Return for each ranker the first run with the best value, in the runs' order."""
    best: dict[str, T] = {}
    for run in runs:
        known = best.setdefault(ranker(run), run)
        if value(run) > value(known):
            best[ranker(run)] = run
    return list(best.values())


Values = Mapping[tuple[str, str], Sequence[float]]  # (part, metric) → a value for each task, in one order for all


def p_values(methods: Sequence[Values]) -> list[dict[tuple[str, str], float]]:
    """Return for each method and column the p-value of its difference to the best mean of the column.

    The best itself has none, and neither have methods without that column.
    """
    import numpy as np

    p_by_method: list[dict[tuple[str, str], float]] = [{} for _ in methods]
    for part in PARTS:
        pairs = [pair for metric in COLUMNS for pair in _against_best(methods, (part, metric))]
        differences = np.array([difference for _, _, difference in pairs], dtype=np.float64)
        drawn = randomisation_p_values(differences)  # one draw for all columns of a part
        for (number, column, _), p in zip(pairs, drawn, strict=True):
            p_by_method[number][column] = p
    return p_by_method


def _against_best(
    methods: Sequence[Values], column: tuple[str, str]
) -> list[tuple[int, tuple[str, str], NDArray[np.float64]]]:
    """Return (method, column, best minus method for each task) for all methods but the best."""
    import numpy as np

    present = [number for number, values in enumerate(methods) if column in values]
    if len(present) < 2:
        return []
    table = np.array([methods[number][column] for number in present], dtype=np.float64)
    best = int(table.mean(axis=1).argmax())
    return [
        (number, column, table[best] - row)
        for place, (number, row) in enumerate(zip(present, table, strict=True))
        if place != best
    ]


def with_best(lines: Sequence[ResultLine]) -> list[ResultLine]:
    """Return the lines with the best mean of each column marked; several if three decimals do not separate them."""
    tops = {
        column: rounded(max((cell.mean for line in lines if (cell := line.cell(*column))), default=0.0))
        for column in PART_METRICS
    }
    return [
        replace(
            line,
            cells={
                part: {
                    metric: replace(cell, is_best=rounded(cell.mean) == tops[part, metric])
                    for metric, cell in cells.items()
                }
                for part, cells in line.cells.items()
            },
        )
        for line in lines
    ]


# ---- As text --------------------------------------------------------------------------------------


def as_csv(lines: Sequence[ResultLine]) -> str:
    """Return all numbers in full precision: means, intervals, p-values, and means with ties in the listed order."""
    fields = {"mean": "mean", "low": "low", "high": "high", "p": "p", "tie_broken": "tie-broken mean"}
    names = (
        ["method", "backend", "run", "chosen from", "chosen"]
        + [f"{part} {COLUMNS[metric]} {name}" for part, metric in PART_METRICS for name in fields.values()]
        + ["seeds"]
        + [f"{part} {COLUMNS[metric]} {figure} over seeds" for part, metric in PART_METRICS for figure in OVER_SEEDS]
    )
    rows = []
    for line in lines:
        numbers = [getattr(cell, field) if cell else "" for cell in line.row for field in fields]
        over_seeds = [
            getattr(spread, figure) if (spread := line.spreads.get(column)) else ""
            for column in PART_METRICS
            for figure in OVER_SEEDS
        ]
        rows.append(
            [line.label, line.backend, line.run, line.runs, int(line.is_chosen), *numbers, line.seeds, *over_seeds]
        )
    return "".join(csv_lines(names, rows, mark=False))


def as_markdown(lines: Sequence[ResultLine]) -> str:
    first = ["Method", "Backend"] if has_backends(lines) else ["Method"]
    rows = [f"| {' | '.join([*first, *HEADS])} |", f"|{'---|' * len(first)}{'---:|' * len(HEADS)}"]
    for line in lines:
        names = [line.label.replace("|", "&#124;"), line.backend or "–"][: len(first)]
        rows.append(f"| {' | '.join([*names, *map(_markdown_cell, line.row)])} |")
    return "\n".join([*rows, "", _note(lines)]) + "\n"


class HasBackend(Protocol):
    @property
    def backend(self) -> str: ...


def has_backends(lines: Iterable[HasBackend]) -> bool:
    """Return whether a neural method is among the lines or runs: only then a table has the column."""
    return any(line.backend for line in lines)


def _markdown_cell(cell: ResultCell | None) -> str:
    if cell is None:
        return "–"
    mean = f"**{rounded(cell.mean)}**" if cell.is_best else rounded(cell.mean)
    return f"{mean}{cell.mark} {cell.interval}"


NOTE = (
    "95% bootstrap intervals. Worse than the best of the column by paired randomisation: † p < .05, ‡ p < .01. "
    "Ties are averaged over all possible orders."
)
TOO_FEW = f"Too few: an interval needs {LEAST} instances."


def _note(lines: Sequence[ResultLine]) -> str:
    has_too_few = any(cell is not None and cell.low is None for line in lines for cell in line.row)
    return f"{NOTE} {TOO_FEW}" if has_too_few else NOTE


_LATEX_MARKS = {"": "", "†": r"$^{\dagger}$", "‡": r"$^{\ddagger}$"}
_LATEX_ESCAPES = str.maketrans(
    {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
     "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)  # fmt: skip


def as_latex(lines: Sequence[ResultLine]) -> str:
    r"""Return a tabular with booktabs rules, and a small interval under each mean (\makecell)."""
    first = ["Method", "Backend"] if has_backends(lines) else ["Method"]
    at = len(first) + 1
    parts = " & ".join(rf"\multicolumn{{3}}{{c}}{{{name}}}" for name in PARTS.values())
    heads = " & ".join(list(COLUMNS.values()) * len(PARTS))
    rows = [
        "% needs \\usepackage{booktabs,makecell}",
        rf"\begin{{tabular}}{{{'l' * len(first)}{'r' * len(COLUMNS) * len(PARTS)}}}",
        r"\toprule",
        rf"{'& ' * len(first)}{parts} \\",
        rf"\cmidrule(lr){{{at}-{at + 2}}}\cmidrule(lr){{{at + 3}-{at + 5}}}",
        rf"{' & '.join(first)} & {heads} \\",
        r"\midrule",
        *(rf"{' & '.join([*_latex_names(line)[: len(first)], *map(_latex_cell, line.row)])} \\" for line in lines),
        r"\bottomrule",
        r"\end{tabular}",
        f"% {_note(lines)}",
    ]
    return "\n".join(rows) + "\n"


def _latex_names(line: ResultLine) -> list[str]:
    return [line.label.translate(_LATEX_ESCAPES), line.backend or "--"]


def _latex_cell(cell: ResultCell | None) -> str:
    if cell is None:
        return "--"
    mean = rf"\textbf{{{rounded(cell.mean)}}}" if cell.is_best else rounded(cell.mean)
    interval = rf"\scriptsize {cell.interval}"
    return rf"\makecell[r]{{{mean}{_LATEX_MARKS[cell.mark]}\\{interval}}}"


FORMATS = {"tex": as_latex, "md": as_markdown, "csv": as_csv}
