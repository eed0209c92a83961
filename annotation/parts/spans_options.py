"""What a description may say about pieces of a text that people mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, model_validator
from pydantic import Field as Option

from annotation.parts.base import PartOptions
from annotation.parts.choice_options import Alternative, Label, as_alternative, first_twice
from annotation.parts.span_attributes import MOST_ATTRIBUTES, SIGN, SpanAttribute
from annotation.parts.targets import LONGEST_LABEL

MOST_LABELS = 30
MOST_SPANS = 2000
COLOURS = 6
WORDS, CHARACTERS = "words", "characters"
APART, NESTED, ANY = "none", "nested", "any"


class SpanLabel(Alternative):
    """What a marked piece can be."""

    colour: int | None = Option(
        default=None, ge=1, le=COLOURS, description=f"the colour of its marks, 1 to {COLOURS}; empty: by its place"
    )


class SpansOptions(PartOptions):
    text: str = Option(min_length=1, max_length=200, description="the name of the item's text in which people mark")
    labels: list[Annotated[SpanLabel, BeforeValidator(as_alternative, json_schema_input_type=str | SpanLabel)]] = (
        Option(
            min_length=1,
            max_length=MOST_LABELS,
            description="what a piece can be: words, or labels with an id and a label",
        )
    )
    unit: Literal["words", "characters"] = Option(
        default="words", description="whether people mark whole words, or any characters"
    )
    overlap: Literal["none", "nested", "any"] = Option(
        default="none", description="whether marks may stand inside each other (nested) or overlap as they like (any)"
    )
    least: int = Option(default=1, ge=1, le=MOST_SPANS, description="how many pieces they must mark, if there are any")
    most: int = Option(default=MOST_SPANS, ge=1, le=MOST_SPANS, description="how many pieces they may mark")
    none: Label = Option(
        default="Nothing to mark",
        max_length=LONGEST_LABEL,
        description="label of the box for a text without any such piece; empty: no such box",
    )

    attributes: list[SpanAttribute] = Option(
        default=[], max_length=MOST_ATTRIBUTES, description="what people say about each mark beside its label"
    )

    suggestions: str = Option(
        default="", max_length=200, description="the column with marks that people start from; empty: none"
    )
    show_suggestions: bool = Option(
        default=True, description="false: people do not see the suggestions, which are compared with their marks"
    )

    @model_validator(mode="after")
    def _suggestions_of_another_column(self) -> SpansOptions:
        if self.suggestions == self.text:
            raise ValueError(f"“suggestions” names the text itself (“{self.text}”): name the column with the marks")
        return self

    @model_validator(mode="after")
    def _labels_that_differ(self) -> SpansOptions:
        names = [name for own in self.labels for name in {own.id.casefold(), own.words.casefold()}]
        if twice := first_twice(names):
            raise ValueError(f"two labels are called “{twice}”: give each an id and words of its own")
        if twice := first_twice([own.key for own in self.labels if own.key]):
            raise ValueError(f"“{twice}” is the key of two labels")
        if with_sign := [own.words for own in self.labels if SIGN in own.words]:
            raise ValueError(
                f"“{with_sign[0]}” has “{SIGN}”, which stands before labels where people write: leave it out"
            )
        return self

    @model_validator(mode="after")
    def _attributes_of_labels(self) -> SpansOptions:
        if twice := first_twice([own.name.casefold() for own in self.attributes]):
            raise ValueError(f"two attributes are called “{twice}”: give each a name of its own")
        known = {own.id for own in self.labels}
        for own in self.attributes:
            if unknown := [label for label in own.labels if label not in known]:
                raise ValueError(f"attribute “{own.name}”: “{unknown[0]}” is not the id of a label")
        return self

    @model_validator(mode="after")
    def _least_before_most(self) -> SpansOptions:
        if self.least > self.most:
            raise ValueError(f"“least” ({self.least}) is more than “most” ({self.most})")
        return self


@dataclass(frozen=True)
class OfferedLabel:
    """A label as somebody sees it."""

    id: str
    words: str
    key: str
    colour: int
    help: str


def offered_labels(options: SpansOptions) -> list[OfferedLabel]:
    taken = {own.key for own in options.labels}
    free = [key for key in "123456789" if key not in taken]
    offered = []
    for place, own in enumerate(options.labels):
        key = own.key or (free.pop(0) if free else "")
        offered.append(OfferedLabel(own.id, own.words, key, own.colour or place % COLOURS + 1, own.help))
    return offered


def words_of_labels(options: SpansOptions) -> dict[str, str]:
    return {own.id: own.words for own in options.labels}
