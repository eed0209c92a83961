"""The rows of ratings as people see them: a row for each criterion and target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.parts.base import Prompt
from annotation.parts.rating_options import ITEM, Criterion, RatingOptions, RatingScale
from annotation.parts.targets import Seen, seen

NO_OPINION = "none"  # the value of the box
MOST_BOXES = 11  # a longer scale is a list that opens


@dataclass(frozen=True)
class RatingRow:
    """The points of one criterion for one target."""

    criterion: str
    target: str
    field: str
    chosen: str  # what the field holds
    scale: RatingScale
    legend: str
    heading: str  # of its group
    help: str = ""

    @property
    def points(self) -> list[tuple[str, str]]:
        return [(str(point), self.scale.words.get(point, "")) for point in self.scale.points]

    @property
    def shape(self) -> str:
        if len(self.scale.points) > MOST_BOXES:
            return "select"
        return "list" if self.scale.has_words_at_every_point else "boxes"

    @property
    def is_named_above(self) -> bool:
        return self.legend == self.heading


@dataclass(frozen=True)
class RatingText:
    """A text of the item under its heading."""

    heading: str
    column: str
    text: str


@dataclass(frozen=True)
class RatingGroup:
    """Rows that belong together: the ratings of one target, or of all targets by one criterion."""

    heading: str
    rows: Sequence[RatingRow]
    help: str = ""
    text: RatingText | None = None


def targets_of(asked: Prompt) -> list[Seen]:
    """Return the targets that the item has, in the order in which this person sees them."""
    options: RatingOptions = asked.options
    return seen(asked, options.targets) if options.targets else [Seen(ITEM, "")]


def names_of(asked: Prompt) -> Mapping[str, str]:
    """Return what a person reads as the name of each target: of several, texts without a label are numbered.

    The numbers are those of the description, because remarks are made without anybody's order.
    """
    targets = targets_of(asked)
    if len(targets) == 1:
        return {target.id: target.label for target in targets}
    numbers = {target.id: number for number, target in enumerate(targets_of(replace(asked, order=())), 1)}
    return {target.id: target.label or f"Text {numbers[target.id]}" for target in targets}


def by_target(asked: Prompt, form: Mapping[str, str]) -> list[RatingGroup]:
    """Return the rows of each target, with its text."""
    options: RatingOptions = asked.options
    names, criteria = names_of(asked), options.criterion_names
    texts = {text.column: text for text in texts_of(asked)}
    columns = {target.id: target.text for target in options.targets}
    return [
        RatingGroup(
            name,
            [_row(asked, form, own, target, criteria[own.id] or name, name, own.help) for own in options.criteria],
            text=texts.get(columns.get(target, "")),
        )
        for target, name in names.items()
    ]


def by_criterion(asked: Prompt, form: Mapping[str, str]) -> list[RatingGroup]:
    """Return the rows of each criterion; the texts stand above all of them."""
    options: RatingOptions = asked.options
    groups = []
    for own in options.criteria:
        heading = options.criterion_names[own.id]
        rows = [_row(asked, form, own, target, name or heading, heading) for target, name in names_of(asked).items()]
        groups.append(RatingGroup(heading, rows, own.help))
    return groups


def rows_of_form(asked: Prompt, form: Mapping[str, str]) -> list[RatingRow]:
    """Return the rows in the order in which the person sees them."""
    groups = by_criterion(asked, form) if asked.options.has_pages else by_target(asked, form)
    return [row for group in groups for row in group.rows]


def texts_of(asked: Prompt) -> list[RatingText]:
    names, columns = names_of(asked), {target.id: target.text for target in asked.options.targets}
    return [RatingText(names[own.id], columns[own.id], own.text) for own in targets_of(asked) if own.text]


def rated(target: str, criterion: str) -> str:
    """Return “Answer A for fluency”, or what of it has a name."""
    return " for ".join(filter(None, [target, criterion]))


def please(asked: Prompt, row: RatingRow) -> str:
    """Return what is said about a row without a rating."""
    target, criterion = names_of(asked)[row.target], asked.options.criterion_names[row.criterion]
    if target:
        return f"Please rate {rated(target, criterion)}."
    return f"Please choose a rating for {criterion}." if criterion else "Please choose a point on the scale."


def _row(
    asked: Prompt,
    form: Mapping[str, str],
    own: Criterion,
    target: str,
    legend: str,
    heading: str,
    help_text: str = "",
) -> RatingRow:
    field = asked.field(own.id, target)
    chosen = form.get(field, "").strip()
    return RatingRow(own.id, target, field, chosen, asked.options.scales[own.id], legend, heading, help_text)
