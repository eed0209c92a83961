"""Single tasks: how each run ranked the candidates, which tasks it ranks worst, where two runs differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.core.cache import caches
from django.db.models import Count, QuerySet

from annotation.models import ReleaseItem
from annotation.releasing.facts import instance_of
from corpus.frozen import FrozenInstance
from kernel.errors import InvalidInput, WrongState
from modeling.models import ErrorNote, Experiment, Prediction, Run, TaskRow
from modeling.rankers import describe
from modeling.ranks import RankRange, places
from modeling.results_table import COLUMNS, PARTS
from modeling.selectors import results
from modeling.significance import Comparison, paired_randomisation

MOST_COLUMNS = 24  # runs side by side on an instance's page, unless somebody asks for all


# ---- Errors ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InstanceFilters:
    part: str = "valid"
    type: str = ""
    size: str = ""
    seen: str = ""
    noted: str = ""


@dataclass(frozen=True)
class Error:
    """A task with the candidates that the run ranked first, and the ranks of its golds."""

    prediction: Prediction
    task: TaskRow
    first: tuple[tuple[str, bool], ...]  # phrase and whether it is a gold; several if they are tied
    golds: tuple[tuple[str, str], ...]  # rank (“3”, or “3–7” under ties) and phrase, best first
    notes: int


def worst_first(run: Run, filters: InstanceFilters) -> QuerySet[Prediction]:
    """Return a run's predictions, lowest AP first; ties are in the order of the tasks. Unknown values are ignored."""
    predictions = Prediction.objects.filter(run=run, part=filters.part).select_related("task")
    if filters.type:
        predictions = predictions.filter(task__type=filters.type)
    if filters.size.isdecimal():
        predictions = predictions.filter(task__size=int(filters.size[:4]))
    if filters.seen in ("seen", "unseen"):
        predictions = predictions.filter(task__is_seen=filters.seen == "seen")
    if filters.noted:
        predictions = predictions.filter(task__notes__isnull=False).distinct()
    return predictions.order_by("ap", "task_id")


def errors(predictions: Iterable[Prediction]) -> list[Error]:
    predictions = list(predictions)
    tasks = [prediction.task_id for prediction in predictions]
    notes = dict(ErrorNote.objects.filter(task__in=tasks).order_by().values_list("task").annotate(n=Count("id")))
    return [_error(prediction, notes.get(prediction.task_id, 0)) for prediction in predictions]


def _error(prediction: Prediction, notes: int) -> Error:
    task = prediction.task
    candidates = zip(places(prediction.scores), task.phrases, task.labels, strict=True)
    ranked = sorted(candidates, key=lambda line: (line[0].best, line[0].worst, *line[1:]))
    first = tuple((phrase, bool(label)) for place, phrase, label in ranked if place.best == 1)
    golds = tuple((place.rank, phrase) for place, phrase, label in ranked if label)
    return Error(prediction, task, first, golds, notes)


def noted_kinds(run: Run, part: str) -> list[tuple[str, int]]:
    """Return the number of notes of each kind on the tasks of a part."""
    kinds = ErrorNote.objects.filter(task__task_set=run.experiment.task_set_id, task__part=part)
    return Counter(note.get_kind_display() for note in kinds).most_common()


# ---- One instance ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class CandidateLine:
    phrase: str
    is_gold: bool
    places: tuple[RankRange, ...]  # one for each run, in their order


@dataclass(frozen=True)
class Neighbours:
    """The place of a task in its part, and the keys of the tasks before and after it ("" at an end)."""

    number: int
    size: int
    before: str
    after: str


def neighbours(task: TaskRow) -> Neighbours:
    part = TaskRow.objects.filter(task_set=task.task_set_id, part=task.part).order_by("position")
    keys = part.values_list("key", flat=True)
    before, after = keys.filter(position__lt=task.position), keys.filter(position__gt=task.position)
    return Neighbours(before.count() + 1, part.count(), before.last() or "", after.first() or "")


def frozen_of(experiment: Experiment, key: str) -> FrozenInstance:
    """Return the instance as it is in the release."""
    value = ReleaseItem.objects.values_list("value", flat=True).get(release=experiment.release_id, key=key)
    return instance_of(value)


def predictions_for(experiment: Experiment, task: TaskRow, *, is_all: bool) -> list[Prediction]:
    """Return the predictions of the runs to show side by side, best on validation first."""
    runs = list(results.runs_of(experiment).exclude(finished_at=None))
    chosen = results.chosen_runs(runs)
    if task.part == "test" and results.is_test_hidden(experiment):
        return []
    shown = runs if is_all and (task.part == "valid" or experiment.opened_at) else chosen[:MOST_COLUMNS]
    by_id = {run.pk: run for run in sorted(shown, key=lambda run: -results.value_of(run))}
    predictions = {row.run_id: row for row in Prediction.objects.filter(task=task, run__in=by_id)}
    for run_id, prediction in predictions.items():
        prediction.run = by_id[run_id]
    return [predictions[run_id] for run_id in by_id if run_id in predictions]


def in_groups(predictions: Iterable[Prediction]) -> dict[str, list[Prediction]]:
    """Return the predictions by the group of their method. The order stays, so the best of all is still the first."""
    groups: dict[str, list[Prediction]] = {}
    for prediction in predictions:
        groups.setdefault(describe(prediction.run.ranker).group, []).append(prediction)
    return groups


def candidate_lines(task: TaskRow, predictions: Sequence[Prediction]) -> list[CandidateLine]:
    """Return the candidates with each run's rank and score, in the first run's order."""
    placed = [places(prediction.scores) for prediction in predictions]
    lines = [
        CandidateLine(phrase, bool(label), tuple(run[number] for run in placed))
        for number, (phrase, label) in enumerate(zip(task.phrases, task.labels, strict=True))
    ]
    return sorted(lines, key=lambda line: line.places[0].best) if placed else lines


# ---- Two runs -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TaskDifference:
    task_id: int
    first: float
    second: float

    @property
    def difference(self) -> float:
        return self.first - self.second


@dataclass(frozen=True)
class Rivals:
    """Two runs and the comparison of their means."""

    first: Run
    second: Run
    comparison: Comparison


@dataclass(frozen=True)
class Compared(Rivals):
    """Two runs on the tasks of a part, the largest difference first."""

    rows: tuple[TaskDifference, ...]

    @property
    def wins(self) -> int:
        return sum(row.difference > 0 for row in self.rows)

    @property
    def losses(self) -> int:
        return sum(row.difference < 0 for row in self.rows)

    @property
    def is_same(self) -> bool:
        """Whether both runs have the same predictions, byte for byte."""
        name = "predictions.jsonl"
        return bool(self.first.hashes.get(name)) and self.first.hashes[name] == self.second.hashes.get(name)


def compare(first: Run, second: Run, *, part: str, metric: str = "ap") -> Compared:
    """Compare two finished runs of one task set, task by task."""
    if part not in PARTS or metric not in COLUMNS:
        raise InvalidInput("choose valid or test, and ap, r10 or rr", field="part")
    for run in (first, second):
        if not run.finished_at:
            raise WrongState(f"{run} has not finished: wait for it.")
    if first.experiment.task_set_id != second.experiment.task_set_id:
        raise WrongState("These two runs had different candidates or splits, so they cannot be compared.")
    values = [_values(run, part, metric) for run in (first, second)]
    if not values[0]:
        raise WrongState(f"There are no tasks in {part}.")
    rows = [TaskDifference(task, value, values[1][task]) for task, value in values[0].items()]
    rows.sort(key=lambda row: (-abs(row.difference), row.task_id))
    return Compared(first, second, comparison(first, second, part, metric, values), tuple(rows))


def against_rival(run: Run, chosen: Sequence[Run], part: str) -> Rivals | None:
    """Compare a run with the best on validation, and that one with the next best. None if there is no other run."""
    rival = results.best_of([other for other in chosen if other != run])
    if rival is None or not run.finished_at:
        return None
    return Rivals(run, rival, comparison(run, rival, part, "ap"))


def against_next(chosen: Sequence[Run]) -> Rivals | None:
    """Compare the best run on validation with the next best, on test. None while test figures are hidden."""
    best = results.best_of(chosen)
    if best is None or "test" not in best.metrics or results.is_test_hidden(best.experiment):
        return None
    return against_rival(best, chosen, "test")


def _values(run: Run, part: str, metric: str) -> dict[int, float]:
    predictions = Prediction.objects.filter(run=run, part=part).order_by("task_id")
    return dict(predictions.values_list("task_id", metric))


def comparison(
    first: Run, second: Run, part: str, metric: str, values: Sequence[dict[int, float]] | None = None
) -> Comparison:
    """Return the cached comparison; compute it from the predictions of both runs if there is none."""
    moments = f"{first.finished_at:%s%f} {second.finished_at:%s%f}"
    key = f"comparison {first.pk} {second.pk} {part} {metric} {moments}".replace(" ", "-")
    cached: Comparison | None = caches["plots"].get(key)
    if cached is None:
        values = values or [_values(run, part, metric) for run in (first, second)]
        cached = paired_randomisation(*(list(by_task.values()) for by_task in values))
        caches["plots"].set(key, cached, results.SECONDS_CACHED)
    return cached
