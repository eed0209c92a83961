"""Which pieces of a text name people or places? Each line of the form is a span: its start, its end and its label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from random import Random
from typing import Any, ClassVar

from annotation.quality.series import Label, Scale, SeriesOf
from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.base import (
    FieldRemark,
    Gold,
    InstructionParts,
    InvalidAnswer,
    JsonObject,
    Level,
    NothingFits,
    PracticeQuestion,
    Remark,
    TaskType,
)
from annotation.task_types.cleaned import CleanedAnswer
from annotation.task_types.defaults import Defaults
from corpus.items.texts import TEXT, FrozenText
from kernel.errors import InvalidInput
from kernel.fields import NUMBER, Field
from kernel.values import Json

LABELS = ("person", "place")
PRACTICE = TEXT.from_row({"title": "Ida", "text": "Ida  Lind went to Arden."})
SPAN = (
    Field("start", "first character", NUMBER),
    Field("end", "behind the last", NUMBER),
    Field("label", "person or place"),
)
KNOWN: JsonObject = {"spans": [{"start": 0, "end": 9, "label": "person"}, {"start": 18, "end": 23, "label": "place"}]}
LESSON = PracticeQuestion(PRACTICE, Gold((KNOWN,), "Ida Lind is a person, Arden is a place."))


class Spans(Defaults):
    name: ClassVar[str] = "spans"
    settles: ClassVar[bool] = True
    scales: Sequence[SeriesOf] = (SeriesOf("spans", "text", Scale.SET),)
    title = "Spans"
    scripts: Sequence[str] = ("spans/form.js",)
    instructions = InstructionParts("Span instructions", "Read the text.", "Mark names.", "[Ida Lind] person")
    consent = "You are asked to mark names in texts."
    practice: Sequence[PracticeQuestion] = (LESSON,)
    nothing_fits: NothingFits | None = NothingFits({"spans": []}, "Nothing to mark", "z")
    answer_fields = (Field("spans", "what was marked", fields=SPAN, many=True),)

    def question(self, item: FrozenText, variant: str = "") -> JsonObject:
        return super().question(item, variant) | {"text": item.text}

    def html(self, item: FrozenText, variant: str = "") -> str:
        return f'<p class="passage wraps">{escape(item.text)}</p>'

    def checks(self, question: Mapping[str, Any], form: Mapping[str, str]) -> list[FieldRemark]:
        if "spans" not in form:
            return [FieldRemark("spans", Remark("empty", Level.BLOCK, "Mark something, or send an empty list."))]
        try:
            spans = _spans(form["spans"])
        except InvalidInput as error:
            return [FieldRemark("spans", Remark("line", Level.BLOCK, error.sentence))]
        for span in spans:
            if not span["start"] < span["end"] <= len(question["text"]) or span["label"] not in LABELS:
                why = f"{_line(span)}: mark a piece of the text and say whether it is a person or a place."
                return [FieldRemark("spans", Remark("span", Level.BLOCK, why))]
        return []

    def parse(self, question: Mapping[str, Any], form: Mapping[str, str]) -> JsonObject:
        if remarks := self.checks(question, form):
            raise InvalidAnswer(remarks)
        return {"spans": [dict(span) for span in sorted(_spans(form["spans"]), key=_place)]}

    def form(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, str]:
        return {"spans": "\n".join(map(_line, answer["spans"]))}

    def summary(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
        text = question.get("text", "")
        marked = [f"[{text[span['start'] : span['end']]}] {span['label']}" for span in answer["spans"]]
        return ", ".join(marked) or "Nothing marked"

    def is_skip(self, answer: Mapping[str, Any]) -> bool:
        return not answer["spans"]

    def closeness(self, left: CleanedAnswer, right: CleanedAnswer) -> float:
        first, second = _marked(left), _marked(right)
        return 2 * len(first & second) / (len(first) + len(second)) if first or second else 1.0

    def composed(self, question: Mapping[str, Any], answers: Sequence[JsonObject]) -> JsonObject | None:
        marked: dict[tuple[int, int, str], Json] = {}
        for answer in answers:
            spans: Any = answer["spans"]
            marked |= {_place(span): span for span in spans}
        return {"spans": [marked[place] for place in sorted(marked)]} if answers else None

    def labels_of(self, cleaned: CleanedAnswer) -> Mapping[str, Label]:
        return {"spans": frozenset(map(str, _marked(cleaned)))}  # marking nothing is an answer too

    def invent(self, passage: str, person: InventedPerson, rng: Random) -> dict[str, str]:
        if rng.random() < person.misses:
            return {"spans": ""}
        words = [word for word in passage.split() if word[:1].isupper()]
        spans = [(passage.index(word), word) for word in words if rng.random() < person.skill]
        return {"spans": "\n".join(f"{start} {start + len(word)} {rng.choice(LABELS)}" for start, word in spans)}


def _spans(lines: str) -> list[dict[str, Any]]:
    spans = []
    for number, line in enumerate(lines.splitlines(), 1):
        try:
            start, end, label = line.split()
            spans.append({"start": int(start), "end": int(end), "label": label})
        except ValueError as error:
            raise InvalidInput(f"line {number} is not a start, an end and a label", field="spans") from error
    return spans


def _line(span: Mapping[str, Any]) -> str:
    return f"{span['start']} {span['end']} {span['label']}"


def _place(span: Mapping[str, Any]) -> tuple[int, int, str]:
    return span["start"], span["end"], span["label"]


def _marked(cleaned: CleanedAnswer) -> frozenset[tuple[int, int, str]]:
    spans: Any = cleaned.answer.get("spans", [])
    return frozenset(map(_place, spans))


SPANS: TaskType = Spans()
