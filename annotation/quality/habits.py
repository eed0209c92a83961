"""Habits that show over many answers: the same in every row, the same answer each time, the same place on the page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias


class HabitKind(StrEnum):
    STRAIGHT = "straight"  # the same in every row
    ANSWER = "answer"
    POSITION = "position"  # what stands there on the page, whatever it is


Subject: TypeAlias = tuple[str, HabitKind]  # the name of a part of the answers, and what is looked for in it


@dataclass(frozen=True)
class AnswerPattern:
    """One answer to one part, as far as it can show a habit."""

    rows: Sequence[str] = ()  # what it says in each row
    answers: Sequence[str] = ()  # what it says as a whole, or each option that it chooses
    order: Sequence[str] = ()  # the ids to choose from, in the order in which they were shown
    chosen: str = ""  # the one that was chosen or put first; empty: none, or several

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


def _things(pattern: AnswerPattern) -> Iterator[tuple[HabitKind, Sequence[str]]]:
    """Yield each habit that the answer could show, with what is seen of it."""
    if len(pattern.rows) > 1:
        yield HabitKind.STRAIGHT, ("straight",) * (len({*pattern.rows}) == 1)
    if pattern.answers:
        yield HabitKind.ANSWER, tuple(dict.fromkeys(pattern.answers))
    if pattern.position is not None:
        yield HabitKind.POSITION, (str(pattern.position),)
