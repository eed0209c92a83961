"""What a description of an own task may say: the questions, the words around them, and what people learn from first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, reduce
from operator import or_
from types import GenericAlias
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    create_model,
    field_validator,
)
from pydantic import model_validator as whole

from annotation.parts import PARTS
from annotation.parts.base import Part
from annotation.task_types.base import Level
from annotation.task_types.lessons import (
    FEWEST_CHOICES,
    LONGEST_LINE,
    LONGEST_WORDS,
    MOST_CHOICES,
    MOST_QUESTIONS,
)

NAME = r"^[A-Za-z][A-Za-z0-9_]{0,29}$"
LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
RIGHT_TO_LEFT = {"ar", "arc", "ckb", "dv", "fa", "he", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi"}
# An answer's own field, the reason for skipping, and columns of the file of raw answers.
RESERVED = {
    "skip", "reason", "campaign", "instance", "group", "position", "annotator", "status", "is_excluded", "is_gold",
    "gold_hit", "seconds", "active_ms", "pastes", "pasted", "blurs", "keys", "confirmed", "taken_at", "submitted_at",
    "corrected_at", "is_simulated", "answer", "shown", "signals", "title", "passage",
}  # fmt: skip

CONSENT = (
    "You are asked to read texts and to answer questions about them, for research. Your answers are stored without "
    "your name, and may be published. You may stop at any time."
)
Words = Annotated[str, Field(max_length=LONGEST_WORDS)]
Line = Annotated[str, Field(max_length=LONGEST_LINE)]


class _Described(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Wording(_Described):
    """A language as pages name it (en, de, ar …) and the direction of its texts."""

    language: str = Field(default="en", pattern=LANGUAGE, description="a language tag, such as en, de or ar")
    direction: Literal["", "ltr", "rtl"] = Field(
        default="", description="ltr or rtl; empty: as the language is written"
    )

    @property
    def written(self) -> str:
        is_from_right = self.language.split("-")[0].lower() in RIGHT_TO_LEFT
        return self.direction or ("rtl" if is_from_right else "ltr")


class ShownText(_Described):
    """A text of the item that people read."""

    text: str = Field(
        min_length=1, max_length=200, description="its name: the column of a row, or “text” for items that are texts"
    )
    label: Line = Field(default="", description="a heading above it")


def _shown(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


class _CommonOptions(_Described):
    """What every part has."""

    name: str = Field(pattern=NAME, description="the part's name in answers and files")
    ask: str = Field(min_length=1, max_length=1000, description="the question that people read")
    help: Words = Field(default="", max_length=1000, description="a sentence below the question")
    optional: bool = Field(default=False, description="may be left without an answer")
    show_when: dict[str, str | list[str]] = Field(
        default={}, max_length=1, description="shown only when an earlier part has one of these values"
    )


@cache
def part_models() -> Mapping[str, type[BaseModel]]:
    """Return the model of a part of each kind: what every part has, and the kind's own options."""
    return {kind: _model_of(kind, PARTS[kind]) for kind in PARTS}


def _model_of(kind: str, part: Part) -> type[BaseModel]:
    name = f"{kind.capitalize()}Part"
    literal: Any = (Literal[kind], Field(description="what kind of question it is"))
    bases: tuple[type[BaseModel], ...] = (_CommonOptions, part.options_model)
    return create_model(name, __base__=bases, kind=literal)


def _pairs(value: Any) -> Any:
    """Keep the order of an item's texts, which a JSON object in a database loses."""
    return [*value.items()] if isinstance(value, dict) else value


ItemTexts = Annotated[
    list[tuple[str, str | int | float | bool]],
    BeforeValidator(_pairs),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}),
]


class PracticeDescribed(_Described):
    """A question to practise with."""

    item: ItemTexts = Field(min_length=1, description="an invented item: its texts and values by name")
    answers: dict[str, Any] = Field(min_length=1, description="the right answer, by part")
    reason: Words = Field(default="", description="why it is right")


class QuizDescribed(_Described):
    """A question about the instructions."""

    question: Line
    choices: list[Line] = Field(min_length=FEWEST_CHOICES, max_length=MOST_CHOICES)
    right: str = Field(description="the right choice, in its words")
    explanation: Words = ""

    @whole(mode="after")
    def _right_is_a_choice(self) -> QuizDescribed:
        if self.right not in self.choices:
            raise ValueError(f"“right” must be one of the choices, and “{self.right}” is not")
        return self


class Check(_Described):
    """Answers that do not go together."""

    together: dict[str, str | list[str]] = Field(
        min_length=2, max_length=5, description="a value for each of the parts"
    )
    say: Line = Field(min_length=1, description="what people read")
    level: Level = Field(default=Level.ASK, description="ask (“are you sure?”) or block (refused)")


class InstructionTexts(_Described):
    """The instructions in three parts; a line that begins with “- ”, “+ ” or “x ” is an item, with “# ” a heading."""

    summary: Words = Field(min_length=1, description="what to do, in a few sentences")
    details: Words = Field(min_length=1, description="rules and difficult cases")
    examples: Words = Field(min_length=1, description="good and bad answers")


class _OwnTask(_Described):
    """A task that a group describes itself."""

    name: str = Field(min_length=1, max_length=80, description="the task's name on pages")
    items: Literal["text", "rows"] = Field(default="text", description="what people are asked about")
    show: list[Annotated[ShownText, BeforeValidator(_shown, json_schema_input_type=str | ShownText)]] = Field(
        default=[], max_length=20, description="the texts of the item that people read; empty: all that no part shows"
    )
    texts: Wording = Field(default=Wording(), description="language of the items' texts")
    words: Wording = Field(default=Wording(), description="language of the words in this description")
    parts: list[Any] = Field(min_length=1, max_length=30, description="the questions, in their order")
    checks: list[Check] = Field(default=[], max_length=30, description="answers that do not go together")
    skip: Line = Field(default="", description="label of a box for items that cannot be answered; empty: no such box")
    instructions: InstructionTexts
    consent: Words = Field(default=CONSENT, min_length=1, description="what people agree to")
    practice: list[PracticeDescribed] = Field(default=[], max_length=MOST_QUESTIONS)
    quiz: list[QuizDescribed] = Field(default=[], max_length=MOST_QUESTIONS)

    @field_validator("parts")
    @classmethod
    def _each_name_once(cls, parts: list[Any]) -> list[Any]:
        names = [part.name for part in parts]
        for number, name in enumerate(names):
            if name in RESERVED:
                raise ValueError(f"files have a column “{name}” of their own: choose another name for the part")
            if name in names[:number]:
                raise ValueError(f"two parts are called “{name}”: give each a name of its own")
        for number, part in enumerate(parts):
            place = f"show_when of “{part.name}”"
            if part.name in part.show_when:
                raise ValueError(f"{place}: “{part.name}” is this part itself: name an earlier part")
            _check_condition(part.show_when, parts[:number], place, parts)
        if all(part.show_when for part in parts):
            raise ValueError("at least one part must be shown always (without show_when)")
        return parts

    @field_validator("checks")
    @classmethod
    def _checks_of_parts(cls, checks: list[Check], info: ValidationInfo) -> list[Check]:
        for check in checks if "parts" in info.data else ():
            _check_condition(check.together, info.data["parts"], "together", info.data["parts"])
        return checks


def _check_condition(wanted: Mapping[str, Any], before: Sequence[Any], place: str, parts: Sequence[Any]) -> None:
    """Raise unless each name is a part before, and each value one that this part can have."""
    for name, values in wanted.items():
        part = next((part for part in before if part.name == name), None)
        if part is None:
            later = any(part.name == name for part in parts)
            where = "comes later: name an earlier part" if later else "is not a part"
            raise ValueError(f"{place}: “{name}” {where}")
        known = PARTS[part.kind].values(part)
        if not known:
            raise ValueError(f"{place}: nothing can depend on “{name}”, only on a choice without rows")
        if not values:
            raise ValueError(f"{place}: list at least one value of “{name}”")
        for value in as_list(values):
            if value not in known:
                raise ValueError(f"{place}: “{value}” is no option of “{name}”; its options are {', '.join(known)}")


def as_list(values: str | Sequence[str]) -> Sequence[str]:
    return [values] if isinstance(values, str) else values


@cache
def own_task() -> type[_OwnTask]:
    """Return the model of a description, with the parts of every kind that there is."""
    every: Any = reduce(or_, part_models().values())
    several = len(part_models()) > 1
    part: Any = Annotated[every, Field(discriminator="kind")] if several else every
    parts: Any = (
        GenericAlias(list, (part,)),
        Field(min_length=1, max_length=30, description="the questions, in their order"),
    )
    return create_model("OwnTask", __base__=_OwnTask, parts=parts)


OwnTask = own_task()
VERSION = re.compile(r"^own-([1-9][0-9]{0,8})@([1-9][0-9]{0,8})$")


class OwnSettings(BaseModel):
    """What a campaign keeps of its task: the description as it was, and which version of which it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    version: str = Field(pattern=VERSION.pattern)
    description: OwnTask  # type: ignore[valid-type]

    def in_words(self) -> list[tuple[str, str]]:
        task: Any = self.description
        return [("Description", self.version), ("Questions", " · ".join(part.ask for part in task.parts))]
