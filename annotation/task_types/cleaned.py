"""An answer after cleaning. Every task type cleans in its own way; reviews, agreement and releases read the result.

An answer has parts: two phrases, one choice, three spans. Cleaning gives each part its `unit`, the form in which
answers are compared and counted, or discards it with a reason. The raw answer is never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Mark:
    """An objection of one cleaning rule, in one sentence. Only a mark that discards removes the part."""

    rule: str
    why: str
    discards: bool = True
    missing: bool = False  # the annotator gave no answer here, so there is nothing to object to


@dataclass(frozen=True)
class CleanedPart:
    """One part of an answer after cleaning. `unit` is its identity; None when a mark discards it."""

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
    """One annotator's answer to one task after cleaning, part by part."""

    parts: tuple[CleanedPart, ...]

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(part.unit for part in self.parts if part.unit is not None)

    @property
    def is_empty(self) -> bool:
        """True when nothing is left: the annotator said that nothing fits, or rules rejected every part."""
        return all(part.unit is None for part in self.parts)

    @property
    def is_offending(self) -> bool:
        """True when rules discard something the annotator did answer."""
        return any(part.offences for part in self.parts)

    @property
    def is_rejected(self) -> bool:
        """True when the annotator answered, but rules rejected every part."""
        return self.is_empty and self.is_offending

    @property
    def says_nothing_fits(self) -> bool:
        """True when the annotator said that nothing fits."""
        return self.is_empty and not self.is_rejected


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
