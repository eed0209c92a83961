"""How well is a text written? One to five stars, or a reason why it cannot be said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from annotation.quality.series import Label, Scale, SeriesOf
from annotation.quality.thresholds import Thresholds
from annotation.simulation.invented_people import Habit, InventedPerson
from annotation.task_types.base import (
    EMPTY,
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
from corpus.items.texts import TEXT
from kernel import fields

PRACTICE = TEXT.from_row({"title": "Rain", "text": "Rain  rain rain, and then it rains."})
LESSON = PracticeQuestion(PRACTICE, Gold(({"stars": 1, "reason": ""},), "It repeats itself."))


class StarSettings(BaseModel):
    most: int = Field(default=5, ge=2, le=9, title="Most stars")


class Stars(Defaults):
    name: ClassVar[str] = "stars"
    title = "Stars"
    instructions = InstructionParts("Star instructions", "Read the text.", "Give it stars.", "Five is best.")
    consent = "You are asked how well texts are written."
    settings_model: ClassVar[type[BaseModel] | None] = StarSettings
    thresholds = Thresholds(same=0.75)  # a neighbour on five stars
    practice: Sequence[PracticeQuestion] = (LESSON,)
    nothing_fits: NothingFits | None = NothingFits({"stars": None, "reason": ""}, "Cannot be rated", "z")
    answer_fields = (
        fields.Field("stars", "one is worst", fields.NUMBER),
        fields.Field("reason", "why it was skipped"),
    )

    def __init__(self, settings: StarSettings | None = None) -> None:
        self.settings = settings or StarSettings()

        order = tuple(str(stars) for stars in range(1, self.settings.most + 1))
        self.scales = (SeriesOf("stars", "text", Scale.ORDINAL, order=order),)

    def with_settings(self, settings: StarSettings) -> Stars:
        return Stars(settings)

    def question(self, item: Any, variant: str = "") -> JsonObject:
        return super().question(item, variant) | {"most": self.settings.most}

    def shown(self, question: Mapping[str, Any], rng: Random) -> JsonObject:
        return {"order": rng.sample(range(1, question["most"] + 1), question["most"])}

    def checks(self, question: Mapping[str, Any], form: Mapping[str, str]) -> list[FieldRemark]:
        stars = form.get("stars", "")
        if form.get("cannot") or (stars.isdecimal() and 1 <= int(stars) <= question["most"]):
            return []
        return [FieldRemark("stars", Remark(EMPTY, Level.BLOCK, f"Please give 1 to {question['most']} stars."))]

    def parse(self, question: Mapping[str, Any], form: Mapping[str, str]) -> JsonObject:
        if remarks := self.checks(question, form):
            raise InvalidAnswer(remarks)
        is_skip = bool(form.get("cannot"))
        return {"stars": None if is_skip else int(form["stars"]), "reason": form.get("reason", "") if is_skip else ""}

    def form(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, str]:
        if self.is_skip(answer):
            return {"cannot": "on", "reason": str(answer["reason"])}
        return {"stars": str(answer["stars"])}

    def summary(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
        reason = f": {answer['reason']}" if answer["reason"] else ""
        return f"Cannot be rated{reason}" if self.is_skip(answer) else f"{answer['stars']} of {question['most']} stars"

    def is_skip(self, answer: Mapping[str, Any]) -> bool:
        return answer.get("stars") is None

    def closeness(self, left: CleanedAnswer, right: CleanedAnswer) -> float:
        if not (left.is_answered and right.is_answered):
            return float(left.outcome == right.outcome)
        apart = abs(float(str(left.answer["stars"])) - float(str(right.answer["stars"])))
        return 1 - apart / (self.settings.most - 1)

    def labels_of(self, cleaned: CleanedAnswer) -> Mapping[str, Label]:
        return {"stars": str(cleaned.answer["stars"])} if cleaned.is_answered else {}

    def invent(self, passage: str, person: InventedPerson, rng: Random) -> dict[str, str]:
        if rng.random() < person.misses:
            return {"cannot": "on", "reason": "the text is cut off"}
        usual = 1 + len(passage) % self.settings.most
        is_usual = person.habit == Habit.SAME or rng.random() < person.skill
        return {"stars": str(usual if is_usual else rng.randint(1, self.settings.most))}


STARS: TaskType = Stars()
