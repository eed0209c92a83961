"""The worker filters of the TESA task: those for every task type, and three about phrases."""

from __future__ import annotations

from collections import Counter

from annotation.quality.worker_filters import (
    DISAGREES_WITH_EVERYONE,
    FAILED_GOLD,
    FEW_ASSIGNMENTS,
    TOO_FAST,
    Evidence,
    Strength,
    Thresholds,
    Usual,
    WorkerFilter,
    WorkerRecord,
    strength_among,
)
from annotation.task_types.aggregation.cleaning.predicates import words
from annotation.task_types.aggregation.cleaning.variants import variant_key


def always_the_same(record: WorkerRecord, usual: Usual, at: Thresholds) -> Evidence | None:
    """Look for one phrase, in any number and spelling, in most of the answered assignments."""
    answered = [{variant_key(phrase): phrase for phrase in piece.units} for piece in record.work if piece.units]
    if len(answered) < at["least"]:
        return None
    key, times = Counter(key for keys in answered for key in keys).most_common(1)[0]
    share = times / len(answered)
    if share < at["share"]:
        return None
    phrase = next(keys[key] for keys in answered if key in keys)
    evidence = f"Wrote “{phrase}” in {times} of {len(answered)} answers with a phrase."
    return Strength.STRONG, evidence, {"times": times, "answered": len(answered), "share": share}


def copies_the_context(record: WorkerRecord, usual: Usual, at: Thresholds) -> Evidence | None:
    """Look for long phrases that the passage contains word for word."""
    long = [
        (phrase, piece.context)
        for piece in record.work
        for phrase in piece.units
        if piece.context and len(words(phrase)) >= at["words"]
    ]
    copied = [phrase for phrase, context in long if _contains(context, phrase)]
    if len(copied) < at["least"] or len(copied) / len(long) < at["share"]:
        return None
    share = f"{len(copied)} of {len(long)} longer phrases"
    evidence = f"{share} are copied word for word from the passage, such as “{copied[0]}”."
    return Strength.WEAK, evidence, {"copied": len(copied), "phrases": len(long)}


def always_impossible(record: WorkerRecord, usual: Usual, at: Thresholds) -> Evidence | None:
    """Compare how rarely somebody finds a phrase with the others; a weak concern while nobody else has answered."""
    done = len(record.work)
    none = sum(not piece.units for piece in record.work)
    if done < at["least"] or none / done < at["share"]:
        return None
    evidence = f"Gave no phrase in {none} of {done} answers"
    numbers: dict[str, float] = {"impossible": none, "assignments": done}
    if usual.assignments <= done:
        return Strength.WEAK, f"{evidence}; nobody else has answered.", numbers
    strength, p = strength_among(none, done, usual.empty, usual.assignments)
    others = (usual.empty - none) / (usual.assignments - done)
    numbers |= {"usual": others, "p": p}
    return (strength, f"{evidence}; the others in {others:.0%} of theirs.", numbers) if strength else None


def _contains(context: str, phrase: str) -> bool:
    return f" {' '.join(words(phrase))} " in f" {' '.join(words(context))} "


FILTERS = (
    FEW_ASSIGNMENTS,
    TOO_FAST,
    FAILED_GOLD,
    WorkerFilter(
        "always_the_same", "nearly always gives the same phrase", always_the_same, {"share": 0.6, "least": 5},
        "{share:.0%} of {least:g} answers or more",
    ),
    WorkerFilter(
        "copies_the_context", "copies phrases from the passage", copies_the_context,
        {"words": 3, "share": 0.6, "least": 4}, "{share:.0%} of {least:g} or more phrases with {words:g} words or more",
    ),
    DISAGREES_WITH_EVERYONE,
    WorkerFilter(
        "always_impossible", "nearly always gives no phrase", always_impossible, {"share": 0.9, "least": 5},
        "{share:.0%} of {least:g} answers or more",
    ),
)  # fmt: skip
