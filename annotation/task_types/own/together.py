"""All answers to one question in one place: where a reviewer starts, and which answers the result is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.parts import PARTS
from annotation.task_types.base import ComparedAnswer, JsonObject
from kernel.values import Json


def is_together(use: Any) -> bool:
    return PARTS[use.kind].is_reviewed_together


def in_common(uses: Sequence[Any], answers: Sequence[JsonObject]) -> JsonObject:
    """Return what all these answers say; None for a part in which they share nothing."""
    values = [(use, [answer.get(use.name) for answer in answers]) for use in uses]
    return {use.name: None if None in own else PARTS[use.kind].common(use, own) for use, own in values}


def of_part(use: Any, compared: Sequence[ComparedAnswer]) -> list[ComparedAnswer]:
    """Return what each of these answers says in one part; [] unless several say something there."""
    known = [replace(own, value=own.value[use.name]) for own in compared if own.value.get(use.name) is not None]
    return known if is_together(use) and len(known) > 1 else []


def sources_of(uses: Sequence[Any], answer: Mapping[str, Json], others: Mapping[int, JsonObject]) -> list[int]:
    """Return as few of the other answers as have everything that this one shares with any of them."""
    units = {number: _units(uses, other) for number, other in others.items()}
    missing = _units(uses, answer) & {unit for own in units.values() for unit in own}
    sources: list[int] = []
    while missing:
        largest = max(sorted(units), key=lambda number: len(units[number] & missing))
        sources.append(largest)
        missing -= units[largest]
    return sorted(sources)


def _units(uses: Sequence[Any], answer: Mapping[str, Any]) -> set[tuple[str, str]]:
    answered = [(use, answer[use.name]) for use in uses if answer.get(use.name) is not None]
    return {(use.name, unit) for use, value in answered for unit in PARTS[use.kind].shared_units(use, value)}
