"""Single tasks: how each run ranked their candidates, which are ranked worst, where two runs differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.core.cache import caches
from django.db.models import Count, QuerySet

from annotation.models import ReleaseItem
from annotation.releasing.facts import instance_of
from corpus.frozen import FrozenInstance
from modeling.models import ErrorNote, Experiment, Prediction, Run, TaskRow
from modeling.ranks import Place, places
from modeling.results_table import COLUMNS, PARTS
from modeling.selectors import results
from modeling.significance import Comparison, paired_randomisation
from tesa_site.kernel.errors import InvalidInput, WrongState

MOST_COLUMNS = 24  # runs beside each other on an instance's page, unless all are asked for


# ---- Errors ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Filters:
    part: str = "valid"
    type: str = ""
    size: str = ""
    seen: str = ""
    noted: str = ""


@dataclass(frozen=True)
class Error:
    """A task with the candidates that its run put first, and the ranks of its golds."""

    prediction: Prediction
    task: TaskRow
    first: tuple[tuple[str, bool], ...]  # phrase and whether it is a gold; several where they are tied
    golds: tuple[tuple[str, str], ...]  # rank (“3”, or “3–7” under ties) and phrase, the best first
    notes: int


def worst_first(run: Run, filters: Filters) -> QuerySet[Prediction]:
    """Return a run's predictions, the lowest AP first; equal ones in the order of the tasks."""
    found = Prediction.objects.filter(run=run, part=filters.part).select_related("task")
    if filters.type:
        found = found.filter(task__type=filters.type)
    if filters.size.isdecimal():
        found = found.filter(task__size=int(filters.size[:4]))
    if filters.seen in ("seen", "unseen"):
        found = found.filter(task__is_seen=filters.seen == "seen")
    if filters.noted:
        found = found.filter(task__notes__isnull=False).distinct()
    return found.order_by("ap", "task_id")


def errors(predictions: Iterable[Prediction]) -> list[Error]:
    predictions = list(predictions)
    tasks = [one.task_id for one in predictions]
    noted = ErrorNote.objects.filter(task__in=tasks).order_by().values_list("task").annotate(n=Count("id"))
    notes = dict(noted)
    return [_error(one, notes.get(one.task_id, 0)) for one in predictions]


def _error(prediction: Prediction, notes: int) -> Error:
    task = prediction.task
    candidates = zip(places(prediction.scores), task.phrases, task.labels, strict=True)
    ranked = sorted(candidates, key=lambda line: (line[0].best, line[0].worst, *line[1:]))
    first = tuple((phrase, bool(label)) for place, phrase, label in ranked if place.best == 1)
    golds = tuple((place.rank, phrase) for place, phrase, label in ranked if label)
    return Error(prediction, task, first, golds, notes)


def noted_kinds(run: Run, part: str) -> list[tuple[str, int]]:
    """Return how many notes of each kind stand on the tasks of a part."""
    kinds = ErrorNote.objects.filter(task__task_set=run.experiment.task_set_id, task__part=part)
    return Counter(note.get_kind_display() for note in kinds).most_common()


# ---- One instance ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class CandidateLine:
    phrase: str
    is_gold: bool
    places: tuple[Place, ...]  # one for each run, in their order


def task_of(experiment: Experiment, key: str) -> TaskRow | None:
    return TaskRow.objects.filter(task_set=experiment.task_set_id, key=key).first()


def frozen_of(experiment: Experiment, key: str) -> FrozenInstance:
    """Return the instance as the release holds it."""
    value = ReleaseItem.objects.values_list("value", flat=True).get(release=experiment.release_id, key=key)
    return instance_of(value)


def predictions_for(experiment: Experiment, task: TaskRow, *, is_all: bool) -> list[Prediction]:
    """Return the predictions of the runs to be shown beside each other, the best on validation first."""
    runs = list(results.runs_of(experiment).exclude(finished_at=None))
    chosen = results.chosen_runs(runs)
    if task.part == "test" and results.is_test_hidden(experiment):
        return []
    shown = runs if is_all and (task.part == "valid" or experiment.opened_at) else chosen[:MOST_COLUMNS]
    by_id = {run.pk: run for run in sorted(shown, key=lambda run: -results.value_of(run))}
    found = {one.run_id: one for one in Prediction.objects.filter(task=task, run__in=by_id)}
    for number, run in by_id.items():
        if number in found:
            found[number].run = run
    return [found[number] for number in by_id if number in found]


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
class Difference:
    task_id: int
    first: float
    second: float

    @property
    def difference(self) -> float:
        return self.first - self.second


@dataclass(frozen=True)
class Compared:
    """Two runs on the tasks of a part, the largest difference first."""

    first: Run
    second: Run
    rows: tuple[Difference, ...]
    comparison: Comparison

    @property
    def wins(self) -> int:
        return sum(row.difference > 0 for row in self.rows)

    @property
    def losses(self) -> int:
        return sum(row.difference < 0 for row in self.rows)

    @property
    def is_same(self) -> bool:
        """Whether both left the same predictions, byte for byte."""
        name = "predictions.jsonl"
        return bool(self.first.hashes.get(name)) and self.first.hashes[name] == self.second.hashes.get(name)


def compare(first: Run, second: Run, *, part: str, metric: str = "ap") -> Compared:
    """Compare two whole runs of one task set; runs of different tasks are refused."""
    if part not in PARTS or metric not in COLUMNS:
        raise InvalidInput("choose valid or test, and ap, r10 or rr", field="part")
    for run in (first, second):
        if not run.finished_at:
            raise WrongState(f"{run} has not finished: wait for it.")
    if first.experiment.task_set_id != second.experiment.task_set_id:
        raise WrongState("These two runs had different candidates or splits, so they cannot be compared.")
    one, other = (_values(run, part, metric) for run in (first, second))
    if not one:
        raise WrongState(f"There are no tasks in {part}.")
    rows = [Difference(task, one[task], other[task]) for task in one]
    rows.sort(key=lambda row: (-abs(row.difference), row.task_id))
    return Compared(first, second, tuple(rows), _comparison(first, second, part, metric, one, other))


def against_rival(run: Run, chosen: Sequence[Run], part: str) -> Compared | None:
    """Compare a run with the one validation likes best of all; that one with the next best. Nothing without a rival."""
    rivals = sorted((one for one in chosen if one != run), key=lambda one: (-results.value_of(one), one.number))
    return compare(run, rivals[0], part=part) if rivals else None


def against_next(chosen: Sequence[Run]) -> Compared | None:
    """Compare the best run on validation with the next best, on test; nothing while others may still be chosen."""
    best = results.best_of(chosen)
    if best is None or "test" not in best.metrics or results.is_test_hidden(best.experiment):
        return None
    return against_rival(best, chosen, "test")


def _values(run: Run, part: str, metric: str) -> dict[int, float]:
    found = Prediction.objects.filter(run=run, part=part).order_by("task_id")
    return dict(found.values_list("task_id", metric))


def _comparison(
    first: Run, second: Run, part: str, metric: str, one: dict[int, float], other: dict[int, float]
) -> Comparison:
    moments = f"{first.finished_at:%s%f} {second.finished_at:%s%f}"
    key = f"comparison {first.pk} {second.pk} {part} {metric} {moments}".replace(" ", "-")
    kept: Comparison | None = caches["plots"].get(key)
    if kept is None:
        kept = paired_randomisation(list(one.values()), list(other.values()))
        caches["plots"].set(key, kept, results.SECONDS_KEPT)
    return kept
