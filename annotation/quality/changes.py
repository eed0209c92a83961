"""What would change if one cleaning replaced another: a dry run, nothing is stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.task_types.cleaned import CleanedPart, Cleaning


@dataclass(frozen=True)
class Change:
    """A part of an answer that two cleanings treat differently."""

    key: str
    raw: str
    before: CleanedPart
    after: CleanedPart

    @property
    def kind(self) -> str:
        """Return "lost", "regained", "renamed", or "noted" when only the display or the marks differ."""
        if self.before.unit == self.after.unit:
            return "noted"
        if self.after.unit is None:
            return "lost"
        return "regained" if self.before.unit is None else "renamed"

    @property
    def is_visible(self) -> bool:
        """True when it shows on a page that lists only units and the rules that marked them."""
        return self.before.unit != self.after.unit or _codes(self.before) != _codes(self.after)


def compare(
    before: Cleaning, after: Cleaning, answers: Iterable[tuple[str, Mapping[str, Any], Mapping[str, Any]]]
) -> tuple[Change, ...]:
    """Return what `after` in place of `before` would change in these answers, each (key, question, answer)."""
    changes = []
    for key, question, answer in answers:
        pairs = zip(before.clean(question, answer).parts, after.clean(question, answer).parts, strict=True)
        for old, new in pairs:
            if (old.unit, old.display, _codes(old)) != (new.unit, new.display, _codes(new)):
                changes.append(Change(key, old.raw, old, new))
    return tuple(changes)


def _codes(part: CleanedPart) -> tuple[tuple[str, bool], ...]:
    return tuple((mark.rule, mark.discards) for mark in part.marks)
