"""Two small task types for tests of agreement: stars from 1 to 5, and marked words of a text. Neither has pieces.

`RatedTexts` asks for stars through the whole product.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.quality.series import Label, Scale, SeriesOf
from annotation.quality.thresholds import Thresholds
from annotation.quality.worker_filters import DISAGREES_WITH_EVERYONE, FAILED_GOLD, WorkerFilter
from annotation.task_types.base import FieldRemark, Gold, InvalidAnswer, JsonObject, Judgement, Level, Remark
from annotation.task_types.cleaned import AnswerOutcome, CleanedAnswer, Cleaning
from annotation.task_types.comparing import AnswerWords, Similarity
from annotation.task_types.defaults import Defaults
from tests.annotation.second_type.type import Tone, ToneCleaning

STARS = ("1", "2", "3", "4", "5")


class WithoutPieces(Defaults):
    """What both types have in common: no rule looks at pieces, so there are no units to compare."""

    worker_filters: Sequence[WorkerFilter] = (FAILED_GOLD, DISAGREES_WITH_EVERYONE)

    def groups(self, units: Iterable[str]) -> Mapping[str, str]:
        return {unit: unit for unit in units}

    def similarities(self, units: Sequence[str], vectors: Any) -> Mapping[str, Similarity]:
        return {}


class Stars(WithoutPieces):
    """How good something is, in stars, and why. One star apart counts as the same."""

    thresholds = Thresholds(same=0.75)
    scales: Sequence[SeriesOf] = (
        SeriesOf("stars", "text", Scale.ORDINAL, STARS),
        SeriesOf("kind", "text", Scale.NOMINAL),
    )
    answer_words = AnswerWords(
        units="people", same_group="same stars", nothing_fits="", a_unit="a rating", no_unit="no rating",
        same_unit="same rating", different_units="different ratings", labels="the rating", labels_axis="rating",
        whether="the rating", where="the rating", opposed="people contradict each other", category="the kind of text",
    )  # fmt: skip

    def closeness(self, left: CleanedAnswer, right: CleanedAnswer) -> float:
        """Return 1 minus the difference as a share of the whole scale; a skipped answer is close to no other."""
        if not left.is_answered or not right.is_answered:
            return float(left.is_answered == right.is_answered)
        return 1 - abs(int(str(left.answer["stars"])) - int(str(right.answer["stars"]))) / 4

    def label(self, cleaned: CleanedAnswer) -> str:
        return str(cleaned.answer.get("stars", "none"))

    def labels_of(self, cleaned: CleanedAnswer) -> Mapping[str, Label]:
        return {part: str(value) for part, value in cleaned.answer.items()} if cleaned.is_answered else {}


class Marked(WithoutPieces):
    """Which words of a text are marked; none is an answer too."""

    thresholds = Thresholds(same=0.5)
    scales: Sequence[SeriesOf] = (SeriesOf("marked words", "text", Scale.SET),)
    answer_words = AnswerWords(
        units="words", same_group="same words", nothing_fits="", a_unit="a marked word", no_unit="no marked word",
        same_unit="same words", different_units="different words", labels="the words", labels_axis="words",
        whether="the words", where="the words", opposed="people contradict each other", category="the kind of text",
    )  # fmt: skip

    def closeness(self, left: CleanedAnswer, right: CleanedAnswer) -> float:
        """Return the F1 of two people's words; 1 if both marked none."""
        a, b = _words(left), _words(right)
        return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0

    def label(self, cleaned: CleanedAnswer) -> str:
        return "marked" if _words(cleaned) else "nothing"

    def labels_of(self, cleaned: CleanedAnswer) -> Mapping[str, Label]:
        return {"marked words": _words(cleaned)}


class StarsCleaning(ToneCleaning):
    """Takes the stars as they are; no stars are a skipped answer."""

    def clean(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> CleanedAnswer:
        return CleanedAnswer(answer) if answer else skipped()

    settle = clean

    def remembering(self) -> StarsCleaning:
        return self


class RatedTexts(Stars, Tone):
    """Stars for plain texts; everything that is not about answers is as in the type that asks for a tone."""

    name, title = "rated", "Rated texts"
    settings_model = None
    variants = ("",)
    cleaning: Cleaning = StarsCleaning()
    cleanings: Mapping[str, Cleaning] = {"plain": cleaning}

    def checks(self, question: Mapping[str, Any], form: Mapping[str, str]) -> list[FieldRemark]:
        if form.get("stars", "") in ("", *STARS):
            return []
        return [FieldRemark("stars", Remark("stars", Level.BLOCK, "Choose 1 to 5 stars."))]

    def parse(self, question: Mapping[str, Any], form: Mapping[str, str]) -> JsonObject:
        if remarks := self.checks(question, form):
            raise InvalidAnswer(remarks)
        return {"stars": form["stars"]} if form.get("stars") else {}

    def summary(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
        return f"{answer['stars']} stars" if answer else "no stars"

    def judge(self, answer: Mapping[str, Any], gold: Gold, question: Mapping[str, Any]) -> Judgement:
        score = max(self.closeness(CleanedAnswer(answer), CleanedAnswer(known)) for known in gold.accepted)
        return Judgement(score >= self.thresholds.same, score)


RATED = RatedTexts()
STARS_TYPE, MARKED_TYPE = Stars(), Marked()


def stars(number: int, **others: str) -> CleanedAnswer:
    return CleanedAnswer({"stars": str(number), **others})


def skipped() -> CleanedAnswer:
    return CleanedAnswer({}, AnswerOutcome.SKIPPED)


def marking(*words: str) -> CleanedAnswer:
    return CleanedAnswer({"words": [*words]})


def _words(cleaned: CleanedAnswer) -> frozenset[str]:
    words = cleaned.answer.get("words", [])
    assert isinstance(words, list)
    return frozenset(map(str, words))
