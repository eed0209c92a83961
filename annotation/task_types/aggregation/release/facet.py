"""The aggregation task's side of releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.releasing.describing import ReleaseWords
from annotation.releasing.exports.base import Format
from annotation.releasing.exports.huggingface import HUGGING_FACE
from annotation.releasing.exports.jsonl import JsonLines
from annotation.releasing.exports.standoff import STANDOFF
from annotation.task_types.aggregation.cleaning.pipeline import phrases_of
from annotation.task_types.aggregation.release import fields, figures
from annotation.task_types.aggregation.release.exports.mturk import MTURK
from annotation.task_types.aggregation.release.exports.published import PUBLISHED
from annotation.task_types.aggregation.release.exports.tables import AGGREGATED, ANNOTATIONS
from annotation.task_types.cleaned import AnswerOutcome, CleanedAnswer
from annotation.task_types.consensus_rules import NO_ESTIMATES, Estimates
from annotation.task_types.releases import JsonObject
from corpus.frozen import SIZES
from kernel.values import Json

FORMATS: tuple[Format, ...] = (
    JsonLines("aggregations"), AGGREGATED, ANNOTATIONS, PUBLISHED, HUGGING_FACE, MTURK, STANDOFF,
)  # fmt: skip
WORDS = ReleaseWords(
    item="Entities",
    cleanings="“tesa” tidies phrases by our rules; “paper” follows the published dataset's, faults included.",
    nothing_fits="not aggregatable",
    top="Most frequent aggregations",
    histograms="Shares of instances by number of entities, of different aggregations and of answers, "
    "beside the published dataset",
    published_note="the figures of the published dataset were counted with an earlier set of rules",
    description="Phrases that name several entities at once.",
    tables="Two tables: `instances` (one line for each instance, with its aggregations and annotations) and "
    "`annotations` (one line\nfor each person's annotation).",
    composition="Each instance is a set of two to six entities of one type with a passage of a news article that "
    "mentions them all, a\nbackground text for each entity, and phrases that name them together.",
    agreement="On one question: did the annotator find a phrase, or none? Instances that were left out in the end "
    "because too few\npeople found a phrase are included.",
    measured="answered or not aggregatable, before instances are left out",
    reviewed="Of the annotations of the release, reviewers accepted {accept:,}, put their own words in the place of "
    "{correct:,} and found {not_aggregatable:,} not aggregatable; `verdict` says which. What somebody looked at and "
    "accepted stays even where a cleaning rule would discard it.",
    hub_tasks=("text-generation", "text-ranking"),
)


class AggregationRelease:
    """A row is an instance with its aggregations (phrases and their support) and annotations."""

    words: ReleaseWords = WORDS
    schema: int = 2
    language: str = "en"
    quotes_articles: bool = True
    formats: Mapping[str, Format] = {format_.name: format_ for format_ in FORMATS}
    nothing_fits: str = "not_aggregatable"
    categories: Sequence[str] = figures.TYPES
    sizes: Sequence[int] = SIZES
    tables = staticmethod(fields.tables)
    collect = staticmethod(figures.AggregationFigures)
    lines = staticmethod(figures.lines)
    markdown = staticmethod(figures.markdown)
    histograms = staticmethod(figures.histograms)

    def category_and_size(self, row: Mapping[str, Any]) -> tuple[str, int]:
        return row["entity_type"], len(row["entities"])

    def title(self, row: Mapping[str, Any]) -> str:
        return ", ".join(row["entities"])

    def annotation(self, answer: Mapping[str, Any], cleaned: CleanedAnswer, verdict: str) -> JsonObject:
        is_none = verdict == "correct" and cleaned.says_nothing_fits  # a correction to it has a name of its own
        return {
            "answers": list(phrases_of(answer)),
            "cleaned": list(cleaned.units),
            self.nothing_fits: cleaned.says_nothing_fits,
            "rejected": cleaned.is_rejected,
            "verdict": self.nothing_fits if is_none else verdict,
        }

    def outcome(self, annotation: Mapping[str, Any]) -> AnswerOutcome:
        if annotation["cleaned"]:
            return AnswerOutcome.ANSWERED
        return AnswerOutcome.REJECTED if annotation.get("rejected") else AnswerOutcome.SKIPPED

    def settlement(self, cleaned: CleanedAnswer | None) -> JsonObject:
        return {}

    def consensus(
        self, annotations: Iterable[tuple[CleanedAnswer, bool]], estimates: Estimates = NO_ESTIMATES
    ) -> JsonObject:
        return {"aggregations": aggregations(annotations)}


def aggregations(annotations: Iterable[tuple[CleanedAnswer, bool]]) -> list[Json]:
    """Return each phrase with its most usual display and how many annotations gave it, the best supported first.

    Each annotation comes with whether it is simulated; `simulated` says how many of the support are.
    """
    support: Counter[str] = Counter()
    simulated: Counter[str] = Counter()
    displays: dict[str, Counter[str]] = {}
    for annotation, is_simulated in annotations:
        for part in annotation.parts:
            if part.unit is not None:
                support[part.unit] += 1
                simulated[part.unit] += is_simulated
                displays.setdefault(part.unit, Counter())[part.display] += 1
    return [
        {
            "phrase": phrase,
            "display": min(displays[phrase].items(), key=lambda counted: (-counted[1], counted[0]))[0],
            "support": number,
            "simulated": simulated[phrase],
        }
        for phrase, number in sorted(support.items(), key=lambda counted: (-counted[1], counted[0]))
    ]


RELEASE = AggregationRelease()
