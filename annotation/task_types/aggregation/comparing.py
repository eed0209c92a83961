"""How far answers of the TESA task agree: variants of a phrase are the same, then shared words and meaning count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from annotation.task_types.aggregation.cleaning.english import american, singular
from annotation.task_types.aggregation.cleaning.predicates import words
from annotation.task_types.aggregation.cleaning.variants import variant_key
from annotation.task_types.cleaned import CleanedAnswer
from annotation.task_types.comparing import AnswerWords, Similarity
from kernel.vectors.base import WordVectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ANSWERED, NOT_AGGREGATABLE = "answered", "not aggregatable"
WORDS = AnswerWords(
    units="phrases",
    same_group="same cluster",
    nothing_fits=NOT_AGGREGATABLE,
    a_unit="a phrase",
    no_unit="no phrase",
    same_unit="same phrase",
    different_units="different phrases",
    labels="phrase or no phrase",
    labels_axis="answered or not",
    whether="whether there is a phrase",
    where="where a phrase can be found",
    opposed="where some people find a phrase, others find none",
    category="the type of the entities",
)


def closeness(left: CleanedAnswer, right: CleanedAnswer) -> float:
    """Return 1 if two answers share a variant of a phrase or both have none, else the F1 of their closest phrases."""
    ours, theirs = left.units, right.units
    if not ours or not theirs:
        return float(not ours and not theirs)
    if not _keys(ours).isdisjoint(_keys(theirs)):
        return 1.0
    return max(token_f1(a, b) for a, b in product(ours, theirs))


def label(cleaned: CleanedAnswer) -> str:
    return ANSWERED if cleaned.units else NOT_AGGREGATABLE


def similarities(units: Sequence[str], vectors: WordVectors | None) -> Mapping[str, Similarity]:
    """Return the measures of shared words, and of meaning if there are word vectors."""
    meaning = {"meaning (cosine)": cosine(units, vectors)} if vectors else {}
    return {"shared words (Jaccard)": jaccard, "shared words (F1)": token_f1, **meaning}


def jaccard(left: str, right: str) -> float:
    """Return shared words over all words, as American singulars; 0 for phrases without words."""
    a, b = _content(left), _content(right)
    return len(a & b) / len(a | b) if a or b else 0.0


def token_f1(left: str, right: str) -> float:
    """Return twice the shared words over the words of both, as American singulars; 0 for phrases without words."""
    a, b = _content(left), _content(right)
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0


def cosine(phrases: Sequence[str], vectors: WordVectors) -> Similarity:
    """Return the cosine of two phrases' vectors; 0 if a vector is all zeros or has a part that is not finite."""
    import numpy as np

    table = phrase_vectors(phrases, vectors).astype(float)
    table = np.nan_to_num(table, nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    table = table / np.where(lengths > 0, lengths, 1)
    at = {phrase: position for position, phrase in enumerate(phrases)}
    return lambda left, right: float(table[at[left]] @ table[at[right]])


def phrase_vectors(phrases: Sequence[str], vectors: WordVectors) -> NDArray[np.float32]:
    """Return a row for each phrase: the mean of its words' vectors, all zeros if no word is known."""
    import numpy as np

    spoken = [words(phrase) for phrase in phrases]
    known = vectors.take({word for some in spoken for word in some})
    nothing = np.zeros(len(next(iter(known.values()), (0.0,))), dtype=np.float32)
    rows = [np.mean([known[word] for word in some if word in known] or [nothing], axis=0) for some in spoken]
    return np.array(rows, dtype=np.float32).reshape(len(rows), len(nothing))


@lru_cache(maxsize=2**16)
def _content(phrase: str) -> frozenset[str]:
    return frozenset(american(singular(american(word))) for word in words(phrase))


@lru_cache(maxsize=2**14)
def _keys(phrases: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(variant_key, phrases))
