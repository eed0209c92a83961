"""What a follow-up is: which pieces an answer has, when two are the same, and what the next people are asked about.

A follow-up reads answers as a release counts them: after cleaning, corrections and exclusions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.cleaned import CleanedAnswer
from corpus.items.columns import LONGEST_TEXT, Value
from kernel.values import Json

Columns = Mapping[str, Value]
Context = Sequence[tuple[str, str]]  # texts of the first item that people read again: name and heading
ANSWER = "answer"  # the column that holds a text that somebody wrote; further ones are answer_1, answer_2 …


@dataclass(frozen=True)
class AskedPiece:
    """Something that an answer says, such as a phrase or a mark. Two pieces of one unit are the same."""

    unit: str
    words: str


@dataclass(frozen=True)
class GatheredPiece:
    """A piece once, with everybody who gave it."""

    unit: str
    words: str  # as most of them wrote it
    support: int
    authors: frozenset[str]


@dataclass(frozen=True)
class NewItem:
    """An item of a follow-up: its columns, the pieces that it holds, and who gave them."""

    columns: Columns
    units: tuple[str, ...]
    authors: frozenset[str]


@dataclass(frozen=True)
class Confirmation:
    """The answer by which people confirm a piece, and the words for it: phrases are called true."""

    question: str
    answer: str
    pieces: str
    called: str


class FollowUpKind(Protocol):
    """One way to ask about answers. Holds no state and no Django; `name` is stored: never rename it."""

    @property
    def name(self) -> str:
        """What names it among those of its task type, such as “confirm-names”."""

    @property
    def label(self) -> str:
        """Its name on pages."""

    @property
    def about(self) -> str:
        """One sentence: what people are asked."""

    @property
    def fewest(self) -> int:
        """How many different pieces an item must have to be asked about."""

    @property
    def confirmation(self) -> Confirmation | None:
        """Return by which answer people confirm a piece; None if they compare or rate pieces."""

    @property
    def headings(self) -> Mapping[str, str]:
        """Return a short name of each question for tables; a question without one is shown in full."""

    def pieces(self, answer: CleanedAnswer) -> Iterable[AskedPiece]:
        """Return what one answer says."""

    def items(self, columns: Columns, pieces: Sequence[GatheredPiece], naming: Naming) -> list[NewItem]:
        """Return the items made of one item's pieces, beside the columns of that item."""

    def description(self, context: Context, naming: Naming, most: int) -> dict[str, Json]:
        """Return the own task that asks about such items; `most` is the highest number of pieces in an item."""

    def without(self, answer: CleanedAnswer, units: Collection[str], why: str) -> CleanedAnswer:
        """Return an answer without these pieces."""

    def invent(self, item: Any, unit: str, person: InventedPerson, rng: Random) -> dict[str, Json] | None:
        """Return how an invented person answers about a piece of the answers to this item; None if it says nothing."""


@dataclass(frozen=True)
class Naming:
    """How new columns are called: `taken` are the names that items of the stage before have."""

    taken: frozenset[str]
    stage: int

    def of(self, name: str) -> str:
        new = name
        while new in self.taken:
            new = f"{new}_{self.stage}"
        return new


def fitting(text: str) -> str:
    """Return a text as a column can hold it."""
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def gathered(kind: FollowUpKind, answers: Iterable[tuple[str, CleanedAnswer]]) -> list[GatheredPiece]:
    """Return each piece once, by its unit. Each answer comes with its author.

    Nothing tells how many people gave a piece: it would sway those who judge it.
    """
    words: dict[str, Counter[str]] = {}
    authors: dict[str, set[str]] = {}
    for author, answer in answers:
        if not answer.is_answered:
            continue
        for piece in kind.pieces(answer):
            words.setdefault(piece.unit, Counter())[piece.words] += 1
            authors.setdefault(piece.unit, set()).add(author)
    return [
        GatheredPiece(unit, _usual(words[unit]), len(authors[unit]), frozenset(authors[unit])) for unit in sorted(words)
    ]


def _usual(ways: Counter[str]) -> str:
    """Return the most frequent way to write a piece; of several, the first by its letters."""
    return min(ways.items(), key=lambda way: (-way[1], way[0]))[0]
