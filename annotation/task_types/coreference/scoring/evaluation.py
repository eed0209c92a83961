"""Scores all documents of a response against those of a key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from annotation.task_types.coreference.document import CorefDocument
from annotation.task_types.coreference.scoring import IN_AVERAGE, METRICS
from annotation.task_types.coreference.scoring.counts import CorefCounts, CorefScore, added
from annotation.task_types.coreference.scoring.differences import ChainDifferences, differences_of
from annotation.task_types.coreference.scoring.matching import Matching, match_mentions
from annotation.task_types.coreference.scoring.pairing import paired
from annotation.task_types.coreference.scoring.shared import shared_mentions
from annotation.task_types.coreference.scoring.texts import on_one_text
from kernel.errors import InvalidInput

Scores = Mapping[str, CorefScore]  # name of a metric → its score


@dataclass(frozen=True)
class DocumentEvaluation:
    name: str
    scores: Scores
    differences: ChainDifferences
    key: CorefDocument = field(repr=False, compare=False)  # both on the key's text
    response: CorefDocument = field(repr=False, compare=False)


@dataclass(frozen=True)
class CorefEvaluation:
    """The scores of all documents together, and of each in the order of the key."""

    scores: Scores
    documents: tuple[DocumentEvaluation, ...]
    without_response: tuple[str, ...] = ()  # names of documents whose response counts as empty

    @property
    def most_errors_first(self) -> list[DocumentEvaluation]:
        return sorted(self.documents, key=lambda document: (-document.differences.errors, document.name))


def score_documents(
    key: Iterable[CorefDocument],
    response: Iterable[CorefDocument],
    *,
    matching: Matching = "exact",
    metrics: Iterable[str] = METRICS,
    missing_is_empty: bool = False,
    as_conll: bool = False,
    by_position: bool = False,
) -> CorefEvaluation:
    """Return the scores of the documents, which belong together by name.

    Totals add up numerators and denominators over documents. With `missing_is_empty`, a key document without a
    response has an empty one. With `as_conll`, undefined values are 0, as in the reference scorer. With
    `by_position`, mentions are compared by the numbers of their words, whatever the words are.
    """
    if matching not in get_args(Matching):
        known = ", ".join(get_args(Matching))
        raise InvalidInput(f"unknown matching {matching!r}. Choose one of: {known}", field="matching")
    pairs = paired(key, response, missing_is_empty=missing_is_empty)
    names = [*metrics]
    documents, counts_by_document = [], []
    for document, answer in pairs:
        on_key, on_response = on_one_text(
            document, answer or replace(document, chains=()), by_position=by_position and answer is not None
        )
        matched = match_mentions(on_key, on_response, matching)
        shared = shared_mentions(matched)
        counts = {metric: METRICS[metric].count(shared) for metric in names}
        counts_by_document.append(counts)
        scores = _scores(counts, as_conll)
        documents.append(DocumentEvaluation(document.name, scores, differences_of(matched), on_key, on_response))
    totals = {metric: added([counts[metric] for counts in counts_by_document]) for metric in names}
    missing = tuple(document.name for document, answer in pairs if answer is None)
    return CorefEvaluation(_scores(totals, as_conll), tuple(documents), missing)


def conll_average(scores: Scores) -> float | None:
    """Return the mean F1 of MUC, B³ and CEAF-e; None if one of them is undefined or was not asked for."""
    values = [scores[name].f1 for name in IN_AVERAGE if name in scores]
    defined = [value for value in values if value is not None]
    return sum(defined) / len(IN_AVERAGE) if len(defined) == len(IN_AVERAGE) else None


def _scores(counts: Mapping[str, tuple[CorefCounts, ...]], as_conll: bool) -> Scores:
    scores = {name: METRICS[name].score(numbers) for name, numbers in counts.items()}
    return {name: score.as_conll for name, score in scores.items()} if as_conll else scores
