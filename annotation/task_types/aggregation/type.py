"""TESA: one noun phrase that names two to six entities of a passage without listing them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, cast

from annotation.quality.worker_filters import WorkerFilter
from annotation.task_types.aggregation import comparing, lessons, result_columns, worker_filters
from annotation.task_types.aggregation.answers import known_phrases, no_phrase, phrases_answer
from annotation.task_types.aggregation.cleaning.paper import PAPER
from annotation.task_types.aggregation.cleaning.pipeline import about_of, phrases_of
from annotation.task_types.aggregation.cleaning.predicates import without_opening, words
from annotation.task_types.aggregation.cleaning.tesa import TESA
from annotation.task_types.aggregation.cleaning.variants import group_variants
from annotation.task_types.aggregation.crowd import PhraseCrowd
from annotation.task_types.aggregation.html import question_html
from annotation.task_types.aggregation.release.facet import RELEASE
from annotation.task_types.aggregation.writing_checks import check_answer, objections, spelling_hints
from annotation.task_types.base import (
    RANKING,
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
    ResultColumns,
)
from annotation.task_types.cleaned import CleanedAnswer, Cleaning
from annotation.task_types.comparing import AnswerWords
from annotation.task_types.defaults import Defaults
from annotation.task_types.follow_ups import Columns, FollowUpKind, Naming
from annotation.task_types.releases import ReleaseFacet
from corpus.frozen import FrozenInstance
from corpus.phrases import entities_phrase, generic_phrase
from kernel.errors import InvalidInput
from kernel.values import Json, storable

LONGEST_PHRASE = 300  # characters; ten words are asked for
LONGEST_REASON = 1000
MOST_CHARACTERS = {
    "phrase_1": LONGEST_PHRASE,
    "phrase_2": LONGEST_PHRASE,
    "reason": 2 * LONGEST_REASON,
}  # phrases beside a ticked box are kept with the reason
MOST_PHRASES = 100  # accepted ones, of a gold task

HIT = "Your phrase is one of those that we thought of."
OTHER = (
    "Your phrase is not among those that we thought of. It may still be good: is it true of every one of them, "
    "and as specific as ours?"
)


class Aggregation(Defaults):
    """The answer is one or two phrases, or that there is none, with a reason if the person likes.

    Words in the fields of the phrases beside a ticked box are kept with the reason: nothing typed is lost.
    """

    name: ClassVar[str] = "aggregation"
    title = "Aggregation"
    item_kind = "instance"
    variants: ClassVar[Sequence[str]] = ("",)
    scripts: Sequence[str] = ("annotation/aggregation/form.js",)
    instructions: InstructionParts = lessons.INSTRUCTIONS
    practice: Sequence[PracticeQuestion] = lessons.PRACTICE
    quiz: Sequence[QuizQuestion] = lessons.QUIZ
    cleanings: Mapping[str, Cleaning] = {PAPER.name: PAPER, TESA.name: TESA}
    cleaning: Cleaning = TESA
    answer_words: AnswerWords = comparing.WORDS
    worker_filters: Sequence[WorkerFilter] = worker_filters.FILTERS
    closeness = staticmethod(comparing.closeness)
    label = staticmethod(comparing.label)
    similarities = staticmethod(comparing.similarities)
    read = staticmethod(FrozenInstance.thaw)
    release: ReleaseFacet = RELEASE
    trains: Sequence[str] = (RANKING,)
    crowd: Crowd = PhraseCrowd()
    raw_columns: RawColumns = RawColumns(
        item=("entity_type", "entities"),
        answer=("phrase_1", "phrase_2", "impossible", "reason"),
        texts={"title": "title", "passage": "context"},
    )
    result_columns: ResultColumns | None = result_columns.COLUMNS
    consent: str = lessons.CONSENT
    nothing_fits: NothingFits | None = NothingFits(no_phrase(), "No phrase fits", "n")

    @cached_property
    def follow_ups(self) -> Mapping[str, FollowUpKind]:
        from annotation.task_types.aggregation.follow_ups import FOLLOW_UPS  # own tasks, which few requests need

        return {kind.name: kind for kind in FOLLOW_UPS}

    def follow_up_columns(self, instance: FrozenInstance) -> Columns:
        from annotation.task_types.aggregation.follow_ups import columns_of

        return columns_of(instance)

    def follow_up_task(self, kind: FollowUpKind, naming: Naming, most: int) -> JsonObject:
        from annotation.task_types.aggregation.follow_ups import READ

        return kind.description([own for own in READ if own[0] in naming.taken], naming, most)

    def groups(self, units: Iterable[str]) -> Mapping[str, str]:
        return group_variants(units)

    def hints(self, item: FrozenInstance, answers: Sequence[CleanedAnswer]) -> list[tuple[str, ...]]:
        return spelling_hints(item, answers)

    def question(self, instance: FrozenInstance, variant: str = "") -> JsonObject:
        return {
            "entities": list(instance.entities),
            "entity_type": instance.entity_type,
            "discussed": entities_phrase(instance.entities),
            "generic": generic_phrase(instance.entity_type, instance.size),
        }

    def html(self, instance: FrozenInstance, variant: str = "") -> str:
        return question_html(instance)

    def checks(self, question: Mapping[str, Json], form: Mapping[str, str]) -> list[FieldRemark]:
        first, second = _text(form, "phrase_1"), _text(form, "phrase_2")
        if too_long := _too_long(form):
            return too_long
        if form.get("impossible"):
            return []
        names, type_ = cast("list[str]", question["entities"]), str(question["entity_type"])
        remarks = [FieldRemark("phrase_1", remark) for remark in check_answer(first, entities=names, entity_type=type_)]
        if second:
            others = check_answer(second, entities=names, entity_type=type_, first_answer=first)
            remarks += [FieldRemark("phrase_2", remark) for remark in others]
        return remarks

    def parse(self, question: Mapping[str, Json], form: Mapping[str, str]) -> JsonObject:
        first, second = _text(form, "phrase_1"), _text(form, "phrase_2")
        if form.get("impossible"):
            if too_long := _too_long(form):
                raise InvalidAnswer(too_long)
            return no_phrase(" / ".join(filter(None, (_text(form, "reason"), first, second))))
        if not first:
            first, second = second, ""
        confirmed = set(form.get("confirmed", "").split())
        open_findings = [
            field_remark
            for field_remark in self.checks(question, {"phrase_1": first, "phrase_2": second})
            if field_remark.remark.level == Level.BLOCK
            or f"{field_remark.field}:{field_remark.remark.code}" not in confirmed
        ]
        if open_findings:
            raise InvalidAnswer(open_findings)
        return phrases_answer([first, second] if second else [first])

    def form(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> dict[str, str]:
        phrases = [*phrases_of(answer), "", ""]
        box = {"impossible": "on"} if answer.get("impossible") else {}
        return {"phrase_1": phrases[0], "phrase_2": phrases[1], "reason": str(answer.get("reason") or ""), **box}

    def headline(self, question: Mapping[str, Json]) -> str:
        return ", ".join(cast("list[str]", question["entities"]))

    def about(self, question: Mapping[str, Json]) -> str:
        return str(question.get("discussed") or self.headline(question))

    def item_facts(self, question: Mapping[str, Json]) -> dict[str, Json]:
        return {"entity_type": question.get("entity_type", ""), "entities": question.get("entities", [])}

    def answer_cells(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> dict[str, Json]:
        return {**self.form(question, answer), "impossible": bool(answer.get("impossible"))}

    def summary(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> str:
        if answer.get("impossible"):
            reason = str(answer.get("reason") or "")
            return f"No relevant phrase: {reason}" if reason else "No relevant phrase"
        return " / ".join(phrases_of(answer))

    def cleaned_form(self, question: Mapping[str, Json], cleaned: CleanedAnswer) -> dict[str, str]:
        kept = [part.display for part in cleaned.parts if part.unit]
        return self.form(question, phrases_answer(kept or [part.display for part in cleaned.parts if part.offences]))

    def correction(self, question: Mapping[str, Json], form: Mapping[str, str]) -> tuple[JsonObject, list[FieldRemark]]:
        if too_long := _too_long(form):
            raise InvalidAnswer(too_long)
        phrases = list(dict.fromkeys(filter(None, (_text(form, "phrase_1"), _text(form, "phrase_2")))))
        if not phrases:
            raise InvalidInput("write at least one phrase, or choose “No phrase fits”", field="phrase_1")
        return phrases_answer(phrases), objections(phrases, about_of(question))

    def gold(self, question: Mapping[str, Json], form: Mapping[str, str]) -> Gold:
        lines = storable(form.get("phrases", "")).splitlines()
        phrases = list(dict.fromkeys(filter(None, (" ".join(line.split()) for line in lines))))
        reason, is_impossible = _text(form, "gold_reason"), bool(form.get("impossible"))
        problem = ""
        if is_impossible and phrases:
            problem = "where no phrase fits none is accepted: empty the box, or untick it"
        elif not is_impossible and not phrases:
            problem = "give the accepted phrases, one on each line, or say that no phrase fits"
        elif len(phrases) > MOST_PHRASES or any(len(phrase) > LONGEST_PHRASE for phrase in phrases):
            problem = f"give at most {MOST_PHRASES} phrases of at most {LONGEST_PHRASE} characters"
        elif len(reason) > LONGEST_REASON:
            problem = f"give a reason of at most {LONGEST_REASON:,} characters"
        if problem:
            raise InvalidInput(problem, field="phrases")
        return known_phrases(phrases, reason)

    def is_skip(self, answer: Mapping[str, Json]) -> bool:
        return bool(answer.get("impossible"))

    def gold_form(self, question: Mapping[str, Json], gold: Gold) -> dict[str, str]:
        box = {"impossible": "on"} if any(answer.get("impossible") for answer in gold.accepted) else {}
        return {"phrases": "\n".join(_accepted(gold)), "gold_reason": gold.reason, **box}

    def judge(self, answer: Mapping[str, Json], gold: Gold, question: Mapping[str, Json]) -> Judgement:
        if answer.get("impossible"):
            is_hit = any(known.get("impossible") for known in gold.accepted)
            return Judgement(is_hit, float(is_hit), (HIT,) if is_hit else ())
        accepted = {_comparable(phrase) for phrase in _accepted(gold)}
        is_hit = any(_comparable(phrase) in accepted for phrase in phrases_of(answer))
        return Judgement(is_hit, float(is_hit), (HIT if is_hit else OTHER,))


def _text(form: Mapping[str, str], name: str) -> str:
    return " ".join(storable(form.get(name, "")).split())


def _too_long(form: Mapping[str, str]) -> list[FieldRemark]:
    sizes = {name: len(_text(form, name)) for name in MOST_CHARACTERS}
    return [
        FieldRemark(
            name,
            Remark("length", Level.BLOCK, f"{size:,} characters are too many: at most {MOST_CHARACTERS[name]:,}."),
        )
        for name, size in sizes.items()
        if size > MOST_CHARACTERS[name]
    ]


def _accepted(gold: Gold) -> list[str]:
    return [phrase for answer in gold.accepted for phrase in phrases_of(answer)]


def _comparable(phrase: str) -> str:
    return " ".join(without_opening(words(phrase)))


AGGREGATION = Aggregation()
