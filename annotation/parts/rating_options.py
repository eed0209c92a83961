"""What a description may say about ratings: the scale, what is rated, and by which criteria."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, model_validator
from pydantic import Field as Option

from annotation.parts.base import ID_PATTERN, PartOptions
from annotation.parts.targets import LONGEST_LABEL, Targets

FEWEST_POINTS, MOST_POINTS = 2, 100
MOST_CRITERIA = 30
MOST_RATINGS = 300  # in one form
FARTHEST = 10_000
ITEM = "item"  # the id of what is rated if there are no targets


class RatingScale(PartOptions):
    """Whole numbers from `first` to `last`, some of them with words."""

    first: int = Option(default=1, ge=-FARTHEST, le=FARTHEST, description="the lowest point")
    last: int = Option(default=5, ge=-FARTHEST, le=FARTHEST, description="the highest point")
    words: dict[int, Annotated[str, Option(min_length=1, max_length=LONGEST_LABEL)]] = Option(
        default={}, description="words at some points or at all"
    )

    @model_validator(mode="after")
    def _points_and_their_words(self) -> RatingScale:
        if self.last <= self.first:
            raise ValueError(f"a scale from {self.first} to {self.last} has fewer than two points")
        if len(self.points) > MOST_POINTS:
            raise ValueError(f"a scale has at most {MOST_POINTS} points; this one has {len(self.points):,}")
        for point, words in self.words.items():
            if point not in self.points:
                raise ValueError(f"“{words}” stands at {point}, but the scale goes from {self.first} to {self.last}")
            if not words.strip():
                raise ValueError(f"the words at {point} are empty")
        return self

    @property
    def points(self) -> range:
        return range(self.first, self.last + 1)

    @property
    def has_words_at_every_point(self) -> bool:
        return len(self.words) == len(self.points)

    def in_words(self, point: int) -> str:
        """Return “4 (good)”, or the number alone."""
        return f"{point} ({self.words[point]})" if point in self.words else str(point)

    def share(self, point: int) -> float:
        """Return how far up the scale a point is, from 0 to 1."""
        return (point - self.first) / (self.last - self.first)

    def closeness(self, left: int | None, right: int | None) -> float:
        if left is None or right is None:
            return float(left is right)
        return 1 - abs(left - right) / (self.last - self.first)


def _scale(value: Any) -> Any:
    """Let a list of words mean the points from 1 on."""
    if not isinstance(value, list):
        return value
    if len(value) < FEWEST_POINTS:
        raise ValueError("a scale has at least two points: list the words of each")
    return {"first": 1, "last": len(value), "words": dict(enumerate(value, 1))}


def _criterion(value: Any) -> Any:
    """Let a word alone be both id and label."""
    return {"id": value, "label": value} if isinstance(value, str) else value


ScaleOption = Annotated[RatingScale, BeforeValidator(_scale, json_schema_input_type=list[str] | RatingScale)]


class Criterion(PartOptions):
    """One of the things that people rate, such as fluency."""

    id: str = Option(pattern=ID_PATTERN, description="the name of the criterion in answers and files")
    label: str = Option(default="", max_length=LONGEST_LABEL, description="words that people see")
    help: str = Option(default="", max_length=2000, description="a sentence that explains it")
    scale: ScaleOption | None = Option(default=None, description="a scale of its own")


class RatingOptions(PartOptions):
    scale: ScaleOption = Option(default=RatingScale(), description="first and last point and words, or a list of words")
    criteria: list[Annotated[Criterion, BeforeValidator(_criterion, json_schema_input_type=str | Criterion)]] = Option(
        default=[Criterion(id="rating")],
        min_length=1,
        max_length=MOST_CRITERIA,
        description="what is rated: words, or criteria with an id and a label",
    )
    targets: Targets = []
    no_opinion: str = Option(default="", max_length=LONGEST_LABEL, description="label of a box for “I cannot say”")
    shuffle: bool = Option(default=False, description="each person sees the targets in an order of their own")
    pages: bool = Option(default=False, description="people see one criterion at a time")

    @model_validator(mode="after")
    def _few_enough_and_named_once(self) -> RatingOptions:
        names = [criterion.id for criterion in self.criteria]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"“{name}” is listed twice: give each criterion an id of its own")
        ratings = len(names) * max(1, len(self.targets))
        if ratings > MOST_RATINGS:
            raise ValueError(
                f"{len(names)} criteria for {len(self.targets)} targets are {ratings:,} ratings; "
                f"a part may ask for {MOST_RATINGS}"
            )
        return self

    @property
    def has_pages(self) -> bool:
        return self.pages and len(self.criteria) > 1

    @property
    def scales(self) -> Mapping[str, RatingScale]:
        """The scale of each criterion."""
        return {criterion.id: criterion.scale or self.scale for criterion in self.criteria}

    @property
    def criterion_names(self) -> Mapping[str, str]:
        """What each criterion is called; the only one may have no name."""
        is_only = len(self.criteria) == 1
        return {own.id: own.label or ("" if is_only else own.id) for own in self.criteria}

    @property
    def target_names(self) -> Mapping[str, str]:
        """What each target is called in files and lists; the item as a whole has no name."""
        return {target.id: target.label or target.id for target in self.targets} or {ITEM: ""}
