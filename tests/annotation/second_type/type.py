"""A task type that only the tests have: is a plain text good news, bad news or neither, with a comment if one likes.

It asks in two ways: whether the news is good at all, and whether it is good for farmers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from random import Random
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from annotation.quality.worker_filters import (
    DISAGREES_WITH_EVERYONE,
    FAILED_GOLD,
    FEW_ASSIGNMENTS,
    TOO_FAST,
    WorkerFilter,
)
from annotation.releasing.describing import StoredStatistics
from annotation.simulation.invented_people import Habit, InventedPerson
from annotation.task_types.base import (
    EMPTY,
    Crowd,
    FieldRemark,
    Gold,
    InstructionParts,
    InvalidAnswer,
    JsonObject,
    Judgement,
    Level,
    NothingFits,
    PracticeQuestion,
    QuizQuestion,
    RawColumns,
    Remark,
)
from annotation.task_types.cleaned import CleanedAnswer, CleanedPart, Cleaning
from annotation.task_types.comparing import AnswerWords, Similarity
from annotation.task_types.defaults import Defaults
from annotation.task_types.plain_release import WORDS, PlainRelease
from annotation.task_types.releases import FigureLine, ReleaseFacet
from corpus.items.texts import TEXT, FrozenText
from kernel import fields
from kernel.errors import InvalidInput
from kernel.fields import NUMBER
from kernel.values import content_hash

TONES = ("good", "bad", "neither")


def tone_answer(tone: str, comment: str = "") -> JsonObject:
    return {"tone": tone, "comment": comment}


class ToneCleaning:
    """Takes a choice as it is."""

    name, version = "plain", 1
    fingerprint = content_hash("tone")
    identity = "plain 1"

    def explain(self, rule: str) -> str:
        return ""

    def clean(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> CleanedAnswer:
        tone = str(answer["tone"])
        return CleanedAnswer({"tone": tone}, parts=(CleanedPart(tone, tone.capitalize(), tone),))

    settle = clean

    def accept(self, cleaned: CleanedAnswer) -> CleanedAnswer:
        return cleaned

    def remembering(self) -> ToneCleaning:
        return self


@dataclass(frozen=True)
class ReadPassage:
    passage: str


class ToneCrowd:
    def read_item(self, item: FrozenText) -> ReadPassage:
        return ReadPassage(item.text)

    def read_page(self, html: str) -> ReadPassage:
        return ReadPassage(html)

    def invent(self, reading: Any, person: InventedPerson, rng: Random) -> dict[str, str]:
        tone = "good" if person.habit == Habit.SAME or rng.random() < person.skill else rng.choice(TONES)
        return {"tone": tone, "comment": rng.choice(("", "it reads like that"))}


class ToneFigures:
    def __init__(self) -> None:
        self.tones: Counter[str] = Counter()

    def add_row(self, row: Mapping[str, Any]) -> None:
        self.tones[row["consensus"]["tone"]["value"]] += 1

    def to_json(self) -> JsonObject:
        return {"tones": {tone: self.tones[tone] for tone in TONES}}


VOTE = (fields.Field("value", "consensus"), fields.Field("support", "votes", NUMBER))
SAID = (fields.Field("tone", "what was chosen"), fields.Field("comment", "why"))


@dataclass
class ToneRelease(PlainRelease):
    """Adds the tone of a row to what every release of answers says."""

    categories: Sequence[str] = TONES

    def category_and_size(self, row: Mapping[str, Any]) -> tuple[str, int]:
        return str(row["consensus"]["tone"]["value"] or ""), 1

    def collect(self) -> ToneFigures:
        return ToneFigures()

    def lines(self, *statistics: StoredStatistics) -> Iterator[FigureLine]:
        yield from super().lines(*statistics)
        for tone in TONES:
            yield FigureLine(f"Tone: {tone}", tuple(str(stored["tones"][tone]) for stored in statistics))


RELEASE = ToneRelease(
    SAID, (fields.Field("tone", "by most people", fields=VOTE),),
    words=replace(WORDS, item="Title", description="Passages and their tone.", hub_tasks=("text-classification",)),
)  # fmt: skip
ITEM = TEXT.from_row({"title": "Rain at last", "text": "After a dry spring it rained for three days."})


class ToneSettings(BaseModel):
    place: str = Field(default="the country", title="Where people live", min_length=2)


class Tone(Defaults):
    name, title = "tone", "Tone"
    settings_model: ClassVar[type[BaseModel] | None] = ToneSettings
    item_kind = "text"
    variants: ClassVar[Sequence[str]] = ("", "farmers")
    key = "tone"
    scripts: Sequence[str] = ("tone/form.js",)
    styles: Sequence[str] = ("tone/form.css",)
    instructions = InstructionParts("Tone instructions", "Read it.", "Choose one.", "+ good")
    practice = (PracticeQuestion(ITEM, Gold((tone_answer("good"),), "Rain was needed.")),)
    quiz = (QuizQuestion("Rain after a drought is …", ("good", "bad"), 0, "It was needed."),)
    cleaning: Cleaning = ToneCleaning()
    cleanings: Mapping[str, Cleaning] = {"plain": cleaning}
    nothing_fits: NothingFits | None = None
    crowd: Crowd = ToneCrowd()
    raw_columns = RawColumns(
        item=("good_for",), answer=("tone", "comment"), texts={"title": "title", "passage": "text"}
    )
    result_columns = None
    consent = "You are asked to judge the tone of short passages."
    release: ReleaseFacet = RELEASE
    worker_filters: Sequence[WorkerFilter] = (FEW_ASSIGNMENTS, TOO_FAST, FAILED_GOLD, DISAGREES_WITH_EVERYONE)
    answer_words = AnswerWords(
        units="tones", same_group="same tone", nothing_fits="", a_unit="a tone", no_unit="no tone",
        same_unit="same tone", different_units="different tones", labels="the tone", labels_axis="tone",
        whether="the tone", where="the tone", opposed="people contradict each other", category="the kind of passage",
    )  # fmt: skip

    def __init__(self, settings: ToneSettings | None = None) -> None:
        self.settings = settings or ToneSettings()

    def with_settings(self, settings: ToneSettings) -> Tone:
        return Tone(settings)

    def read(self, value: Mapping[str, Any]) -> FrozenText:
        return TEXT.thaw(value)

    def question(self, item: FrozenText, variant: str = "") -> JsonObject:
        return {"title": item.title, "good_for": variant or "everybody"}

    def html(self, item: FrozenText, variant: str = "") -> str:
        passage = f"<h1>{escape(item.title)}</h1><p>{escape(item.text)}</p>"
        people = f"{variant or 'everybody'} in {escape(self.settings.place)}"
        return f'<article class="passage">{passage}</article><p>Is it good news for {people}?</p>'

    def checks(self, question: Mapping[str, Any], form: Mapping[str, str]) -> list[FieldRemark]:
        if form.get("tone") in TONES:
            return []
        return [FieldRemark("tone", Remark(EMPTY, Level.BLOCK, "Please choose a tone."))]

    def parse(self, question: Mapping[str, Any], form: Mapping[str, str]) -> JsonObject:
        if remarks := self.checks(question, form):
            raise InvalidAnswer(remarks)
        return tone_answer(form["tone"], form.get("comment", "").strip())

    def form(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, str]:
        return {"tone": str(answer["tone"]), "comment": str(answer["comment"])}

    def headline(self, question: Mapping[str, Any]) -> str:
        return f"{question['title']}, for {question['good_for']}"

    def item_facts(self, question: Mapping[str, Any]) -> JsonObject:
        return {"good_for": question["good_for"]}

    def answer_cells(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> JsonObject:
        return dict(self.form(question, answer))

    def summary(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
        return f"{answer['tone']} ({answer['comment']})" if answer["comment"] else str(answer["tone"])

    def is_skip(self, answer: Mapping[str, Any]) -> bool:
        return False

    def cleaned_form(self, question: Mapping[str, Any], cleaned: CleanedAnswer) -> dict[str, str]:
        return {"tone": cleaned.units[0], "comment": ""}

    def correction(self, question: Mapping[str, Any], form: Mapping[str, str]) -> tuple[JsonObject, list[FieldRemark]]:
        if form.get("tone") not in TONES:
            raise InvalidInput("choose a tone", field="tone")
        return self.parse(question, form), []

    def hints(self, item: Any, answers: Sequence[CleanedAnswer]) -> list[tuple[str, ...]]:
        return [() for _ in answers]

    def gold(self, question: Mapping[str, Any], form: Mapping[str, str]) -> Gold:
        if form.get("tone") not in TONES:
            raise InvalidInput("choose the right tone", field="tone")
        return Gold((tone_answer(form["tone"]),))

    def gold_form(self, question: Mapping[str, Any], gold: Gold) -> dict[str, str]:
        return self.form(question, gold.accepted[0])

    def judge(self, answer: Mapping[str, Any], gold: Gold, question: Mapping[str, Any]) -> Judgement:
        is_hit = any(answer["tone"] == known["tone"] for known in gold.accepted)
        return Judgement(is_hit, float(is_hit), ("That is right." if is_hit else "Look again.",))

    def closeness(self, left: CleanedAnswer, right: CleanedAnswer) -> float:
        return float(left.units == right.units)

    def label(self, cleaned: CleanedAnswer) -> str:
        return cleaned.units[0]

    def groups(self, units: Iterable[str]) -> Mapping[str, str]:
        return {unit: unit for unit in units}

    def similarities(self, units: Sequence[str], vectors: Any) -> Mapping[str, Similarity]:
        return {}


TONE = Tone()
