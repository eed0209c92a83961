"""How good generated phrases are: matches with golds, recall, ROUGE-1, and the share that lists entities."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from annotation.task_types.aggregation.cleaning.predicates import is_same
from modeling.generations import Generation

RECALLED = 10  # phrases among which golds are looked for


@dataclass(frozen=True)
class GenerationFigures:
    """Means over instances, but for `listing`, the share of all phrases. An instance without phrases counts as 0."""

    instances: int
    exact: float  # the best phrase is a gold, whatever its case
    cleaned: float  # … or differs from one in determiner, numeral, accents or punctuation only
    recall: float  # share of the golds that are among the best 10 phrases
    rouge: float  # ROUGE-1 of the best phrase and the gold that is closest to it
    listing: float  # share of the phrases that list entities


def figures(generations: Sequence[Generation]) -> GenerationFigures | None:
    """Return the figures of some instances; None if there are none."""
    if not generations:
        return None
    phrases = [phrase for generation in generations for phrase in generation.phrases]
    return GenerationFigures(
        instances=len(generations),
        exact=fmean(_best(generation).casefold() in _folded(generation.golds) for generation in generations),
        cleaned=fmean(any(is_same(_best(generation), gold) for gold in generation.golds) for generation in generations),
        recall=fmean(map(recall, generations)),
        rouge=fmean(
            max((rouge_1(_best(generation), gold) for gold in generation.golds), default=0.0)
            for generation in generations
        ),
        listing=fmean(phrase.lists_entities for phrase in phrases) if phrases else 0.0,
    )


def recall(generation: Generation) -> float:
    """Return the share of an instance's golds that are among its best 10 phrases; 0 without golds."""
    golds = _folded(generation.golds)
    recalled = golds & _folded([phrase.text for phrase in generation.phrases[:RECALLED]])
    return len(recalled) / len(golds) if golds else 0.0


def rouge_1(phrase: str, gold: str) -> float:
    """Return the F-measure of the words that two phrases share, each as often as in both."""
    words, wanted = (Counter(re.findall(r"\w+", text.casefold())) for text in (phrase, gold))
    shared, total = (words & wanted).total(), words.total() + wanted.total()
    return 2 * shared / total if total else 0.0


def _best(generation: Generation) -> str:
    return generation.phrases[0].text if generation.phrases else ""


def _folded(phrases: Sequence[str]) -> set[str]:
    return {phrase.casefold() for phrase in phrases}
