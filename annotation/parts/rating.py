"""Ratings on scales: of the item or of several targets, by a criterion or by several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from statistics import fmean, median, pstdev
from typing import Any, ClassVar

from annotation.parts.base import NO_TEXTS, AnswerPiece, Part, PartOptions, Prompt, says_the_usual, usual
from annotation.parts.rating_form import (
    NO_OPINION,
    RatingRow,
    by_criterion,
    by_target,
    names_of,
    please,
    rated,
    rows_of_form,
    targets_of,
    texts_of,
)
from annotation.parts.rating_options import ITEM, RatingOptions, RatingScale
from annotation.parts.targets import columns_of, drawn
from annotation.quality.series import Labels, Scale, SeriesOf
from annotation.simulation.invented_people import Habit, InventedPerson
from annotation.task_types.base import EMPTY, FieldRemark, JsonObject
from annotation.task_types.consensus_rules import NO_ESTIMATES, ChosenRule, Estimate, RuleOffer
from kernel.fields import DECIMAL, NUMBER, Field
from kernel.values import Json

DIGITS = 9  # of sums that are compared
LONGEST_QUOTE = 40  # characters of what a form holds instead of a rating
NEAR_MISS = 0.6  # chance that an invented person who misses the usual point takes its neighbour
MEAN = Field("mean", "mean of the ratings", DECIMAL)
MEDIAN = Field("median", "median of the ratings", DECIMAL)
SPREAD = Field("spread", "their standard deviation", DECIMAL)
VOTES = Field("votes", "how many annotations gave a rating", NUMBER)
SUMMARY = RuleOffer("summary", "Mean, median and spread side by side", "mean, median and spread of the ratings")
BY_VALUE = {"mean": "The mean", "median": "The median"}
RULES = (
    SUMMARY,
    *(
        RuleOffer(name, f"{label} as the value, beside the rest", f"the {name} as `value`")
        for name, label in BY_VALUE.items()
    ),
)


class RatingPart(Part):
    kind: ClassVar[str] = "rating"
    has_buttons: ClassVar[bool] = True
    options_model: ClassVar[type[PartOptions]] = RatingOptions
    scripts: ClassVar[Sequence[str]] = ("annotation/parts/rating.js",)
    styles: ClassVar[Sequence[str]] = ("annotation/parts/rating.css",)

    def columns(self, options: RatingOptions) -> Sequence[str]:
        return columns_of(options.targets)

    def shown(self, options: RatingOptions, rng: Random) -> Sequence[str]:
        return drawn(options.targets, rng) if options.shuffle else ()

    # ---- The form

    def is_empty(self, asked: Prompt, form: Mapping[str, str]) -> bool:
        """Tell whether no row has a rating; an item without any of the targets has nothing to rate."""
        rows = rows_of_form(asked, form)
        return bool(rows) and not any(row.chosen for row in rows)

    def missing(self, asked: Prompt) -> FieldRemark:
        rows = rows_of_form(asked, {})
        if not rows:
            return asked.refuse(EMPTY, "There is nothing to rate.")
        why = "Please rate everything." if len(rows) > 1 else please(asked, rows[0])
        return asked.refuse(EMPTY, why, rows[0].criterion, rows[0].target)

    def remarks(self, asked: Prompt, form: Mapping[str, str]) -> list[FieldRemark]:
        remarks = []
        for row in rows_of_form(asked, form):
            if not row.chosen:
                remarks.append(asked.refuse(EMPTY, please(asked, row), row.criterion, row.target))
            elif not _is_choice(asked.options, row):
                remarks.append(asked.refuse("outside", _outside(row), row.criterion, row.target))
        return remarks

    def read(self, asked: Prompt, form: Mapping[str, str]) -> Json:
        points = {(row.criterion, row.target): _point(row.chosen) for row in rows_of_form(asked, form)}
        return _by_criterion(asked.options, points)

    def write(self, asked: Prompt, value: Any) -> dict[str, str]:
        ratings = _ratings(asked.options, value)
        return {asked.field(*row): NO_OPINION if point is None else str(point) for row, point in ratings.items()}

    def inputs(self, asked: Prompt, form: Mapping[str, str]) -> Mapping[str, Any]:
        options: RatingOptions = asked.options
        groups = by_criterion(asked, form) if options.has_pages else by_target(asked, form)
        rows = [row for group in groups for row in group.rows]
        return {
            "is_paged": options.has_pages,
            "texts": texts_of(asked) if options.has_pages else [],
            "groups": groups,
            "is_single": len(rows) == 1,
            "first": rows[0].field if rows else "",
            "no_opinion": options.no_opinion,
            "no_opinion_value": NO_OPINION,
        }

    # ---- Showing and comparing

    def line(self, asked: Prompt, value: Any) -> str:
        options: RatingOptions = asked.options
        if len(_ratings(options, value)) == 1:
            (row, point), *_ = _ratings(options, value).items()
            return _in_words(options, row[0], point)
        words = {row: "–" if point is None else str(point) for row, point in _ratings(options, value).items()}
        return _in_line(options, words) or "Nothing to rate"

    def pieces(self, asked: Prompt, value: Any, others: Sequence[Any]) -> list[AnswerPiece]:
        options: RatingOptions = asked.options
        ratings, theirs = _ratings(options, value), [_ratings(options, other) for other in others]
        if not ratings:
            return super().pieces(asked, value, others)
        return [
            AnswerPiece(
                rated(options.target_names.get(target, target), options.criterion_names[criterion]),
                _in_words(options, criterion, point),
                _share(point, [other.get((criterion, target)) for other in theirs]),
            )
            for (criterion, target), point in ratings.items()
        ]

    def series(self, name: str, options: RatingOptions) -> Sequence[SeriesOf]:
        unit = "target" if options.targets else "item"
        return [
            SeriesOf(
                series,
                unit,
                Scale.ORDINAL,
                [str(point) for point in options.scales[criterion].points],
                has_units=len(options.targets) > 1,
            )
            for criterion, series in _series_names(name, options).items()
        ]

    def labels(self, name: str, options: RatingOptions, value: Any) -> Mapping[str, Labels]:
        labels: dict[str, Labels] = {}
        for criterion, series in _series_names(name, options).items():
            points = {target: str(point) for target, point in value.get(criterion, {}).items() if point is not None}
            if points:
                labels[series] = points if options.targets else points[ITEM]
        return labels

    def closeness(self, options: RatingOptions, left: Any, right: Any) -> float:
        first, second, scales = _ratings(options, left), _ratings(options, right), options.scales
        close = [scales[row[0]].closeness(first.get(row), second.get(row)) for row in {**first, **second}]
        return fmean(close) if close else 1.0

    def feedback(self, asked: Prompt, value: Any, known: Any) -> str:
        options, names = asked.options, names_of(asked)
        ours, theirs = _ratings(options, known), _ratings(options, value)
        differing = [row for row, point in ours.items() if row not in theirs or theirs[row] != point] or [*ours]
        if not differing:
            return "There is nothing to rate."
        criterion, target = differing[0]
        words = _in_words(options, criterion, ours[criterion, target])
        name, by = names.get(target, target), options.criterion_names[criterion]
        rating = f"given {name} {words}" if name else f"chosen {words}"
        return f"We would have {rating} for {by}." if by else f"We would have {rating}."

    def known(self, options: RatingOptions, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> Any:
        """Take a number alone, and one for each criterion or each target where there is only one of the other."""
        criteria, targets = [*options.scales], [*options.target_names]
        if type(value) is int:
            return {criteria[0]: {targets[0]: value}} if len(criteria) == len(targets) == 1 else value
        if not (isinstance(value, dict) and value and all(own is None or type(own) is int for own in value.values())):
            return value
        if len(targets) == 1 and value.keys() <= {*criteria}:
            return {name: {targets[0]: value[name]} for name in criteria if name in value}
        if len(criteria) == 1 and value.keys() <= {*targets}:
            return {criteria[0]: {name: value[name] for name in targets if name in value}}
        return value

    # ---- Habits

    def has_rows(self, options: RatingOptions) -> bool:
        return len(options.scales) * len(options.target_names) > 1

    def row_answers(self, options: RatingOptions, value: Any) -> Sequence[str]:
        points = _ratings(options, value).values()
        return [options.no_opinion or "–" if point is None else str(point) for point in points]

    def merits(self, options: RatingOptions, value: Any) -> Mapping[str, float]:
        """Return the sum over the criteria, each from 0 to 1; {} if a target was not rated by all of them."""
        ratings = _ratings(options, value)
        if None in ratings.values():
            return {}
        merits = dict.fromkeys((target for _, target in ratings), 0.0)
        for (criterion, target), point in ratings.items():
            merits[target] += options.scales[criterion].share(point)
        return {target: round(merit, DIGITS) for target, merit in merits.items()}

    # ---- Files

    def answer_type(self, name: str, about: str, options: RatingOptions) -> Field:
        def rating(target: str, words: str, scale: RatingScale) -> Field:
            return Field(target, _described(words, scale, options), NUMBER)

        return _nested(name, about, options, rating)

    def rules(self, options: RatingOptions) -> Sequence[RuleOffer]:
        return RULES

    def consensus(
        self,
        options: RatingOptions,
        values: Sequence[Any],
        rule: ChosenRule | None = None,
        estimates: Mapping[str, Estimate] = NO_ESTIMATES,
    ) -> Json:
        points: dict[tuple[str, str], list[int]] = {}
        for value in values:
            for row, point in _ratings(options, value).items():
                points.setdefault(row, []).extend([] if point is None else [point])
        return _by_criterion(options, {row: _summary(own, rule) for row, own in points.items()})

    def consensus_type(self, name: str, about: str, options: RatingOptions, rule: ChosenRule | None = None) -> Field:
        fields = (*_value_fields(rule), MEAN, MEDIAN, SPREAD, VOTES, *self.rule_fields(options, rule))

        def summary(target: str, words: str, scale: RatingScale) -> Field:
            return Field(target, _described(words, scale, options), fields=fields)

        return _nested(name, about, options, summary)

    def consensus_line(self, options: RatingOptions, agreed: Any, texts: Mapping[str, str] = NO_TEXTS) -> str:
        ratings = _ratings(options, agreed).items()
        words = {row: f"{own.get('value', own['mean']):.1f}" if own else "–" for row, own in ratings}
        return _in_line(options, words) or "Nothing to rate"

    def cells(self, name: str, options: RatingOptions, value: Any, texts: Mapping[str, str] = NO_TEXTS) -> JsonObject:
        ratings = _ratings(options, value or {})
        cells: JsonObject = {}
        for criterion in options.scales:
            for target in options.target_names:
                inner = [criterion] * (len(options.criteria) > 1) + [target] * bool(options.targets)
                point = ratings.get((criterion, target))
                cells[".".join([name, *inner])] = "" if point is None else point
        return cells

    # ---- Invented people

    def invent(self, asked: Prompt, person: InventedPerson, rng: Random) -> Json:
        options: RatingOptions = asked.options
        rows = [(criterion, target.id) for criterion in options.scales for target in targets_of(asked)]
        return _by_criterion(options, {row: _invented(asked, row, person, rng) for row in rows})


Row = tuple[str, str]  # criterion and target


def _ratings(options: RatingOptions, value: Mapping[str, Mapping[str, Any]]) -> dict[Row, Any]:
    """Return what an answer or a consensus says, row by row, in the order of the description."""
    rows = [(criterion, target) for criterion in options.scales for target in options.target_names]
    return {row: value[row[0]][row[1]] for row in rows if row[1] in value.get(row[0], {})}


def _by_criterion(options: RatingOptions, rows: Mapping[Row, Any]) -> Json:
    """Return the rows as an answer or a consensus, in the order of the description."""
    return {
        criterion: {target: rows[criterion, target] for target in options.target_names if (criterion, target) in rows}
        for criterion in options.scales
    }


def _point(text: str) -> int | None:
    return None if text == NO_OPINION else int(text)


def _is_choice(options: RatingOptions, row: RatingRow) -> bool:
    if row.chosen == NO_OPINION:
        return bool(options.no_opinion)
    return row.chosen in {str(point) for point in row.scale.points}


def _outside(row: RatingRow) -> str:
    quote = " ".join(row.chosen.split())
    short = quote if len(quote) <= LONGEST_QUOTE else f"{quote[: LONGEST_QUOTE - 1]}…"
    return f"{short} is not on the scale from {row.scale.first} to {row.scale.last}."


def _in_words(options: RatingOptions, criterion: str, point: int | None) -> str:
    if point is None:
        return f"“{options.no_opinion}”" if options.no_opinion else "–"
    return options.scales[criterion].in_words(point)


def _in_line(options: RatingOptions, words: Mapping[Row, str]) -> str:
    """Return “fluency: Answer A 4 · Answer B 2; accuracy: …”."""
    lines = []
    for criterion, name in options.criterion_names.items():
        own = [(target, words[row]) for target in options.target_names if (row := (criterion, target)) in words]
        ratings = " · ".join(f"{options.target_names[target]} {text}".strip() for target, text in own)
        lines.append(f"{name}{': ' if name and options.targets else ' '}{ratings}".strip() if ratings else "")
    joint = "; " if options.targets else " · "
    return " ".join(joint.join(filter(None, lines)).split())


def _share(point: int | None, others: Sequence[int | None]) -> float | None:
    return sum(other == point for other in others) / len(others) if others else None


def _summary(points: Sequence[int], rule: ChosenRule | None) -> Json:
    if len(points) < (rule.least_answers if rule else 1):
        return None
    figures = {"mean": fmean(points), "median": float(median(points)), "spread": pstdev(points), "votes": len(points)}
    if rule is None:
        return {**figures}
    value: JsonObject = {"value": figures[rule.name]} if rule.name in figures else {}
    return {**value, **figures, "rule": rule.name}


def _value_fields(rule: ChosenRule | None) -> Sequence[Field]:
    return [Field("value", f"the {rule.name} of the ratings", DECIMAL)] if rule and rule.name in BY_VALUE else []


def _series_names(name: str, options: RatingOptions) -> dict[str, str]:
    """Return the name of the series of each criterion."""
    if len(options.criteria) == 1:
        return {options.criteria[0].id: name}
    return {criterion.id: f"{name}: {criterion.id}" for criterion in options.criteria}


def _described(words: str, scale: RatingScale, options: RatingOptions) -> str:
    ends = f"from {scale.in_words(scale.first)} to {scale.in_words(scale.last)}"
    return f"{words}: {ends}" if words else ends


def _nested(name: str, about: str, options: RatingOptions, inner: Any) -> Field:
    """Return a field for each criterion, and in it what `inner` makes of each target."""
    targets = options.target_names
    criteria = tuple(
        Field(
            own, words or about, fields=tuple(inner(target, targets[target], options.scales[own]) for target in targets)
        )
        for own, words in options.criterion_names.items()
    )
    return Field(name, about, fields=criteria)


def _invented(asked: Prompt, row: Row, person: InventedPerson, rng: Random) -> int | None:
    """Return how an invented person rates one row."""
    options: RatingOptions = asked.options
    points = options.scales[row[0]].points
    if person.habit == Habit.SAME:
        return points[len(points) // 2]
    if options.no_opinion and (person.habit == Habit.REFUSES or rng.random() < person.misses):
        return None
    place = usual(replace(asked, name=".".join([asked.name, *row])), len(points))
    if says_the_usual(person, rng):
        return points[place]
    if rng.random() < NEAR_MISS:
        return points[min(max(place + rng.choice((-1, 1)), 0), len(points) - 1)]
    return rng.choice(points)


RATING: Part = RatingPart()
