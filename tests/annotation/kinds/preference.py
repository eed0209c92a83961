"""Which of two answers to a question is better? The items are rows; people may say that neither is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from annotation.quality.series import Label, Scale, SeriesOf
from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.base import (
    EMPTY,
    FieldRemark,
    InstructionParts,
    InvalidAnswer,
    JsonObject,
    Level,
    NothingFits,
    Remark,
    TaskType,
)
from annotation.task_types.cleaned import CleanedAnswer
from annotation.task_types.defaults import Defaults
from corpus.items.rows import FrozenRow
from kernel.fields import Field

CHOICES = ("first", "second")
NEITHER = "neither"


class Preference(Defaults):
    name: ClassVar[str] = "preference"
    title = "Preference"
    item_kind = "rows"
    instructions = InstructionParts("Preferences", "Read both answers.", "Choose one.", "The second is polite.")
    consent = "You are asked which of two answers is better."
    scales: Sequence[SeriesOf] = (SeriesOf("better", "answer", Scale.NOMINAL),)
    nothing_fits: NothingFits | None = NothingFits({"better": NEITHER}, "Neither is better", "z")
    answer_fields = (Field("better", "first, second or neither"),)

    def question(self, item: FrozenRow, variant: str = "") -> JsonObject:
        return super().question(item, variant) | {choice: item.columns[choice] for choice in CHOICES}

    def checks(self, question: Mapping[str, Any], form: Mapping[str, str]) -> list[FieldRemark]:
        if form.get("better") in (*CHOICES, NEITHER):
            return []
        return [FieldRemark("better", Remark(EMPTY, Level.BLOCK, "Please choose the better answer, or neither."))]

    def parse(self, question: Mapping[str, Any], form: Mapping[str, str]) -> JsonObject:
        if remarks := self.checks(question, form):
            raise InvalidAnswer(remarks)
        return {"better": form["better"]}

    def form(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, str]:
        return {"better": str(answer["better"])}

    def is_skip(self, answer: Mapping[str, Any]) -> bool:
        return answer.get("better") == NEITHER

    def labels_of(self, cleaned: CleanedAnswer) -> Mapping[str, Label]:
        return {"better": str(cleaned.answer["better"])} if cleaned.is_answered else {}

    def invent(self, passage: str, person: InventedPerson, rng: Random) -> dict[str, str]:
        return {"better": NEITHER if rng.random() < person.misses else rng.choice(CHOICES)}


PREFERENCE: TaskType = Preference()
