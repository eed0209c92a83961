"""What most task types have in common: a type inherits it and writes only what is its own.

A small type writes its names, its instructions and consent, the fields of an answer, `checks`, `parse`, `form`,
`summary` and how an invented person answers; closeness and labels where answers can be partly the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Self

from annotation.quality.habits import AnswerPattern
from annotation.quality.marks import PlacedMark
from annotation.quality.series import Labels, SeriesOf
from annotation.quality.thresholds import Thresholds, is_same
from annotation.quality.worker_filters import (
    DISAGREES_WITH_EVERYONE,
    FAILED_GOLD,
    FEW_ASSIGNMENTS,
    TOO_FAST,
    WorkerFilter,
)
from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.base import (
    Crowd,
    FieldRemark,
    Gold,
    JsonObject,
    Judgement,
    Level,
    NothingFits,
    PracticeQuestion,
    QuizQuestion,
    RawColumns,
    ResultColumns,
    as_objections,
)
from annotation.task_types.cleaned import CleanedAnswer, Cleaning
from annotation.task_types.comparing import NO_QUESTION, AnswerWords, Similarity
from annotation.task_types.consensus_rules import NO_ESTIMATES, Estimates, Offers, Rules
from annotation.task_types.plain_cleaning import PlainCleaning
from annotation.task_types.plain_crowd import PlainCrowd
from annotation.task_types.plain_release import PlainRelease, most_frequent
from annotation.task_types.releases import ReleaseFacet
from annotation.task_types.suggestions import Changes
from corpus.items import ITEM_KINDS
from corpus.items.rows import FrozenRow
from kernel.fields import NUMBER, Field, Fields
from kernel.values import Json, canonical_json

if TYPE_CHECKING:
    from pydantic import BaseModel

    from annotation.task_types.follow_ups import Columns, FollowUpKind, Naming

WORDS = AnswerWords(
    units="values",
    same_group="same answer",
    nothing_fits="skipped",
    a_unit="an answer",
    no_unit="no answer",
    same_unit="same answer",
    different_units="different answers",
    labels="the answer",
    labels_axis="answer",
    whether="the answer",
    where="the answer",
    opposed="people contradict each other",
    category="the kind of item",
)
MOST_TEXT = 80  # characters of a value in a list


class Defaults:
    """Members of a task type that need no word of its own."""

    name: ClassVar[str]
    item_kind: str = "text"
    answer_fields: ClassVar[Fields] = ()  # of an answer's JSON object, for releases and tables
    settings_model: ClassVar[type[BaseModel] | None] = None
    variants: ClassVar[Sequence[str]] = ("",)
    settles: ClassVar[bool] = False
    trains: Sequence[str] = ()
    scripts: Sequence[str] = ()
    styles: Sequence[str] = ()
    practice: Sequence[PracticeQuestion] = ()
    quiz: Sequence[QuizQuestion] = ()
    lookups: Mapping[str, str] = {}
    item_texts: Sequence[str] = ()
    texts_read: Sequence[str] = ()
    result_columns: ResultColumns | None = None
    nothing_fits: NothingFits | None = None
    answer_words: AnswerWords = WORDS
    worker_filters: Sequence[WorkerFilter] = (FEW_ASSIGNMENTS, TOO_FAST, FAILED_GOLD, DISAGREES_WITH_EVERYONE)
    thresholds: Thresholds = Thresholds()
    scales: Sequence[SeriesOf] = ()
    reviews_together: bool = False

    @property
    def key(self) -> str:
        return self.name

    def with_settings(self, settings: Any) -> Self:
        return self

    # ---- The item --------------------------------------------------------------------------------

    def read(self, value: Mapping[str, Any]) -> Any:
        return ITEM_KINDS[self.item_kind].thaw(value)

    def missing_texts(self, item: Any) -> Sequence[str]:
        return ()

    def question(self, item: Any, variant: str = "") -> JsonObject:
        return {"title": ITEM_KINDS[self.item_kind].title(item)}

    def html(self, item: Any, variant: str = "") -> str:
        return ITEM_KINDS[self.item_kind].html(item)

    def shown(self, question: Mapping[str, Json], rng: Random) -> JsonObject:
        return {}

    def starting_form(self, question: Mapping[str, Json]) -> dict[str, str]:
        return {}

    def bad_suggestion(self, item: Any) -> str:
        return ""

    def suggestion_changes(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> Changes:
        return {}

    def headline(self, question: Mapping[str, Json]) -> str:
        return str(question["title"])

    def about(self, question: Mapping[str, Json]) -> str:
        return self.headline(question)

    def item_facts(self, question: Mapping[str, Json]) -> dict[str, Json]:
        return {}

    # ---- An answer -------------------------------------------------------------------------------

    def checks(self, question: Mapping[str, Json], form: Mapping[str, str]) -> list[FieldRemark]:
        return []

    def parse(self, question: Mapping[str, Json], form: Mapping[str, str]) -> JsonObject:
        raise NotImplementedError

    def form(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> dict[str, str]:
        raise NotImplementedError

    def summary(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> str:
        return ", ".join(_in_words(value) for value in answer.values() if value not in (None, ""))

    def is_skip(self, answer: Mapping[str, Json]) -> bool:
        return False

    def answer_cells(self, question: Mapping[str, Json], answer: Mapping[str, Json]) -> dict[str, Json]:
        return {name: canonical_json(own) if isinstance(own, list | dict) else own for name, own in answer.items()}

    @property
    def raw_columns(self) -> RawColumns:
        return RawColumns(item=(), answer=tuple(field.name for field in self.answer_fields), texts={})

    # ---- Cleaning and correcting -----------------------------------------------------------------

    @cached_property
    def cleaning(self) -> Cleaning:
        return PlainCleaning(self.is_skip)

    @property
    def cleanings(self) -> Mapping[str, Cleaning]:
        return {self.cleaning.name: self.cleaning}

    def cleaned_form(self, question: Mapping[str, Json], cleaned: CleanedAnswer) -> dict[str, str]:
        return self.form(question, cleaned.answer) if cleaned.is_answered else {}

    def correction(self, question: Mapping[str, Json], form: Mapping[str, str]) -> tuple[JsonObject, list[FieldRemark]]:
        asked = [remark for remark in self.checks(question, form) if remark.remark.level == Level.ASK]
        return self.parse(question, {**form, "confirmed": " ".join(as_objections(asked))}), asked

    def composed(self, question: Mapping[str, Json], answers: Sequence[JsonObject]) -> JsonObject | None:
        return answers[0] if answers else None

    def sources(self, answer: Mapping[str, Json], others: Mapping[int, JsonObject]) -> list[int]:
        return [*others]

    def hints(self, item: Any, answers: Sequence[CleanedAnswer]) -> list[tuple[str, ...]]:
        return [() for _ in answers]

    # ---- Known answers ---------------------------------------------------------------------------

    def gold(self, question: Mapping[str, Json], form: Mapping[str, str]) -> Gold:
        answer, _ = self.correction(question, form)
        return Gold((answer,), " ".join(form.get("gold_reason", "").split()))

    def gold_form(self, question: Mapping[str, Json], gold: Gold) -> dict[str, str]:
        return {**self.form(question, gold.accepted[0]), "gold_reason": gold.reason}

    def judge(self, answer: Mapping[str, Json], gold: Gold, question: Mapping[str, Json]) -> Judgement:
        cleaned = self.cleaning.clean(question, answer)
        score = max(self.closeness(cleaned, self.cleaning.clean(question, known)) for known in gold.accepted)
        return Judgement(is_same(score, self.thresholds.same), score)

    # ---- Comparing -------------------------------------------------------------------------------

    def closeness(self, left: CleanedAnswer, right: CleanedAnswer) -> float:
        return float(self.label(left) == self.label(right))

    def label(self, cleaned: CleanedAnswer) -> str:
        return canonical_json(dict(cleaned.answer)) if cleaned.is_answered else cleaned.outcome.value

    def labels_of(self, cleaned: CleanedAnswer) -> Mapping[str, Labels]:
        return {}

    def marks_of(self, cleaned: CleanedAnswer) -> Mapping[str, Sequence[PlacedMark]]:
        return {}

    def patterns(
        self, cleaned: CleanedAnswer, shown: Mapping[str, Json], question: Mapping[str, Json] = NO_QUESTION
    ) -> Mapping[str, AnswerPattern]:
        return {}

    def groups(self, units: Iterable[str]) -> Mapping[str, str]:
        return {unit: unit for unit in units}

    def similarities(self, units: Sequence[str], vectors: Any) -> Mapping[str, Similarity]:
        return {}

    # ---- Releases and rehearsals -----------------------------------------------------------------

    @cached_property
    def release(self) -> ReleaseFacet:
        says = self.consensus_fields
        return PlainRelease(self.answer_fields, says, self.agreed, self.settles, item_kind=self.item_kind)

    @property
    def consensus_fields(self) -> Fields:
        return consensus_of(self.answer_fields)

    def agreed(self, answers: Sequence[Mapping[str, Json]], estimates: Estimates = NO_ESTIMATES) -> JsonObject:
        """Return what answers to one question say together, part by part."""
        return most_frequent(answers)

    @property
    def consensus_rules(self) -> Offers:
        return {}

    def release_by(self, rules: Rules) -> ReleaseFacet:
        return self.release

    # ---- Follow-ups ------------------------------------------------------------------------------

    @property
    def follow_ups(self) -> Mapping[str, FollowUpKind]:
        return {}

    def follow_up_columns(self, item: Any) -> Columns:
        kind = ITEM_KINDS[self.item_kind]
        return dict(item.columns) if isinstance(item, FrozenRow) else dict(kind.texts(item))

    def follow_up_task(self, kind: FollowUpKind, naming: Naming, most: int) -> JsonObject:
        return kind.description([(name, name.capitalize()) for name in sorted(naming.taken)], naming, most)

    @cached_property
    def crowd(self) -> Crowd:
        return PlainCrowd(ITEM_KINDS[self.item_kind], self.invent)

    def invent(self, passage: str, person: InventedPerson, rng: Random) -> dict[str, str]:
        """Return the form that an invented person sends about a text."""
        raise NotImplementedError


def consensus_of(answer: Fields) -> Fields:
    """Return the fields of what most answers say: for each part its value and its votes."""
    support = Field("support", "how many annotations gave it", NUMBER)
    return tuple(
        Field(part.name, part.about, fields=(Field("value", part.about, part.type, part.fields, part.many), support))
        for part in answer
    )


def _in_words(value: Json) -> str:
    if isinstance(value, list | dict):
        return canonical_json(value)[:MOST_TEXT]
    return str(value)
