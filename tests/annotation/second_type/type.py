"""A task type that only the tests have: is a plain text good news, bad news or neither, with a comment if one likes.

It asks in two ways: whether the news is good at all, and whether it is good for farmers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from random import Random
from typing import Any

from pydantic import BaseModel, Field

from annotation.quality.worker_filters import DISAGREES_WITH_EVERYONE, FAILED_GOLD, FEW_ASSIGNMENTS, TOO_FAST
from annotation.releasing import describing
from annotation.releasing.describing import NUMBER, TRUTH, Fields, ReleaseWords, StoredStatistics
from annotation.releasing.exports.base import Format
from annotation.releasing.exports.huggingface import HUGGING_FACE
from annotation.releasing.exports.jsonl import JsonLines
from annotation.releasing.showing import basic_lines
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
from annotation.task_types.releases import FigureLine, HistogramRow
from corpus.frozen import FrozenText, ItemKind
from corpus.text_rows import text_of
from kernel.errors import InvalidInput
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
        return CleanedAnswer.of_parts("tone", (CleanedPart(tone, tone.capitalize(), tone),))

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
        self.tones[row["tone"]] += 1

    def to_json(self) -> JsonObject:
        return {"tones": {tone: self.tones[tone] for tone in TONES}}


ANNOTATION: Fields = (
    describing.Field("annotator", "pseudonym"),
    describing.Field("tone", "what the annotator chose"),
    describing.Field("comment", "why"),
    describing.Field("cleaned", "the same", many=True),
    describing.Field("rejected", "by rules", TRUTH),
    describing.Field("verdict", "of reviewers"),
    describing.Field("simulated", "software wrote it", TRUTH),
)


class ToneRelease:
    words = ReleaseWords(
        item="Title", cleanings="There is one.", nothing_fits="", top="Most frequent tones", histograms="",
        published_note="", description="Passages and their tone.", tables="Two tables.", composition="A passage.",
        agreement="Is it good news?", measured="tone", reviewed="Reviewers changed {correct:,}.",
        hub_tasks=("text-classification",),
    )  # fmt: skip
    formats: Mapping[str, Format] = {"jsonl": JsonLines("tone"), "huggingface": HUGGING_FACE}
    nothing_fits = ""
    categories: Sequence[str] = TONES
    sizes: Sequence[int] = ()

    def category_and_size(self, row: Mapping[str, Any]) -> tuple[str, int]:
        return row["tone"], 1

    def title(self, row: Mapping[str, Any]) -> str:
        return str(row["title"])

    def answer_fields(self, answer: Mapping[str, Any]) -> JsonObject:
        return {"tone": answer["tone"], "comment": answer["comment"]}

    def consensus(self, annotations: Iterable[tuple[CleanedAnswer, bool]]) -> JsonObject:
        votes = Counter(unit for cleaned, _ in annotations for unit in cleaned.units)
        (tone, support), *_ = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
        return {"tone": tone, "support": support}

    def tables(self, schema: int) -> Mapping[str, Fields]:
        instance = (
            describing.Field("key", "identity"),
            describing.Field("tone", "consensus"),
            describing.Field("support", "votes", NUMBER),
        )
        return {
            "instances": (*instance, describing.Field("annotations", "who said what", fields=ANNOTATION, many=True)),
            "annotations": (describing.Field("key", "the instance"), *ANNOTATION),
        }

    def collect(self) -> ToneFigures:
        return ToneFigures()

    def lines(self, *statistics: StoredStatistics) -> Iterator[FigureLine]:
        yield from basic_lines(statistics, {"correct": "in a reviewer's words"}, {})
        for tone in TONES:
            yield FigureLine(f"Tone: {tone}", tuple(str(stored["tones"][tone]) for stored in statistics))

    def markdown(self, statistics: StoredStatistics) -> str:
        return "\n".join(f"- {line.label}: {line.figures[0]}" for line in self.lines(statistics))

    def histograms(self, statistics: StoredStatistics) -> list[HistogramRow]:
        return []


ITEM = text_of({"title": "Rain at last", "text": "After a dry spring it rained for three days."})


class ToneSettings(BaseModel):
    place: str = Field(default="the country", title="Where people live", min_length=2)


class Tone(Defaults):
    name, title = "tone", "Tone"
    settings_model = ToneSettings
    item_kind = ItemKind.TEXT
    variants = ("", "farmers")
    script = ""
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
    release = ToneRelease()
    worker_filters = (FEW_ASSIGNMENTS, TOO_FAST, FAILED_GOLD, DISAGREES_WITH_EVERYONE)
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
        return FrozenText.thaw(value)

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
