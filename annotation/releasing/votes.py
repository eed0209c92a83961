"""Votes of a follow-up on the pieces of a release: counted beside the rows, and a reason to leave pieces out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from annotation.quality.series import Scale
from annotation.task_types.base import TaskType
from annotation.task_types.cleaned import CleanedAnswer
from annotation.task_types.follow_ups import FollowUpKind
from kernel.errors import InvalidInput
from kernel.fields import NUMBER, Field
from kernel.values import Json, counted, whole_number

FIELD = "votes"
HIGHEST = 1000
BEST, WORST, BETWEEN = RANKED = ("best", "worst", "between")
Tally: TypeAlias = Mapping[tuple[str, str], int]  # (question, answer) → votes
TalliesByPiece: TypeAlias = Mapping[str, Tally]  # by the unit of the piece
VOTES = Field(
    FIELD,
    "how people answered about a piece in a follow-up",
    fields=(
        Field("piece", "a phrase, the words of a text, or the place and label of a mark"),
        Field("question", "what was asked about it"),
        Field("answer", "what people answered; of a ranking best, worst or between"),
        Field("votes", "how many people answered so", NUMBER),
    ),
    many=True,
)


@dataclass(frozen=True)
class VoteCondition:
    """Pieces stay if enough people gave this answer about them."""

    question: str
    answer: str
    least: int

    def to_json(self) -> dict[str, Json]:
        return {"question": self.question, "answer": self.answer, "least": self.least}

    @property
    def as_typed(self) -> str:
        """As `condition_in` reads it."""
        return f"{self.question}={self.answer},{self.least}"

    @property
    def in_words(self) -> str:
        return f"at least {counted(self.least, 'vote')} for “{self.answer}” in {self.question}"


@dataclass(frozen=True)
class ChosenVotes:
    """The campaign whose votes count, and which pieces they keep; without conditions all stay."""

    campaign: str
    keep: tuple[VoteCondition, ...] = ()

    def to_json(self) -> dict[str, Json]:
        return {"campaign": self.campaign, "keep": [condition.to_json() for condition in self.keep]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ChosenVotes:
        return cls(value["campaign"], tuple(VoteCondition(**own) for own in value["keep"]))

    @property
    def in_words(self) -> str:
        kept = " and ".join(condition.in_words for condition in self.keep)
        return f"{self.campaign}{f': only pieces with {kept}' if kept else ''}"

    def why_not(self, tally: Tally) -> str:
        """Return why a piece with these votes is left out; "" if it stays."""
        for own in self.keep:
            votes = tally.get((own.question, own.answer), 0)
            if votes < own.least:
                return f"{counted(votes, 'vote')} for “{own.answer}” in {own.question}, fewer than {own.least}."
        return ""


@dataclass(frozen=True)
class JudgedPieces:
    """What a release knows of the votes on its pieces, by the key of the task that was answered."""

    chosen: ChosenVotes
    kind: FollowUpKind
    tallies: Mapping[str, TalliesByPiece] = field(default_factory=dict)


def read_votes(value: Any) -> ChosenVotes | None:
    """Return what a recipe asks for: {"campaign": name, "keep": [{"question", "answer", "least"} …]}."""
    if not value:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("campaign"), str) or value.keys() - {"campaign", "keep"}:
        raise InvalidInput("name the campaign whose votes count (campaign), and which pieces stay (keep)", field=FIELD)
    keep = value.get("keep") or []
    if not isinstance(keep, list):
        raise InvalidInput("must be a list of question, answer and least", field=f"{FIELD}.keep")
    return ChosenVotes(value["campaign"], tuple(map(_condition, keep)))


def _condition(value: Any) -> VoteCondition:
    place = f"{FIELD}.keep"
    if not isinstance(value, dict) or value.keys() - {"question", "answer", "least"}:
        raise InvalidInput("must be a list of question, answer and least", field=place)
    question, answer, least = value.get("question"), value.get("answer"), value.get("least", 1)
    if not isinstance(question, str) or not isinstance(answer, str) or not question or not answer:
        raise InvalidInput("name a question and an answer, such as is_true and yes", field=place)
    if type(least) is not int or not 1 <= least <= HIGHEST:
        raise InvalidInput(f"least must be a whole number from 1 to {HIGHEST:,}", field=place)
    return VoteCondition(question, answer, least)


def condition_in(text: str) -> VoteCondition:
    """Read QUESTION=ANSWER,LEAST as people write it, such as is_true=yes,2; without a number, one vote is enough."""
    question, _, rest = text.partition("=")
    answer, _, least = rest.partition(",")
    if not question.strip() or not answer.strip():
        why = f"write QUESTION=ANSWER or QUESTION=ANSWER,LEAST, such as is_true=yes,2, not “{text.strip()}”"
        raise InvalidInput(why, field=f"{FIELD}.keep")
    number = whole_number(least.strip() or "1")
    return _condition({"question": question.strip(), "answer": answer.strip(), "least": number})


def votes_in(type_: TaskType, answer: CleanedAnswer, units: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield (unit, question, answer) for what one answer says of the pieces of its item."""
    if not answer.is_answered:
        return
    if len(units) == 1:
        texts = {series.part for series in type_.scales if series.scale == Scale.TEXT}
        for question, label in type_.labels_of(answer).items():
            if isinstance(label, str) and question not in texts:
                yield units[0], question, label
            elif isinstance(label, frozenset):
                yield from ((units[0], question, str(own)) for own in sorted(label, key=str))
        return
    for question, value in answer.answer.items():
        if isinstance(value, dict) and value:
            yield from _places(units, question, value)


def _places(units: Sequence[str], question: str, places: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield where a ranking puts each piece; its targets are called answer_1, answer_2 …"""
    by_number = {name.rpartition("_")[2]: place for name, place in places.items() if isinstance(place, int)}
    if not by_number:
        return
    first, last = min(by_number.values()), max(by_number.values())
    for number, unit in enumerate(units, 1):
        if (place := by_number.get(str(number))) is not None:
            yield unit, question, BEST if place == first else WORST if place == last else BETWEEN


def tallies_in(row: Mapping[str, Any]) -> dict[str, dict[tuple[str, str], int]]:
    """Return the votes that a row of a release holds, by the unit of the piece."""
    tallies: dict[str, dict[tuple[str, str], int]] = {}
    for own in row.get(FIELD, ()):
        tallies.setdefault(own["piece"], {})[own["question"], own["answer"]] = own["votes"]
    return tallies


def rows_of(tallies: TalliesByPiece, units: Sequence[str]) -> list[Json]:
    """Return the votes on these pieces as a row of a release holds them."""
    return [
        {"piece": unit, "question": question, "answer": answer, "votes": votes}
        for unit in sorted(units)
        for (question, answer), votes in sorted(tallies.get(unit, {}).items())
    ]
