"""Pieces of answers by what people voted in a follow-up: confirmed, not confirmed, or too few votes to say.

Counted as in Table 2 of the TESA paper: the total counts a piece once for each person who gave it, the unique pieces
once however many items and people they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

ALL = "all"
YES, NO = "yes", "no"
Tally: TypeAlias = Mapping[tuple[str, str], int]  # (question, answer) → votes


class PieceOutcome(StrEnum):
    """What the votes say of a piece."""

    CONFIRMED = "confirmed"
    REFUSED = "refused"
    OPEN = "open"  # too few votes


@dataclass(frozen=True)
class Threshold:
    """How many of the people who are asked must confirm a piece, such as two of three."""

    least: int
    asked: int

    @classmethod
    def two_thirds(cls, asked: int) -> Threshold:
        """Return two of three, or as large a part of other numbers, rounded up."""
        return cls(-(-2 * asked // 3), asked)

    def outcome(self, confirming: int, others: int) -> PieceOutcome:
        """Return what these votes say; others are votes that do not confirm the piece."""
        if confirming >= self.least:
            return PieceOutcome.CONFIRMED
        return PieceOutcome.REFUSED if others > self.asked - self.least else PieceOutcome.OPEN

    @property
    def in_words(self) -> str:
        return f"{self.least} of {self.asked}"


@dataclass(frozen=True)
class VotedPiece:
    """A piece of the answers to one item, with the votes on it."""

    item: str  # key of the task that was answered
    category: str
    unit: str
    words: str
    support: int  # people who gave it
    outcome: PieceOutcome
    tally: Tally = field(default_factory=dict)


@dataclass(frozen=True)
class PieceCount:
    items: int = 0
    total: int = 0
    unique: int = 0


@dataclass(frozen=True)
class CategoryRow:
    """The pieces of one category: all, and those with each outcome."""

    category: str
    before: PieceCount
    by_outcome: Mapping[PieceOutcome, PieceCount]

    @property
    def confirmed(self) -> PieceCount:
        return self.by_outcome[PieceOutcome.CONFIRMED]

    @property
    def refused(self) -> PieceCount:
        return self.by_outcome[PieceOutcome.REFUSED]

    @property
    def open(self) -> PieceCount:
        return self.by_outcome[PieceOutcome.OPEN]

    @property
    def share(self) -> float:
        """The confirmed part of the total."""
        return self.confirmed.total / self.before.total

    @property
    def unique_share(self) -> float:
        return self.confirmed.unique / self.before.unique


def by_category(pieces: Sequence[VotedPiece], categories: Sequence[str]) -> list[CategoryRow]:
    """Return a row for all pieces and one for each category that has any; with one category, only the first.

    A unit can have several outcomes, one for each item, so unique pieces by outcome do not add up.
    """
    if not pieces:
        return []
    present = {piece.category for piece in pieces}
    rows = [_row(ALL, pieces)]
    if len(present) > 1:
        rows += [_row(name, [own for own in pieces if own.category == name]) for name in categories if name in present]
    return rows


def _row(category: str, pieces: Sequence[VotedPiece]) -> CategoryRow:
    parts = {outcome: _counted(own for own in pieces if own.outcome == outcome) for outcome in PieceOutcome}
    return CategoryRow(category, _counted(pieces), parts)


def _counted(pieces: Iterable[VotedPiece]) -> PieceCount:
    rows = [*pieces]
    return PieceCount(
        len({own.item for own in rows}), sum(own.support for own in rows), len({own.unit for own in rows})
    )


@dataclass(frozen=True)
class VoteQuestion:
    """What was asked about pieces, as tables show it. `options` are the words of its answers by id."""

    name: str
    heading: str
    options: Mapping[str, str] = field(default_factory=dict)

    def in_words(self, tally: Tally) -> str:
        """Return how people answered, such as “2 of 3” said yes; "" if nobody did."""
        votes = {
            answer: n for (question, answer), n in sorted(tally.items()) if question.partition(".")[0] == self.name
        }
        if not votes:
            return ""
        if self.options.keys() == {YES, NO}:
            return f"{votes.get(YES, 0)} of {sum(votes.values())}"
        return ", ".join(f"{self.options.get(answer, answer)} × {number}" for answer, number in votes.items())
