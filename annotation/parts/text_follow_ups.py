"""Rate each text that people wrote, or choose the best of those that they wrote about one item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar

from annotation.parts.ranking_options import MOST_TARGETS
from annotation.parts.words import same_words
from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.cleaned import AnswerOutcome, CleanedAnswer
from annotation.task_types.follow_ups import (
    ANSWER,
    AskedPiece,
    Columns,
    Confirmation,
    Context,
    GatheredPiece,
    Naming,
    NewItem,
    fitting,
)
from kernel.values import Json

BEST = "best"  # the part in which people choose


@dataclass(frozen=True)
class TextsOfPart:
    """Reads the texts of one part of an own task: texts of the same words count as one."""

    part: str
    confirmation: ClassVar[Confirmation | None] = None
    headings: ClassVar[Mapping[str, str]] = {}

    def pieces(self, answer: CleanedAnswer) -> Iterable[AskedPiece]:
        text: Any = answer.answer.get(self.part)
        return [AskedPiece(same_words(text), text)] if text else []

    def without(self, answer: CleanedAnswer, units: Collection[str], why: str) -> CleanedAnswer:
        text: Any = answer.answer.get(self.part)
        if not text or same_words(text) not in units:
            return answer
        left = {**answer.answer, self.part: None}
        is_empty = all(value is None for value in left.values())
        return replace(answer, answer=left, outcome=AnswerOutcome.REJECTED if is_empty else answer.outcome)

    def invent(self, item: Any, unit: str, person: InventedPerson, rng: Random) -> dict[str, Json] | None:
        return None


@dataclass(frozen=True)
class RateTexts(TextsOfPart):
    ask: str
    fewest: int = 1
    label: str = "Rate each text"

    @property
    def name(self) -> str:
        return f"rate-{self.part}"

    @property
    def about(self) -> str:
        return f"For each text that somebody wrote (“{self.ask}”): how good is it?"

    def items(self, columns: Columns, pieces: Sequence[GatheredPiece], naming: Naming) -> list[NewItem]:
        return each_text(columns, pieces, naming)

    def description(self, context: Context, naming: Naming, most: int) -> dict[str, Json]:
        return {
            "name": f"Rate: {self.ask}"[:80],
            "items": "rows",
            "show": [*shown_again(context), {"text": naming.of(ANSWER), "label": "Answer"}],
            "parts": [
                {
                    "name": "quality",
                    "kind": "rating",
                    "ask": "How good is this answer?",
                    "scale": ["very bad", "bad", "neither good nor bad", "good", "very good"],
                }
            ],
            "skip": "I cannot tell",
            "instructions": {
                "summary": f"Other people were asked: “{self.ask}” You see one of their answers. Say how good it is.",
                "details": "- Read the text first, then the answer.\n- Judge the answer by what was asked, not by how "
                "long it is.\n- Use the whole scale: very good answers and very bad ones exist.",
                "examples": "+ An answer that does all that was asked and is well written – very good\n"
                "x An answer about something else – very bad, however well it is written",
            },
        }


@dataclass(frozen=True)
class ChooseBest(TextsOfPart):
    ask: str
    fewest: int = 2
    label: str = "Choose the best"

    @property
    def name(self) -> str:
        return f"choose-{self.part}"

    @property
    def about(self) -> str:
        return f"Of all texts that people wrote about one item (“{self.ask}”): which is the best?"

    def items(self, columns: Columns, pieces: Sequence[GatheredPiece], naming: Naming) -> list[NewItem]:
        return all_texts(columns, pieces, naming)

    def description(self, context: Context, naming: Naming, most: int) -> dict[str, Json]:
        return {
            "name": f"Choose the best: {self.ask}"[:80],
            "items": "rows",
            "show": shown_again(context),
            "parts": [best_of(naming, most)],
            "skip": "I cannot tell",
            "instructions": {
                "summary": f"Other people were asked: “{self.ask}” You see their answers. Choose the best.",
                "details": "- Read the text first, then all answers.\n- Judge the answers by what was asked, not by "
                "how long they are.\n- Their order is drawn by lot for each person: it says nothing about them.",
                "examples": "+ The best answer does all that was asked and says it clearly.\n"
                "x “I chose the first answer because it stands first.”",
            },
        }


def each_text(columns: Columns, pieces: Sequence[GatheredPiece], naming: Naming) -> list[NewItem]:
    """Return an item for each text."""
    name = naming.of(ANSWER)
    return [
        NewItem({**columns, name: fitting(piece.words)}, (piece.unit,), piece.authors)
        for piece in sorted(pieces, key=lambda own: own.unit)
    ]


def all_texts(columns: Columns, pieces: Sequence[GatheredPiece], naming: Naming) -> list[NewItem]:
    """Return an item with all texts, at most as many as a ranking takes: those that most people wrote."""
    kept = sorted(pieces, key=lambda own: (-own.support, own.unit))[:MOST_TARGETS]
    kept.sort(key=lambda own: own.unit)
    answers = {naming.of(numbered(place)): fitting(piece.words) for place, piece in enumerate(kept, 1)}
    authors = frozenset[str]().union(*(piece.authors for piece in kept))
    return [NewItem({**columns, **answers}, tuple(piece.unit for piece in kept), authors)]


def numbered(place: int) -> str:
    return f"{ANSWER}_{place}"


def best_of(naming: Naming, most: int, ask: str = "Which answer is the best?") -> dict[str, Json]:
    """Return the part in which people choose: a pair, or the best and the worst of several."""
    names = [numbered(place) for place in range(1, max(2, most) + 1)]
    targets: list[Json] = [{"id": name, "text": naming.of(name)} for name in names]
    if len(targets) == 2:
        return {"name": BEST, "kind": "ranking", "how": "pair", "ask": ask, "targets": targets, "ties": True}
    worst = "Which is the best, and which is the worst?"
    return {"name": BEST, "kind": "ranking", "how": "best_worst", "ask": worst, "targets": targets}


def shown_again(context: Context) -> list[Json]:
    return [{"text": name, "label": heading} for name, heading in context]
