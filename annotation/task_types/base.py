"""What a task type is: what we ask, and what counts as an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Protocol

from annotation.task_types.cleaned import Cleaning
from corpus.frozen import FrozenInstance
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import Json

JsonObject = dict[str, Json]


class Level(StrEnum):
    """How strongly a finding speaks. Values are stored: never rename one."""

    BLOCK = "block"  # cannot be submitted as it is
    ASK = "ask"  # "are you sure?"


@dataclass(frozen=True)
class Finding:
    """One thing a check noticed in an answer. Codes are stable; the sentence is for the annotator."""

    code: str
    level: Level
    why: str


@dataclass(frozen=True)
class FieldFinding:
    """A check that has something to say about one field of the form."""

    field: str
    finding: Finding


class InvalidAnswer(InvalidInput):
    """An answer that cannot stand as it is; `findings` say why, field by field."""

    code = "invalid_answer"

    def __init__(self, findings: Sequence[FieldFinding]) -> None:
        self.findings = tuple(findings)
        first = self.findings[0]
        super().__init__(first.finding.why, field=first.field)


@dataclass(frozen=True)
class PracticeQuestion:
    """A question with known good answers, asked before the first task."""

    instance: FrozenInstance
    accepted: tuple[str, ...]
    explanation: str


@dataclass(frozen=True)
class QuizQuestion:
    """A question about the instructions; `right` counts in `choices`."""

    text: str
    choices: tuple[str, ...]
    right: int
    explanation: str


@dataclass(frozen=True)
class InstructionParts:
    """The instructions a task type brings along, in the three parts annotators know."""

    summary: str
    details: str
    examples: str


@dataclass(frozen=True)
class Gold:
    """What counts as right: one of these phrases, or that nothing fits."""

    phrases: tuple[str, ...] = field(default=())
    impossible: bool = False


class TaskType(Protocol):
    """What we ask a worker, and what counts as an answer. Holds no state and no Django."""

    name: ClassVar[str]
    template: ClassVar[str]  # the form; everything above it is `html`
    instructions: InstructionParts
    practice: Sequence[PracticeQuestion]
    quiz: Sequence[QuizQuestion]
    cleanings: Mapping[str, Cleaning]  # by name; a dry run compares the first with `cleaning`
    cleaning: Cleaning  # the one in use

    def question(self, instance: FrozenInstance) -> JsonObject:
        """Return what an answer is checked against, and what the form needs to say."""

    def html(self, instance: FrozenInstance) -> str:
        """Return what the worker reads: the only thing they ever see of the instance."""

    def checks(self, question: Mapping[str, Json], form: Mapping[str, str]) -> list[FieldFinding]:
        """Return what can be said about a half-finished answer."""

    def parse(self, question: Mapping[str, Json], form: Mapping[str, str]) -> JsonObject:
        """Return the answer, or raise InvalidAnswer: the only judge, whatever way an answer comes in."""

    def form(self, answer: Mapping[str, Json]) -> dict[str, str]:
        """Return the form that gives this answer, for correcting it."""

    def summary(self, answer: Mapping[str, Json]) -> str:
        """Return the answer in one line, for lists."""

    def is_hit(self, answer: Mapping[str, Json], gold: Gold, question: Mapping[str, Json]) -> bool:
        """Tell whether the answer is what the gold asks for."""

    def is_doubtful(self, answers: Sequence[Mapping[str, Json]], question: Mapping[str, Json]) -> bool:
        """Tell whether these answers disagree so far that one more person should be asked."""
