"""Releases of answers of any shape (schema 3): what a task type gets without a facet of its own.

A row is the item, what the annotations say together (`consensus`, by part) and the annotations: the answer as it was
given, the final one after cleaning and review, its outcome, reason and verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotation.releasing.describing import ReleaseWords, StoredStatistics
from annotation.releasing.exports.base import Format
from annotation.releasing.exports.huggingface import HUGGING_FACE
from annotation.releasing.exports.item_standoff import ItemStandoff
from annotation.releasing.exports.jsonl import JsonLines
from annotation.releasing.showing import basic_lines
from annotation.releasing.votes import FIELD, VOTES
from annotation.task_types.cleaned import AnswerOutcome, CleanedAnswer
from annotation.task_types.consensus_rules import NO_ESTIMATES, Estimates
from annotation.task_types.releases import FigureLine, HistogramRow, JsonObject, ReleaseFigures
from annotation.task_types.suggestions import suggestion_lines
from corpus.items import ITEM_KINDS
from corpus.items.base import ItemKind
from corpus.items.column_types import ColumnTypes, fields_of
from kernel.fields import NUMBER, TRUTH, Field, Fields
from kernel.values import Json, canonical_json

Consensus = Callable[[Sequence[Mapping[str, Json]], Estimates], JsonObject]
SKIPPED = "skipped"
REVIEWED = {
    "accept": "accepted by reviewers",
    "correct": "corrected by reviewers",
    SKIPPED: "skipped by a reviewer's verdict",
}
ABOUT = {
    "answer": "what the annotator answered",
    "final": "the answer after cleaning and review; null: none is left",
    "outcome": "answered, skipped, or rejected by cleaning rules",
    "reason": "why it was skipped, if that was said",
    "verdict": "accept or correct (final is a reviewer's answer); empty: not reviewed",
    "settled": "the answer of the task itself, made by reviewers; null: none",
}
WORDS = ReleaseWords(
    item="Item",
    cleanings="",
    nothing_fits=SKIPPED,
    top="Most frequent answers",
    histograms="",
    published_note="",
    description="Items and what people answered about them.",
    tables="Two tables: `instances` (one line for each item, with what its annotations say together, and these) and\n"
    "`annotations` (one line for each person's annotation).",
    composition="Each instance is an item that people were asked about, with the answer of each of them.",
    agreement="On whether two answers are the same, part by part.",
    measured="the whole answer, before instances are left out",
    reviewed="Of the annotations of the release, reviewers accepted {accept:,}, put their own answer in the place of "
    "{correct:,} and found {skipped:,} without an answer; `verdict` says which.",
    hub_tasks=("other",),
)


def most_frequent(answers: Sequence[Mapping[str, Json]], _: Estimates = NO_ESTIMATES) -> JsonObject:
    """Return for each part the value that most answers gave and how many did; no value where several tie."""
    consensus: JsonObject = {}
    for part in dict.fromkeys(part for answer in answers for part in answer):
        values = [answer[part] for answer in answers if part in answer]
        (first, support), *others = Counter(map(canonical_json, values)).most_common(2)
        is_tie = any(votes == support for _, votes in others)
        winner = next(value for value in values if canonical_json(value) == first)
        consensus[part] = {"value": None if is_tie else winner, "support": support}
    return consensus


class ColumnsOfItems:
    """Collects the columns that only the files of the items name: a release's tables hold them too.

    `more` collects figures that only the task has.
    """

    def __init__(self, kind: ItemKind, more: ReleaseFigures | None = None) -> None:
        self.kind, self.types, self.more = kind, ColumnTypes(), more

    def add_row(self, row: Mapping[str, Any]) -> None:
        self.types.add(self.kind.columns(row))
        if self.more:
            self.more.add_row(row)

    def to_json(self) -> JsonObject:
        columns = self.types.to_json()
        return {**({"columns": columns} if columns else {}), **(self.more.to_json() if self.more else {})}


@dataclass
class PlainRelease:
    """`answer` has the fields of an answer, for tables and schemas of files. The kind of item knows its own."""

    answer: Fields
    consensus_fields: Fields  # of `consensus`: one for each part
    agreed: Consensus = most_frequent
    settles: bool = False  # a row has the final answer that reviewers gave the task
    words: ReleaseWords = WORDS
    item_kind: str = "text"
    own_formats: Sequence[Format] = ()  # files beside those that every type has
    own_figures: Callable[[], ReleaseFigures] | None = None  # figures beside those that every type has
    schema: int = 3
    language: str = ""
    quotes_articles: bool = False
    nothing_fits: str = SKIPPED
    categories: Sequence[str] = ()
    sizes: Sequence[int] = ()

    @cached_property
    def formats(self) -> Mapping[str, Format]:
        files: tuple[Format, ...] = (
            JsonLines("consensus"),
            HUGGING_FACE,
            ItemStandoff(self.item_kind),
            *self.own_formats,
        )
        return {file.name: file for file in files}

    @property
    def _kind(self) -> ItemKind:
        return ITEM_KINDS[self.item_kind]

    def category_and_size(self, row: Mapping[str, Any]) -> tuple[str, int]:
        return "", 0

    def title(self, row: Mapping[str, Any]) -> str:
        kind = self._kind
        return kind.title(kind.thaw(row))

    def annotation(self, answer: Mapping[str, Any], cleaned: CleanedAnswer, verdict: str) -> JsonObject:
        return {
            "answer": dict(answer),
            "final": dict(cleaned.answer) if cleaned.is_answered else None,
            "outcome": cleaned.outcome.value,
            "reason": cleaned.reason,
            "verdict": verdict,
        }

    def outcome(self, annotation: Mapping[str, Any]) -> AnswerOutcome:
        return AnswerOutcome(annotation["outcome"])

    def consensus(
        self, annotations: Iterable[tuple[CleanedAnswer, bool]], estimates: Estimates = NO_ESTIMATES
    ) -> JsonObject:
        answers = [cleaned.answer for cleaned, _ in annotations if cleaned.is_answered]
        return {"consensus": self.agreed(answers, estimates)}

    def settlement(self, cleaned: CleanedAnswer | None) -> JsonObject:
        if not self.settles:
            return {}
        return {"final": dict(cleaned.answer) if cleaned and cleaned.is_answered else None}

    def tables(self, schema: int, statistics: StoredStatistics) -> Mapping[str, Fields]:
        annotation: Fields = (
            Field("annotator", "pseudonym, of this release only; that of a simulated participant begins with sim-"),
            Field("answer", ABOUT["answer"], fields=self.answer),
            Field("final", ABOUT["final"], fields=self.answer),
            *(Field(name, ABOUT[name]) for name in ("outcome", "reason", "verdict")),
            Field("simulated", "written by a simulated participant (software), not by a person", TRUTH),
        )
        instance = (
            Field("schema", "version of these fields", NUMBER),
            *self._kind.fields(fields_of(statistics.get("columns", ()))),
            Field("consensus", "what the annotations say together, by part", fields=self.consensus_fields),
            *([Field("final", ABOUT["settled"], fields=self.answer)] if self.settles else []),
            *([VOTES] if FIELD in statistics else []),
            Field("annotations", "what each person said", fields=annotation, many=True),
        )
        return {"instances": instance, "annotations": (Field("key", "the instance"), *annotation)}

    def collect(self) -> ReleaseFigures:
        return ColumnsOfItems(self._kind, self.own_figures() if self.own_figures else None)

    def lines(self, *statistics: StoredStatistics) -> Iterator[FigureLine]:
        yield from basic_lines(statistics, REVIEWED, {SKIPPED: SKIPPED}, items=self._kind.plural)
        yield from (FigureLine(*line) for line in suggestion_lines(statistics))

    def markdown(self, statistics: StoredStatistics) -> str:
        rows = [f"| {line.label} | {line.figures[0]} |" for line in self.lines(statistics)]
        return "\n".join(["| | this release |", "|---|---:|", *rows])

    def histograms(self, statistics: StoredStatistics) -> list[HistogramRow]:
        return []
