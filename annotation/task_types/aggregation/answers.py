"""The answers of the aggregation task as JSON: one or two phrases, or that none fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotation.task_types.base import Gold, JsonObject


def phrases_answer(phrases: Sequence[str]) -> JsonObject:
    return {"phrases": [*phrases], "impossible": False, "reason": ""}


def no_phrase(reason: str = "") -> JsonObject:
    return {"phrases": [], "impossible": True, "reason": reason}


def known_phrases(phrases: Iterable[str], reason: str = "") -> Gold:
    """Return gold that accepts each of these phrases; without any, that no phrase fits."""
    accepted = tuple(phrases_answer([phrase]) for phrase in phrases)
    return Gold(accepted or (no_phrase(),), reason)
