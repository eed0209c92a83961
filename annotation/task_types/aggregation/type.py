"""TESA: one noun phrase that names two to six entities of a passage without listing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

from annotation.task_types.aggregation import lessons
from annotation.task_types.aggregation.cleaning.checks import check_answer
from annotation.task_types.aggregation.cleaning.paper import PAPER
from annotation.task_types.aggregation.cleaning.predicates import without_opening, words
from annotation.task_types.aggregation.cleaning.tesa import TESA
from annotation.task_types.aggregation.html import question_html
from annotation.task_types.base import (
    FieldFinding,
    Gold,
    InstructionParts,
    InvalidAnswer,
    JsonObject,
    Level,
    PracticeQuestion,
    QuizQuestion,
)
from annotation.task_types.cleaned import Cleaning
from corpus.frozen import FrozenInstance
from corpus.phrases import entities_phrase, generic_phrase
from tesa_site.kernel.values import Json, storable

LONGEST_PHRASE = 300  # characters; ten words are asked for
LONGEST_REASON = 1000


class Aggregation:
    """The answer is one or two phrases, or that there is none, with a reason if the person likes.

    Words that stand in the fields of the phrases beside a ticked box are kept with the reason: nothing typed is lost.
    """

    name: ClassVar[str] = "aggregation"
    template: ClassVar[str] = "annotation/task_types/aggregation/form.html"
    instructions: InstructionParts = lessons.INSTRUCTIONS
    practice: Sequence[PracticeQuestion] = lessons.PRACTICE
    quiz: Sequence[QuizQuestion] = lessons.QUIZ
    cleanings: Mapping[str, Cleaning] = {PAPER.name: PAPER, TESA.name: TESA}
    cleaning: Cleaning = TESA

    def question(self, instance: FrozenInstance) -> JsonObject:
        return {
            "entities": list(instance.entities),
            "entity_type": instance.entity_type,
            "discussed": entities_phrase(instance.entities),
            "generic": generic_phrase(instance.entity_type, instance.size),
        }

    def html(self, instance: FrozenInstance) -> str:
        return question_html(instance)

    def checks(self, question: Mapping[str, Json], form: Mapping[str, str]) -> list[FieldFinding]:
        first, second = _text(form, "phrase_1"), _text(form, "phrase_2")
        if form.get("impossible"):
            return []
        names, type_ = cast("list[str]", question["entities"]), str(question["entity_type"])
        found = [FieldFinding("phrase_1", f) for f in check_answer(first, entities=names, entity_type=type_)]
        if second:
            told = check_answer(second, entities=names, entity_type=type_, first_answer=first)
            found += [FieldFinding("phrase_2", f) for f in told]
        return found

    def parse(self, question: Mapping[str, Json], form: Mapping[str, str]) -> JsonObject:
        first, second = _text(form, "phrase_1"), _text(form, "phrase_2")
        if form.get("impossible"):
            said = filter(None, (_text(form, "reason", LONGEST_REASON), first, second))
            return {"phrases": [], "impossible": True, "reason": " / ".join(said)[:LONGEST_REASON]}
        if not first:
            first, second = second, ""
        found = self.checks(question, {"phrase_1": first, "phrase_2": second})
        confirmed = set(form.get("confirmed", "").split())
        unsettled = [
            one
            for one in found
            if one.finding.level == Level.BLOCK or f"{one.field}:{one.finding.code}" not in confirmed
        ]
        if unsettled:
            raise InvalidAnswer(unsettled)
        return {"phrases": [first, second] if second else [first], "impossible": False, "reason": ""}

    def form(self, answer: Mapping[str, Json]) -> dict[str, str]:
        phrases = [*_phrases(answer), "", ""]
        box = {"impossible": "on"} if answer.get("impossible") else {}
        return {"phrase_1": phrases[0], "phrase_2": phrases[1], "reason": str(answer.get("reason") or ""), **box}

    def summary(self, answer: Mapping[str, Json]) -> str:
        if answer.get("impossible"):
            reason = str(answer.get("reason") or "")
            return f"No relevant phrase: {reason}" if reason else "No relevant phrase"
        return " / ".join(_phrases(answer))

    def is_hit(self, answer: Mapping[str, Json], gold: Gold, question: Mapping[str, Json]) -> bool:
        if gold.impossible:
            return bool(answer.get("impossible"))
        accepted = {_comparable(phrase) for phrase in gold.phrases}
        return any(_comparable(phrase) in accepted for phrase in _phrases(answer))

    def is_doubtful(self, answers: Sequence[Mapping[str, Json]], question: Mapping[str, Json]) -> bool:
        """Some found a phrase and some did not, or no two people share one."""
        given = [{_comparable(phrase) for phrase in _phrases(answer)} for answer in answers]
        if any(answer.get("impossible") for answer in answers):
            return not all(answer.get("impossible") for answer in answers)
        return not any(a & b for number, a in enumerate(given) for b in given[number + 1 :])


def _text(form: Mapping[str, str], name: str, longest: int = LONGEST_PHRASE) -> str:
    return " ".join(storable(form.get(name, ""))[: 4 * longest].split())[:longest]


def _phrases(answer: Mapping[str, Json]) -> list[str]:
    phrases = answer.get("phrases")
    return [str(phrase) for phrase in phrases] if isinstance(phrases, list) else []


def _comparable(phrase: str) -> str:
    return " ".join(without_opening(words(phrase)))


AGGREGATION = Aggregation()
