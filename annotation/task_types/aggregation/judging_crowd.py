"""How invented people judge phrases: mostly right, by what the demo's book says of the entities."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from annotation.simulation.invented_people import InventedPerson
from annotation.task_types.aggregation.answers import phrases_answer
from annotation.task_types.aggregation.cleaning.tesa import TESA
from annotation.task_types.aggregation.crowd import VAGUE, PhraseCrowd
from corpus.frozen import FrozenInstance

NO, YES = "no", "yes"
CROWD = PhraseCrowd()


@dataclass(frozen=True)
class JudgedPhrase:
    """What a careful reader says of a phrase."""

    is_true: bool
    is_enough: bool
    is_natural: bool


GOOD = JudgedPhrase(is_true=True, is_enough=True, is_natural=True)
EMPTY = JudgedPhrase(is_true=True, is_enough=False, is_natural=True)
WRONG = JudgedPhrase(is_true=False, is_enough=False, is_natural=False)


@lru_cache(maxsize=500)  # several people judge one phrase
def right_judgement(instance: FrozenInstance, unit: str) -> JudgedPhrase:
    """Return what is right to say of a cleaned phrase: good if the book has it for these entities."""
    known = _units(instance, CROWD.book.fitting(CROWD.read_item(instance)))
    vague = _units(instance, VAGUE[instance.entity_type])
    for units, right in ((known, GOOD), (vague, EMPTY)):
        if unit in units:
            return right
        if sorted(unit) in [sorted(own) for own in units]:
            return replace(right, is_natural=False)
    return WRONG


def _units(instance: FrozenInstance, phrases: Iterable[str]) -> Sequence[str]:
    """Return phrases as cleaning writes them; those that it discards as they are."""
    question: dict[str, Any] = {"entities": [*instance.entities], "entity_type": instance.entity_type}
    cleaned = [(phrase, TESA.clean(question, phrases_answer([phrase]))) for phrase in phrases]
    return [unit for phrase, own in cleaned for unit in (own.units or (phrase.lower(),))]


def invented_judgement(right: JudgedPhrase, person: InventedPerson, rng: random.Random) -> dict[str, Any]:
    """Return the answer of a person, who is wrong about each question as often as their skill says."""
    asked = {"is_true": right.is_true, "is_enough": right.is_enough, "is_natural": right.is_natural}
    return {name: YES if is_so is (rng.random() < person.skill) else NO for name, is_so in asked.items()}
