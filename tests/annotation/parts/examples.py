"""Parts with options and texts, over which the contract is tested: a line for each way to use a kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from annotation.parts import PARTS
from annotation.parts.base import Part, Prompt
from annotation.simulation.invented_people import crowd


@dataclass(frozen=True)
class Example:
    kind: str
    options: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def part(self) -> Part:
        return PARTS[self.kind]

    @property
    def asked(self) -> Prompt:
        return Prompt("own", self.part.options_model.model_validate(self.options), self.texts)

    def invented(self, seed: int) -> Any:
        """Return the answer of an invented person."""
        return self.part.invent(self.asked, crowd(20, seed=3)[seed % 20], Random(seed))


TEXTS = {"first": "It rained in Dun.", "second": "مطر 🌧 في المدينة", "third": "<b>Nobody</b> came & went."}
ANSWERS = [
    {"id": "a", "text": "first", "label": "Answer A"},
    {"id": "b", "text": "second", "label": "Answer B"},
    {"id": "c", "text": "third", "label": "Answer C"},
]
REASONS = [{"id": name, "label": name.title()} for name in ("price", "taste", "smell", "colour")]
EXAMPLES: dict[str, Example] = {
    "a line of text": Example("text", {}, {"first": "It rained in Dun."}),
    "a text that starts as another": Example(
        "text", {"starts_as": "first", "lines": 4, "longest": 900, "must_contain": ["rain"]}, TEXTS
    ),
    "a choice of one option": Example("choice", {"options": ["good", "fair", "bad"]}, TEXTS),
    "a choice of several options": Example(
        "choice", {"options": ["rain", "wind", "fog", "snow"], "many": True, "least": 2, "most": 3}, TEXTS
    ),
    "a choice that may be none": Example(
        "choice", {"options": ["rain", "wind", "fog"], "many": True, "none": "None of these"}, TEXTS
    ),
    "a choice with words for another option": Example(
        "choice", {"options": ["yes_", "no_"], "none": "Neither", "other": "Something else", "shuffle": True}, TEXTS
    ),
    "several options with words for another": Example(
        "choice", {"options": ["rain", "wind"], "many": True, "none": "Nothing", "other": "Something else"}, TEXTS
    ),
    "a choice for each text": Example(
        "choice",
        {
            "options": [{"id": "true", "label": "It is true"}, {"id": "false", "label": "It is not"}],
            "other": "I cannot tell",
            "rows": ["first", {"id": "b", "text": "second", "label": "The second"}, {"id": "all", "label": "Both"}],
        },
        TEXTS,
    ),
    "several options for each line": Example(
        "choice",
        {"options": ["sum", "half"], "many": True, "none": "No", "other": "Other", "rows": {"lines": "list"}},
        {"list": "Two apples\n\n  A pear; and =more \nTwo apples\n<i>Plums</i> & 🍒"},
    ),
    "right-to-left labels and emoji": Example(
        "choice",
        {"options": [{"id": "sun", "label": "مشمس ☀️"}, {"id": "rain", "label": "ממטר 🌧"}, {"id": "x", "label": "<b>"}]},
        TEXTS,
    ),
    "a rating": Example("rating", {"no_opinion": "I cannot say"}, {"first": "It rained in Dun."}),
    "a rating on a scale of words": Example(
        "rating", {"scale": ["bad", "middling", "good"], "targets": ["first"]}, {"first": "It rained in Dun."}
    ),
    "a rating on a hundred points": Example("rating", {"scale": {"first": 1, "last": 100}}, {"first": "It rained."}),
    "ratings of columns by two criteria": Example(
        "rating",
        {
            "scale": {"first": 0, "last": 10, "words": {0: "not at all", 10: "fully"}},
            "criteria": ["fluency", {"id": "tone", "label": "نبرة 🌧", "scale": ["سيئ", "جيد"]}],
            "targets": [{"id": "a", "text": "first", "label": "Answer A"}, "second", "third", "missing"],
            "no_opinion": "I cannot say",
            "shuffle": True,
            "pages": True,
        },
        TEXTS,
    ),
    "ratings of fixed words": Example(
        "rating",
        {
            "scale": {"first": -3, "last": 3},
            "targets": [{"id": "rain", "label": "Rain 🌧"}, {"id": "snow", "label": "ثلج"}],
        },
        {"first": "It rained in Dun."},
    ),
    "two criteria of the item": Example("rating", {"criteria": ["fluency", "tone"]}, {"first": "It rained in Dun."}),
    "the better of two": Example("ranking", {"targets": ["first", "second"]}, TEXTS),
    "the better of two, or no difference": Example("ranking", {"targets": ANSWERS[:2], "ties": True}, TEXTS),
    "an order of texts": Example("ranking", {"targets": ANSWERS, "shuffle": False}, TEXTS),
    "an order of words with ties": Example("ranking", {"targets": REASONS, "ties": True, "worst": "Least important"}),
    "an order of texts that an item may lack": Example(
        "ranking", {"targets": [*ANSWERS, "fourth"], "how": "order"}, {**TEXTS, "fourth": " "}
    ),
    "the best and the worst": Example("ranking", {"targets": [*ANSWERS, *REASONS[:2]], "how": "best_worst"}, TEXTS),
    "marks in a text": Example(
        "spans", {"text": "first", "labels": ["person", "place"]}, {"first": "It rained in Dun, said Ada Lind to Bo."}
    ),
    "nested marks of characters, from right to left": Example(
        "spans",
        {"text": "second", "labels": [{"id": "a", "label": "مدينة 🌧"}], "unit": "characters", "overlap": "nested"},
        TEXTS,
    ),
    "marks with attributes": Example(
        "spans",
        {
            "text": "first",
            "labels": ["person", "place"],
            "attributes": [
                {
                    "name": "sure",
                    "ask": "How sure?",
                    "options": ["yes", {"id": "so", "label": "Ø — 🌧"}],
                    "required": True,
                },
                {"name": "page", "longest": 20, "labels": ["person"], "required": True},
                {"name": "note", "ask": "Anything else?"},
            ],
        },
        {"first": "It rained in Dun, said Ada Lind to Bo."},
    ),
    "marks with pages": Example(
        "spans",
        {
            "text": "first",
            "labels": ["person", "place"],
            "attributes": [
                {"name": "page", "kind": "page", "most": 3, "ask": "Which page?"},
                {"name": "of", "kind": "page", "labels": ["person"], "required": True},
                {"name": "sure", "options": ["yes", "no"]},
            ],
        },
        {"first": "It rained in Dun, said Ada Lind of Arden to Bo."},
    ),
    "at least two marks that may overlap": Example(
        "spans",
        {"text": "third", "labels": ["person", "sign"], "overlap": "any", "least": 2, "most": 4, "none": ""},
        TEXTS,
    ),
}
