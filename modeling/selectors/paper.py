"""An experiment in the layout of the paper's Tables 4, 5 and 6, with its published figures beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modeling import published
from modeling.models import Experiment, Prediction, Run, TaskRow
from modeling.ranks import places
from modeling.results_table import COLUMNS, ResultCell, ResultLine
from modeling.selectors import instances
from modeling.significance import Comparison

USUAL = "v0"  # the text format of methods that read everything
TOP = 5  # candidates of a method in Table 6


@dataclass(frozen=True)
class MethodRow:
    """A line of Table 4: ours, and the paper's."""

    line: ResultLine
    cells: tuple[ResultCell | None, ...]
    published: tuple[float | None, ...]


def table_4(lines: Sequence[ResultLine], part: str) -> list[MethodRow]:
    """Return every method in the order of our MAP, worst first as in the paper."""
    rows = [
        MethodRow(
            line,
            tuple(line.cell(part, metric) for metric in COLUMNS),
            tuple(_published(line).get(part, {}).get(metric) for metric in COLUMNS),
        )
        for line in lines
    ]
    return sorted(rows, key=lambda row: row.cells[0].mean if row.cells[0] else 0.0)


def _published(line: ResultLine) -> Mapping[str, Mapping[str, float]]:
    """Return the paper's figures of the method, whichever backend ours has."""
    return published.FIGURES.get(line.label.removesuffix(f" {line.backend}"), {})


@dataclass(frozen=True)
class Ablation:
    """A line of Table 5: what a ranker loses (first) that reads less than the same ranker with the whole text."""

    run: Run
    whole: Run
    reads: str
    comparison: Comparison
    published: float | None


def table_5(chosen: Sequence[Run], part: str) -> list[Ablation]:
    """Return the methods that read another text than the usual one, where the usual one ran too."""
    whole = {(run.ranker, run.backend): run for run in chosen if _reads(run) == USUAL}
    return [
        Ablation(
            run,
            usual,
            published.READS.get(text_format, text_format),
            instances.comparison(run, usual, part, "ap"),
            published.ABLATIONS.get(run.ranker, {}).get(text_format) if part == "test" else None,
        )
        for run in chosen
        if (text_format := _reads(run)) != USUAL and (usual := whole.get((run.ranker, run.backend)))
    ]


def _reads(run: Run) -> str:
    return str(run.parameters.get("text_format", USUAL))


@dataclass(frozen=True)
class TopCandidate:
    """A candidate that a method ranks high."""

    rank: str
    phrase: str
    score: float
    is_gold: bool


def table_6(task: TaskRow, predictions: Sequence[Prediction]) -> list[tuple[Prediction, list[TopCandidate]]]:
    """Return the five best candidates of each method for one instance."""
    return [(prediction, _best(task, prediction.scores)) for prediction in predictions]


def _best(task: TaskRow, scores: Sequence[float]) -> list[TopCandidate]:
    rows = zip(places(scores), task.phrases, scores, task.labels, strict=True)
    ranked = sorted(rows, key=lambda row: (row[0].best, row[1]))
    return [TopCandidate(place.rank, phrase, float(score), bool(label)) for place, phrase, score, label in ranked[:TOP]]


def neighbours(experiment: Experiment, part: str, key: str) -> Mapping[str, TaskRow | None]:
    """Return the instance with this key (else the first), and the ones before and after it."""
    tasks = TaskRow.objects.filter(task_set=experiment.task_set_id, part=part).order_by("position")
    here = tasks.filter(key=key).first() or tasks.first()
    if here is None:
        return {"here": None, "before": None, "after": None}
    return {
        "here": here,
        "before": tasks.filter(position__lt=here.position).last(),
        "after": tasks.filter(position__gt=here.position).first(),
    }
