"""A small task type that only the tests have: parts named like fields of the review, and its form as only template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.base import (
    EMPTY,
    Crowd,
    FieldRemark,
    Gold,
    InvalidAnswer,
    JsonObject,
    Judgement,
    Level,
    PracticeQuestion,
    RawColumns,
    Remark,
    answer_field,
    chosen,
)
from annotation.task_types.cleaned import CleanedAnswer, Cleaning, Mark
from annotation.task_types.plain_release import PlainRelease
from annotation.task_types.releases import ReleaseFacet
from corpus.items.texts import FrozenText
from kernel import fields
from tests.annotation.second_type.type import ITEM, Tone, ToneCleaning, ToneCrowd

VERDICTS = {"yes": "Good news", "no": "Bad news"}
TOPICS = ("weather", "farming", "traffic")
PARTS = ("verdict", "topics", "why")


def news_answer(verdict: str, topics: Sequence[str] = (), why: str = "") -> JsonObject:
    return {"verdict": verdict, "topics": [*topics], "why": why}


class NewsCleaning(ToneCleaning):
    def clean(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> CleanedAnswer:
        marks = () if answer["topics"] else (Mark("no_topic", "It names no topic.", discards=False),)
        return CleanedAnswer(dict(answer), marks=marks)

    settle = clean


class NewsCrowd(ToneCrowd):
    def invent(self, reading: Any, person: InventedPerson, rng: Random) -> dict[str, str]:
        return NEWS.form({}, news_answer(rng.choice([*VERDICTS]), TOPICS[: rng.randrange(3)]))


class News(Tone):
    name, title = "news", "News"
    settings_model = None
    variants = ("",)
    key = "news"
    scripts: Sequence[str] = ()
    styles: Sequence[str] = ()
    practice = (PracticeQuestion(ITEM, Gold((news_answer("yes", TOPICS[:2]),), "Rain was needed.")),)
    cleaning: Cleaning = NewsCleaning()
    cleanings: Mapping[str, Cleaning] = {"plain": cleaning}
    crowd: Crowd = NewsCrowd()
    raw_columns = RawColumns(item=(), answer=PARTS, texts={"title": "title", "passage": "text"})
    release: ReleaseFacet = PlainRelease(
        tuple(fields.Field(part, part) for part in PARTS),
        tuple(fields.Field(part, "what most people say") for part in PARTS),
    )

    def question(self, item: FrozenText, variant: str = "") -> JsonObject:
        return {"title": item.title, "verdicts": [[*pair] for pair in VERDICTS.items()], "topics": [*TOPICS]}

    def headline(self, question: Mapping[str, Any]) -> str:
        return str(question["title"])

    def item_facts(self, question: Mapping[str, Any]) -> JsonObject:
        return {}

    def checks(self, question: Mapping[str, Any], form: Mapping[str, str]) -> list[FieldRemark]:
        if form.get(answer_field("verdict")) in VERDICTS:
            return []
        return [FieldRemark(answer_field("verdict"), Remark(EMPTY, Level.BLOCK, "Please choose one."))]

    def parse(self, question: Mapping[str, Any], form: Mapping[str, str]) -> JsonObject:
        if remarks := self.checks(question, form):
            raise InvalidAnswer(remarks)
        topics = [topic for topic in chosen(form, "topics") if topic in TOPICS]
        return news_answer(form[answer_field("verdict")], topics, form.get(answer_field("why"), ""))

    def form(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, str]:
        parts = {"verdict": answer["verdict"], "topics": "\n".join(answer["topics"]), "why": answer["why"]}
        return {answer_field(part): text for part, text in parts.items()}

    def answer_cells(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> JsonObject:
        return dict(answer)

    def summary(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
        return ", ".join([VERDICTS[answer["verdict"]], *answer["topics"]])

    def cleaned_form(self, question: Mapping[str, Any], cleaned: CleanedAnswer) -> dict[str, str]:
        return self.form(question, cleaned.answer)

    def correction(self, question: Mapping[str, Any], form: Mapping[str, str]) -> tuple[JsonObject, list[FieldRemark]]:
        return self.parse(question, form), []

    def gold(self, question: Mapping[str, Any], form: Mapping[str, str]) -> Gold:
        return Gold((self.parse(question, form),))

    def judge(self, answer: Mapping[str, Any], gold: Gold, question: Mapping[str, Any]) -> Judgement:
        is_hit = any(answer["verdict"] == known["verdict"] for known in gold.accepted)
        return Judgement(is_hit, float(is_hit))

    def closeness(self, left: CleanedAnswer, right: CleanedAnswer) -> float:
        return float(left.answer["verdict"] == right.answer["verdict"])

    def label(self, cleaned: CleanedAnswer) -> str:
        return str(cleaned.answer["verdict"])


NEWS = News()
