"""An answer after cleaning. Every task type cleans in its own way; reviews, agreement and releases read the result.

Cleaning leaves an answer in the shape in which its type stores answers, with an outcome, a reason and the marks of
rules. Where rules look at pieces, such as two phrases, each piece has its `unit`, the form in which it is compared and
counted, or none when a rule discards it. The raw answer is never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, Self

from kernel.values import Json


class AnswerOutcome(StrEnum):
    """What became of an answer. Values are released: never rename one."""

    ANSWERED = "answered"
    SKIPPED = "skipped"  # the annotator, or a reviewer, said that there is no answer
    REJECTED = "rejected"  # rules discarded all of it


@dataclass(frozen=True)
class Mark:
    """An objection of one cleaning rule, in one sentence. Only a mark that discards removes the part."""

    rule: str
    why: str
    discards: bool = True
    missing: bool = False  # the annotator gave no answer here, so there is nothing to object to


@dataclass(frozen=True)
class CleanedPart:
    """One piece of an answer after cleaning. `unit` is its identity; None when a mark discards it."""

    raw: str
    display: str
    unit: str | None
    applied: tuple[str, ...] = ()  # rules that changed or marked something, in order
    marks: tuple[Mark, ...] = ()

    @property
    def offences(self) -> tuple[Mark, ...]:
        """The marks that discard something the annotator did answer."""
        return tuple(mark for mark in self.marks if mark.discards and not mark.missing)


@dataclass(frozen=True)
class CleanedAnswer:
    """One annotator's answer to one task after cleaning."""

    answer: Mapping[str, Json] = field(default_factory=dict)  # in the shape of the type's answers
    outcome: AnswerOutcome = AnswerOutcome.ANSWERED
    reason: str = ""  # why it was skipped, if that was said
    marks: tuple[Mark, ...] = ()  # on the whole answer
    parts: tuple[CleanedPart, ...] = ()  # its pieces, where rules look at pieces

    @classmethod
    def of_parts(cls, name: str, parts: tuple[CleanedPart, ...]) -> Self:
        """Return an answer whose only field holds the units of these pieces; none is left: skipped, or rejected."""
        units: list[Json] = [part.unit for part in parts if part.unit is not None]
        is_rejected = not units and any(part.offences for part in parts)
        without = AnswerOutcome.REJECTED if is_rejected else AnswerOutcome.SKIPPED
        return cls({name: units}, AnswerOutcome.ANSWERED if units else without, parts=parts)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(part.unit for part in self.parts if part.unit is not None)

    @property
    def all_marks(self) -> tuple[Mark, ...]:
        return (*self.marks, *(mark for part in self.parts for mark in part.marks))

    @property
    def is_answered(self) -> bool:
        return self.outcome == AnswerOutcome.ANSWERED

    @property
    def is_offending(self) -> bool:
        """True when rules discard something the annotator did answer."""
        return any(mark.discards and not mark.missing for mark in self.all_marks)

    @property
    def is_rejected(self) -> bool:
        """True when the annotator answered, but rules discarded all of it."""
        return self.outcome == AnswerOutcome.REJECTED

    @property
    def says_nothing_fits(self) -> bool:
        """True when the annotator, or a reviewer, said that there is no answer."""
        return self.outcome == AnswerOutcome.SKIPPED


class Cleaning(Protocol):
    """Named, numbered rules that clean the answers of one task type."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def fingerprint(self) -> str:
        """64 hexadecimal digits that differ when a rule or a word list differs."""

    @property
    def identity(self) -> str:
        """Name, version and the start of the fingerprint, for people."""

    def explain(self, rule: str) -> str:
        """Return what a rule does, in one sentence for people; "" for names it does not know."""

    def clean(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> CleanedAnswer:
        """Return the answer after every rule."""

    def settle(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> CleanedAnswer:
        """Return a reviewer's own answer: tidied like any other, but no rule discards any of it."""

    def accept(self, cleaned: CleanedAnswer) -> CleanedAnswer:
        """Return an answer that a reviewer accepted: parts that rules discarded are back, except repetitions."""

    def remembering(self) -> Cleaning:
        """Return the same cleaning with a memory, for one job over many answers. The memory only grows."""
