"""The report of a task type that names scales: each part of the answers by its scale, and how close answers are.

Closeness is the mean over all pairs of people who answered about the same item, by the type's own `closeness`. Nothing
here looks at units, so answers need no pieces.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import combinations

from annotation.quality.agreement import REPLICATES, Agreement, bootstrap, mean_of
from annotation.quality.figures import (
    JsonValue,
    Judged,
    as_json,
    everybody,
    hit_rates,
    hits,
    in_categories,
    leading,
    number,
)
from annotation.quality.marks import Answers, PlacedMark, facets_report, marks_report
from annotation.quality.positions import effect_as_json, effect_of_position
from annotation.quality.ratings import Undefined
from annotation.quality.series import Label, Labels, Scale, SeriesOf, rows_of
from annotation.quality.texts import CLOSENESS
from annotation.task_types.comparing import Comparable

CATEGORY_REPLICATES = 300
TOO_FEW = Undefined("No instance was answered by two people.")
ALONE = Undefined("Nobody else answered the same instances.")
NO_ALPHA = Undefined("Agreement on texts cannot be corrected for chance.")

LabelsOf = Mapping[tuple[str, str], Mapping[str, Labels]]  # by item and worker: part → label
Pairs = Mapping[str, Sequence[float]]  # by item or worker: the closeness of each of its pairs


def series_report(
    rows: Sequence[Judged], type_: Comparable, gold: Iterable[tuple[str, bool]] = (), *, seed: int = 0
) -> JsonValue:
    """Return everything the agreement page shows; `gold` are (worker, is a hit) for items whose answer is known.

    `labels` holds the measures of the leading part: the first that is not a text.
    """
    rows = [*{(row.item, row.worker): row for row in rows}.values()]  # of two answers by one worker, the last counts
    by_item, by_worker = _pairs(rows, type_)
    labels = {(row.item, row.worker): type_.labels_of(row.cleaned) for row in rows}
    lead, rates = _lead(type_.scales), hit_rates(gold)
    series = [_part(part, rows, labels, seed) for part in type_.scales]
    return {
        "instances": len({row.item for row in rows}),
        "judgements": len(rows),
        "workers": len({row.worker for row in rows}),
        "answered": sum(row.cleaned.is_answered for row in rows),
        "labels": first["measures"] if (first := leading(series)) else [],
        "series": series,
        "closeness": as_json(_closeness(by_item, {row.item for row in rows}, len(rows), seed)),
        "by_instance": _by_item(rows, by_item),
        "types": _by_category(rows, by_item, labels, lead, seed),
        "people": [{**person, "gold": hits(rates.get(person["worker"]))} for person in _by_worker(rows, by_worker)],
        "days": _by_day(rows, by_item),
        "gold": hits(everybody(rates)),
        **_positions(rows),
        **_marks(rows, type_),
    }


def _lead(scales: Sequence[SeriesOf]) -> SeriesOf | None:
    """Return the part that `leading` finds in the report."""
    return next((part for part in scales if part.scale is not Scale.TEXT), None)


def _positions(rows: Sequence[Judged]) -> JsonValue:
    """Return how the position on the page matters in each part with orders of its own; {} where there is none."""
    choices: dict[str, list[tuple[Sequence[str], str]]] = defaultdict(list)
    for row in rows:
        for part, pattern in row.patterns.items():
            if pattern.position is not None:
                choices[part].append((pattern.order, pattern.chosen))
    effects = [(part, effect_of_position(own)) for part, own in sorted(choices.items())]
    shown = [effect_as_json(part, effect) for part, effect in effects if effect.answers]
    return {"positions": shown} if shown else {}


def _marks(rows: Sequence[Judged], type_: Comparable) -> JsonValue:
    """Return agreement on marks, for each part in which people mark pieces of a text; {} where there is none."""
    answers = _marked(rows, type_)
    facets = {facet: _marked(members, type_) for facet, members in sorted(in_categories(rows).items())}
    measured = []
    for part, own in sorted(answers.items()):
        by_facet = facets_report({facet: marks[part] for facet, marks in facets.items() if part in marks})
        measured.append({"part": part, **marks_report(own), **({"facets": by_facet} if len(by_facet) > 1 else {})})
    return {"marks": measured} if measured else {}


def _marked(rows: Sequence[Judged], type_: Comparable) -> Mapping[str, Answers]:
    """Return what people marked in each part, by item and worker."""
    answers: dict[str, dict[str, dict[str, Sequence[PlacedMark]]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        for part, marks in type_.marks_of(row.cleaned).items():
            answers[part][row.item][row.worker] = marks
    return answers


def _pairs(rows: Sequence[Judged], type_: Comparable) -> tuple[Pairs, Pairs]:
    """Return the closeness of every two answers to one item, by item and by worker."""
    answers: dict[str, list[Judged]] = defaultdict(list)
    for row in rows:
        answers[row.item].append(row)
    by_item: dict[str, list[float]] = defaultdict(list)
    by_worker: dict[str, list[float]] = defaultdict(list)
    for item, judgements in answers.items():
        for first, second in combinations(sorted(judgements, key=lambda row: row.worker), 2):
            closeness = float(type_.closeness(first.cleaned, second.cleaned))
            for values in (by_item[item], by_worker[first.worker], by_worker[second.worker]):
                values.append(closeness)
    return by_item, by_worker


def _part(part: SeriesOf, rows: Sequence[Judged], labels: LabelsOf, seed: int) -> JsonValue:
    measured = part.measures(_labelled(part, rows, labels), seed=seed)
    figures = [as_json(measure) for measure in measured]
    return {"part": part.part, "unit": part.unit, "scale": part.scale.value, "measures": figures}


def _labelled(part: SeriesOf, rows: Sequence[Judged], labels: LabelsOf) -> list[tuple[str, str, Label]]:
    """Return (item, worker, label) of the answers that have a label for this part; each of its units is an item."""
    labelled: list[tuple[str, str, Label]] = []
    for row in rows:
        own = labels[row.item, row.worker]
        if part.part in own:
            labelled += rows_of(row.item, row.worker, own[part.part])
    return labelled


def _closeness(
    by_item: Pairs, items: Iterable[str], judgements: int, seed: int, replicates: int = REPLICATES
) -> Agreement:
    """Return the mean closeness over the items that two people answered; each item counts once."""
    import numpy as np

    items = sorted(items)
    means = np.array([_mean(by_item[item]) for item in items if item in by_item], dtype=float)
    if not len(means):
        return Agreement(CLOSENESS, TOO_FEW, TOO_FEW, 0, 0)
    interval = bootstrap(mean_of(means), len(means), seed=seed, replicates=replicates)
    left = len(items) - len(means)
    note = f"{left} of {len(items)} instances left out: fewer than two people answered." if left else ""
    return Agreement(CLOSENESS, float(means.mean()), interval, len(means), judgements - left, note)


def _by_item(rows: Sequence[Judged], by_item: Pairs) -> list[JsonValue]:
    """Return each item, lowest closeness first and those with one answer last."""
    answers = Counter(row.item for row in rows)
    none = Counter(row.item for row in rows if not row.cleaned.is_answered)
    categories = {row.item: row.category for row in rows}
    values = [
        {
            "instance": item, "type": category, "answers": answers[item], "none": none[item],
            "same": _mean(by_item[item]) if item in by_item else None,
        }
        for item, category in categories.items()
    ]  # fmt: skip
    return sorted(values, key=lambda value: (value["same"] is None, value["same"] or 0.0, value["instance"]))


def _by_category(
    rows: Sequence[Judged], by_item: Pairs, labels: LabelsOf, lead: SeriesOf | None, seed: int
) -> list[JsonValue]:
    values = []
    for category, members in sorted(in_categories(rows).items()):
        items = {row.item for row in members}
        alpha = Agreement("", NO_ALPHA, NO_ALPHA, 0, 0)
        if lead:
            alpha = lead.measures(_labelled(lead, members, labels), seed=seed, replicates=CATEGORY_REPLICATES)[0]
        same = as_json(_closeness(by_item, items, len(members), seed, CATEGORY_REPLICATES))
        values.append({"type": category, "instances": len(items), "alpha": as_json(alpha), "same": same})
    return values


def _by_worker(rows: Sequence[Judged], by_worker: Pairs) -> list[JsonValue]:
    """Return each worker against the others, lowest closeness first."""
    done = Counter(row.worker for row in rows)
    none = Counter(row.worker for row in rows if not row.cleaned.is_answered)
    values = []
    for worker in sorted(done):
        same, why = number(_mean(by_worker[worker]) if worker in by_worker else ALONE)
        values.append({"worker": worker, "answers": done[worker], "none": none[worker], "same": same, "why_same": why})
    return sorted(values, key=lambda value: (value["same"] is None, value["same"] or 0.0))


def _by_day(rows: Sequence[Judged], by_item: Pairs) -> list[JsonValue]:
    """Return the mean closeness of each day; an item belongs to the day of its last answer."""
    last: dict[str, date] = {}
    for row in rows:
        last[row.item] = max(row.day, last.get(row.item, row.day))
    days: dict[date, list[str]] = defaultdict(list)
    for item, day in last.items():
        days[day].append(item)
    values = []
    for day, items in sorted(days.items()):
        means = [_mean(by_item[item]) for item in items if item in by_item]
        values.append({"day": day.isoformat(), "instances": len(items), "same": _mean(means) if means else None})
    return values


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
