"""Generated phrases of a run, with golds and listed entities marked: the rows of generations.jsonl."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.task_types.aggregation.cleaning.predicates import (
    About,
    is_only_names,
    lists_entities,
    named_entities,
)
from kernel.errors import InvalidInput
from kernel.json_fields import Row, list_field, object_value, text_field, texts_field
from kernel.values import Json, canonical_json
from modeling.items import Item
from modeling.json_rows import check_schema, located, read_rows
from modeling.run_folder import GENERATIONS

SCHEMA = 1


@dataclass(frozen=True)
class Phrase:
    """A generated phrase. `score` is the mean log-probability of its tokens, as the ranker scores candidates."""

    text: str
    score: float
    is_gold: bool = False
    lists_entities: bool = False  # it breaks the task's first rule

    @property
    def probability(self) -> float:
        """The geometric mean of the tokens' probabilities, as in the paper's tables."""
        return math.exp(min(self.score, 0.0))


@dataclass(frozen=True)
class Generation:
    """The phrases for one instance, the best first, and its golds."""

    part: str
    key: str
    golds: tuple[str, ...]
    phrases: tuple[Phrase, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "schema": SCHEMA,
            "part": self.part,
            "key": self.key,
            "golds": [*self.golds],
            "phrases": [
                {
                    "phrase": phrase.text,
                    "score": phrase.score,
                    "probability": phrase.probability,
                    "is_gold": phrase.is_gold,
                    "lists_entities": phrase.lists_entities,
                }
                for phrase in self.phrases
            ],
        }


def mark(item: Item, part: str, phrases: Sequence[tuple[str, float]]) -> Generation:
    """Return the generated phrases of an instance with their marks. Case does not matter."""
    golds = tuple(gold.phrase for gold in item.golds)
    known, about = {gold.casefold() for gold in golds}, About(item.entities, item.entity_type.value)
    marked = [
        Phrase(text, score, text.casefold() in known, is_list_of_entities(text, about)) for text, score in phrases
    ]
    return Generation(part, item.key, golds, tuple(marked))


def is_list_of_entities(text: str, about: About) -> bool:
    """Return whether the phrase is nothing but names of the entities, begins with a list of them, or names several."""
    return is_only_names(text, about) or lists_entities(text, about) or len(named_entities(text, about)) > 1


def generation_lines(generations: Iterable[Generation]) -> Iterable[str]:
    return (canonical_json(generation.to_json()) for generation in generations)


def read_generations(lines: Iterable[str]) -> tuple[Generation, ...]:
    """Return the rows of the file; raise InvalidInput on a damaged line."""
    return tuple(_generation(row, where) for where, row in read_rows(lines, name=GENERATIONS))


def _generation(row: Row, where: str) -> Generation:
    with located(where):
        check_schema(row, SCHEMA)
        phrases = tuple(_phrase(object_value(value, "phrase")) for value in list_field(row, "phrases"))
        return Generation(text_field(row, "part"), text_field(row, "key"), texts_field(row, "golds"), phrases)


def _phrase(row: Row) -> Phrase:
    score = row.get("score")
    if not isinstance(score, int | float):
        raise InvalidInput("the score is not a number")
    marks = (row.get("is_gold") is True, row.get("lists_entities") is True)
    return Phrase(text_field(row, "phrase"), float(score), *marks)
