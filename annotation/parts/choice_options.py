"""What a description may say about a choice: its options, how many of them, and the rows of a grid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Discriminator, Tag, model_validator
from pydantic import Field as Option

from annotation.parts.base import ID_PATTERN, NO_ID, PartOptions
from annotation.parts.targets import LONGEST_LABEL, Targets

NONE, OTHER = "none", "other"  # ids of the two options that a description can add by their labels
FEWEST, MOST = 2, 100
LONGEST_HELP = 300


def checked_id(value: str) -> str:
    if not re.fullmatch(ID_PATTERN, value):
        raise ValueError(f"“{value[:60]}” cannot be an id: {NO_ID}")
    return value


def _a_key(value: str) -> str:
    if not re.fullmatch("[a-z0-9]?", value):
        raise ValueError(f"“{value[:20]}” cannot be a key: give one character, a to z or 0 to 9")
    return value


def _in_a_line(value: str) -> str:
    return " ".join(value.split())


Label = Annotated[str, AfterValidator(_in_a_line)]


class Alternative(PartOptions):
    """An option that people may choose."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    id: Annotated[str, AfterValidator(checked_id)] = Option(description="the name of the option in answers and files")
    label: Label = Option(default="", max_length=LONGEST_LABEL, description="words that people see; empty: the id")
    key: Annotated[str, AfterValidator(_a_key)] = Option(
        default="", description="the key that chooses it, a to z or 0 to 9; empty: 1 to 9 by its place"
    )
    help: Label = Option(default="", max_length=LONGEST_HELP, description="a sentence below the label")

    @property
    def words(self) -> str:
        return self.label or self.id


def as_alternative(value: Any) -> Any:
    """Let a word alone mean an option of this id and label."""
    if isinstance(value, bool):
        raise ValueError("an option is a word: put “true” and “false” in quotes")
    if isinstance(value, int | float):
        value = str(value)
    if isinstance(value, str) and not re.fullmatch(ID_PATTERN, value):
        raise ValueError(f"“{value[:60]}” cannot be an id ({NO_ID}): give this option an id and a label")
    return {"id": value} if isinstance(value, str) else value


def _right_number(value: Any) -> Any:
    if isinstance(value, list | tuple) and len(value) > MOST:
        raise ValueError(f"these are {len(value):,} options, and people cannot choose between more than {MOST}")
    if isinstance(value, list | tuple) and len(value) < FEWEST:
        raise ValueError("a choice needs at least two options")
    return value


Alternatives = Annotated[
    list[Annotated[Alternative, BeforeValidator(as_alternative, json_schema_input_type=str | Alternative)]],
    BeforeValidator(_right_number, json_schema_input_type=list[str | Alternative]),
]


class RowsOfLines(PartOptions):
    """Rows that are the lines of a text of the item."""

    lines: str = Option(
        min_length=1, max_length=200, description="the item's text of which each line is a row, the first 50 of them"
    )


LINES, TARGETS = "[lines]", "[targets]"  # in brackets: no names that people write


def _kind_of_rows(value: Any) -> str:
    return LINES if isinstance(value, dict | RowsOfLines) else TARGETS


Rows = Annotated[Annotated[Targets, Tag(TARGETS)] | Annotated[RowsOfLines, Tag(LINES)], Discriminator(_kind_of_rows)]


class ChoiceOptions(PartOptions):
    options: Alternatives = Option(description="what people choose from: words, or options with an id and a label")
    many: bool = Option(default=False, description="whether people may choose several options")
    least: int = Option(default=1, ge=1, le=MOST, description="how many they must choose, if they may choose several")
    most: int | None = Option(
        default=None, ge=1, le=MOST, description="how many they may choose, if they may choose several; empty: all"
    )
    none: Label = Option(
        default="", max_length=LONGEST_LABEL, description="label of an option that excludes the others; empty: none"
    )
    other: Label = Option(
        default="", max_length=LONGEST_LABEL, description="label of an option with a field for words; empty: none"
    )
    rows: Rows | None = Option(
        default=None, description="what the same choice is made for: texts of the item, words, or the lines of a text"
    )
    shuffle: bool = Option(default=False, description="whether each person sees the options in an order of their own")

    @model_validator(mode="after")
    def _of_its_own(self) -> ChoiceOptions:
        if twice := first_twice([option.id for option in self.options]):
            raise ValueError(f"“{twice}” is listed twice: give each option an id of its own")
        if twice := first_twice([option.key for option in self.options if option.key]):
            raise ValueError(f"“{twice}” is the key of two options")
        for id_, label in ((NONE, self.none), (OTHER, self.other)):
            if label and any(option.id == id_ for option in self.options):
                raise ValueError(f"“{id_}” is the id of the option “{label}”: give yours another id")
        if self.rows == []:
            raise ValueError("list at least one row")
        return self

    @model_validator(mode="after")
    def _as_many_as_there_are(self) -> ChoiceOptions:
        if not self.many and (self.least != 1 or self.most is not None):
            raise ValueError("“least” and “most” are for choices of several options: add many: true")
        if self.least > len(self.options):
            raise ValueError(f"“least” is {self.least}, but there are only {len(self.options)} options")
        if self.most is not None and self.least > self.most:
            raise ValueError(f"“least” ({self.least}) is more than “most” ({self.most})")
        return self


def first_twice(names: Sequence[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")


@dataclass(frozen=True)
class Offered:
    """An option as somebody sees it."""

    id: str
    words: str
    key: str = ""
    help: str = ""
    is_none: bool = False  # excludes the others
    is_other: bool = False  # asks for words


def offered(options: ChoiceOptions, order: Sequence[str] = ()) -> list[Offered]:
    """Return the options in the order in which somebody sees them."""
    place = {id_: position for position, id_ in enumerate(order)}
    ordered = sorted(options.options, key=lambda option: place.get(option.id, len(place)))
    shown = [Offered(option.id, option.words, option.key, option.help) for option in ordered]
    shown += [Offered(NONE, options.none, is_none=True)] if options.none else []
    shown += [Offered(OTHER, options.other, is_other=True)] if options.other else []
    taken = {option.key for option in shown}
    return [
        Offered(
            option.id, option.words, option.key or _free_key(position, taken), option.help, option.is_none,
            option.is_other,
        )
        for position, option in enumerate(shown, 1)
    ]  # fmt: skip


def _free_key(position: int, taken: set[str]) -> str:
    return str(position) if position <= 9 and str(position) not in taken else ""


def labels_of(options: ChoiceOptions) -> dict[str, str]:
    """Return the words of each option, in the order of the description."""
    return {option.id: option.words for option in offered(options)}
