"""Habits that show over many answers: the same in every row, the same answer each time, the same place on the page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

NEARLY_WHOLE = 0.9  # of the words of a text
MOST = 0.5  # of the others


class HabitKind(StrEnum):
    STRAIGHT = "straight"  # the same in every row
    ANSWER = "answer"
    POSITION = "position"  # what stands there on the page, whatever it is
    UNMARKED = "unmarked"  # no mark in a text in which most others made some
    WHOLE = "whole"  # marks over nearly the whole text


Subject: TypeAlias = tuple[str, HabitKind]  # the name of a part of the answers, and what is looked for in it


@dataclass(frozen=True)
class AnswerPattern:
    """One answer to one part, as far as it can show a habit."""

    rows: Sequence[str] = ()  # what it says in each row
    answers: Sequence[str] = ()  # what it says as a whole, or each option that it chooses
    order: Sequence[str] = ()  # the ids to choose from, in the order in which they were shown
    chosen: str = ""  # the one that was chosen or put first; empty: none, or several
    covered: float | None = None  # the share of a text that its marks cover; None: it has no marks, or nothing to mark
    others_mark: float | None = None  # the share of the others who marked something in it; None: there are none

    @property
    def position(self) -> int | None:
        """Where the chosen id stood, from 1; None if there was nothing to choose from, or no order of their own."""
        return self.order.index(self.chosen) + 1 if len(self.order) > 1 and self.chosen in self.order else None


@dataclass(frozen=True)
class HabitCounts:
    """How many answers could show a habit, and in how many each thing was seen."""

    answers: Mapping[Subject, int] = field(default_factory=dict)
    seen: Mapping[Subject, Counter[str]] = field(default_factory=dict)


def count_habits(answers: Iterable[Mapping[str, AnswerPattern]]) -> HabitCounts:
    """Count what the answers say, given the pattern of each of their parts."""
    done: Counter[Subject] = Counter()
    seen: dict[Subject, Counter[str]] = defaultdict(Counter)
    for patterns in answers:
        for part, pattern in patterns.items():
            for kind, things in _things(pattern):
                done[part, kind] += 1
                seen[part, kind].update(things)
    return HabitCounts(done, dict(seen))


def beside_others(answers: Sequence[Mapping[str, AnswerPattern]]) -> list[Mapping[str, AnswerPattern]]:
    """Return the patterns of all answers to one task, each with how many of the others marked something."""
    covered = Counter(part for own in answers for part, pattern in own.items() if pattern.covered is not None)
    marked = Counter(part for own in answers for part, pattern in own.items() if pattern.covered)
    return [
        {part: _with_others(pattern, marked[part], covered[part]) for part, pattern in own.items()} for own in answers
    ]


def _with_others(pattern: AnswerPattern, marked: int, answers: int) -> AnswerPattern:
    if pattern.covered is None or answers < 2:
        return pattern
    return replace(pattern, others_mark=(marked - (pattern.covered > 0)) / (answers - 1))


def _things(pattern: AnswerPattern) -> Iterator[tuple[HabitKind, Sequence[str]]]:
    """Yield each habit that the answer could show, with what is seen of it."""
    if len(pattern.rows) > 1:
        yield HabitKind.STRAIGHT, ("straight",) * (len({*pattern.rows}) == 1)
    if pattern.answers:
        yield HabitKind.ANSWER, tuple(dict.fromkeys(pattern.answers))
    if pattern.position is not None:
        yield HabitKind.POSITION, (str(pattern.position),)
    if pattern.covered is not None:
        yield HabitKind.WHOLE, ("whole",) * (pattern.covered >= NEARLY_WHOLE)
        if pattern.others_mark is not None and pattern.others_mark > MOST:
            yield HabitKind.UNMARKED, ("unmarked",) * (pattern.covered == 0)
