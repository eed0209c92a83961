"""The numbers behind the plots. The same rows are drawn and downloaded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from modeling.models import Run
from modeling.results_table import PARTS, ResultLine
from modeling.selectors import results

Rows = list[dict[str, Any]]


def methods(lines: Iterable[ResultLine]) -> Rows:
    """Return the MAP of each method, best on validation first."""
    ranked = sorted(lines, key=lambda line: -(cell.mean if (cell := line.cell("valid", "ap")) else 0.0))
    return [
        {"method": line.label, "part": name.lower(), "mean": cell.mean, "low": cell.low, "high": cell.high}
        for line in ranked
        for part, name in PARTS.items()
        if (cell := line.cell(part, "ap"))
    ]


def training_sizes(runs: Iterable[Run]) -> Rows:
    """Return the validation MAP of each method by its share of the training part, averaged over seeds.

    For each share, the parameters that are best on validation count; methods are ordered by their largest share.
    Methods that ran on the whole training part only are left out.
    """
    values: defaultdict[tuple[str, int, str], list[float]] = defaultdict(list)
    for run in runs:
        if run.finished_at:
            values[run.method, run.share, str(run.parameters)].append(results.value_of(run))
    best: dict[tuple[str, int], tuple[float, int]] = {}
    for (ranker, share, _), maps in values.items():
        mean = sum(maps) / len(maps)
        best[ranker, share] = max(best.get((ranker, share), (-1.0, 0)), (mean, len(maps)))
    several = {ranker for ranker, share in best if share != 100}
    rows: Rows = [
        {"method": ranker, "share": share, "mean": mean, "seeds": seeds}
        for (ranker, share), (mean, seeds) in best.items()
        if ranker in several
    ]
    last = {row["method"]: row["mean"] for row in sorted(rows, key=lambda row: row["share"])}
    return sorted(rows, key=lambda row: (-last[row["method"]], row["method"], row["share"]))


def breakdown(runs: Sequence[Run], part: str) -> Rows:
    """Return the MAP of these runs by type, size and seen, best on validation first."""
    order = sorted(runs, key=lambda run: -results.value_of(run))
    return [
        {
            "by": by,
            "value": value,
            "n": figures["n"],
            "method": run.method,
            **{name: figures["ap"][name] for name in ("mean", "low", "high")},
        }
        for run in order
        for by, groups in run.breakdowns.get(part, {}).items()
        for value, figures in groups.items()
    ]


def weights(run: Run) -> Rows:
    """Return the weight of each feature, without the bias."""
    pairs = zip(run.weights.get("names", []), run.weights.get("values", []), strict=True)
    return [{"feature": name, "value": value} for name, value in pairs if name != "bias"]
