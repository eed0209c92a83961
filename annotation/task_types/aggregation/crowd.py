"""What a simulated participant writes: phrases from a book that knows the entities, or made of what they read."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from annotation.simulation.browser import ElementReader
from annotation.simulation.invented_people import Habit, InventedPerson
from corpus.frozen import FrozenInstance
from corpus.phrases import NUMERALS

BOOK = Path(__file__).parents[2] / "demo" / "phrases.json"
# "… is a Valmerian trial lawyer …": the words that say what somebody or something is.
_IS_A = re.compile(
    r"\b(?:is|was|are|were|has been)\s+(?:an?|the)\s+((?:[\w-]+\s+){0,3}?[a-z][\w-]+)"
    r"(?=[,.;]|\s(?:of|in|at|on|and|who|that|from|born|with|near|published|led|founded|for)\b)"
)
VAGUE = {
    "person": ("people in the news", "public figures", "persons of interest", "names from the article"),
    "location": ("places in the article", "places in the region", "parts of the country", "nearby places"),
    "organization": ("institutions", "groups in the article", "official bodies", "bodies concerned"),
}
REASONS = ("", "", "they have nothing in common", "too little in the text", "I do not know them")


@dataclass(frozen=True)
class InstanceReading:
    """What a person has read of a task."""

    names: tuple[str, ...]
    entity_type: str
    passage: str
    backgrounds: tuple[str, ...]


@dataclass(frozen=True)
class InventedAnswer:
    phrases: tuple[str, ...] = ()
    reason: str = ""

    def form(self) -> dict[str, str]:
        """Return what the page's form sends."""
        if not self.phrases:
            return {"phrase_1": "", "phrase_2": "", "impossible": "on", "reason": self.reason}
        first, second = (*self.phrases, "")[:2]
        return {"phrase_1": first, "phrase_2": second, "reason": ""}


@dataclass(frozen=True)
class Phrasebook:
    """Phrases that fit, the most usual first, by the entities they name; an empty list says that none does.

    `seen_by` is the share of people who see what entities have in common, where it is hard to see: without such
    entities people would find nothing at random only, and agree no more than by chance on where there is a phrase.
    """

    known: Mapping[frozenset[str], Sequence[str]] = field(default_factory=dict)
    seen_by: Mapping[frozenset[str], float] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Phrasebook:
        rows = json.loads(path.read_text(encoding="utf-8"))
        hard = {frozenset(row["entities"]): row["seen_by"] for row in rows if "seen_by" in row}
        return cls({frozenset(row["entities"]): row["phrases"] for row in rows}, hard)

    def is_seen(self, reading: InstanceReading, rng: random.Random) -> bool:
        """Tell whether a person sees what the entities have in common."""
        share = self.seen_by.get(frozenset(reading.names), 1.0)
        return share >= 1 or rng.random() < share

    def fitting(self, reading: InstanceReading) -> Sequence[str]:
        known = self.known.get(frozenset(reading.names))
        return list(from_backgrounds(reading)) if known is None else known


def from_backgrounds(reading: InstanceReading) -> Iterable[str]:
    """Yield phrases made of what most backgrounds say: "Valmerian lawyers", "lawyers"."""
    described_as = [match[1].split() for text in reading.backgrounds if (match := _IS_A.search(text))]
    heads = Counter(words[-1].lower() for words in described_as)
    for head, count in heads.most_common(2):
        described = Counter(word for words in described_as if words[-1].lower() == head for word in words[:-1])
        for word, shared in described.most_common(1):
            if shared == count:
                yield f"{word} {plural(head)}"
        yield plural(head)


def plural(word: str) -> str:
    if word.endswith(("man", "woman")):
        return f"{word[:-2]}en"
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"


def compose(person: InventedPerson, reading: InstanceReading, book: Phrasebook, rng: random.Random) -> InventedAnswer:
    """Return what this person answers."""
    if person.habit == Habit.REFUSES:
        return InventedAnswer()
    if person.habit == Habit.SAME:
        return InventedAnswer((VAGUE[reading.entity_type][0],))
    if person.habit == Habit.COPIES:
        words = reading.passage.split()
        start = rng.randrange(max(1, len(words) - 4))
        return InventedAnswer((" ".join(words[start : start + 4]).strip(".,;:") or "nothing to copy",))
    fitting = book.fitting(reading)
    is_missed = (not fitting and rng.random() < person.skill) or not book.is_seen(reading, rng)
    if is_missed or rng.random() < person.misses:
        return InventedAnswer((), rng.choice(REASONS))
    chosen = _choose(person, fitting, reading, rng)
    return InventedAnswer(tuple(_as_written(phrase, person, reading, rng) for phrase in chosen))


def _choose(person: InventedPerson, fitting: Sequence[str], reading: InstanceReading, rng: random.Random) -> list[str]:
    """Return one or two phrases: usual ones more often than others, vague ones where skill fails."""
    if not fitting or rng.random() > person.skill:
        return [rng.choice(VAGUE[reading.entity_type])]
    weights = [1 / (2 + place) ** 1.5 for place in range(len(fitting))]
    first = rng.choices(fitting, weights)[0]
    others = [phrase for phrase in fitting if phrase != first]
    return [first, rng.choice(others)] if others and rng.random() < person.second else [first]


def _as_written(phrase: str, person: InventedPerson, reading: InstanceReading, rng: random.Random) -> str:
    opening = rng.choice(("the ", "the ", "", f"the {NUMERALS[len(reading.names)]} "))
    text = opening + phrase
    if rng.random() < person.typo and len(phrase) > 6:
        place = rng.randrange(len(opening) + 1, len(text) - 2)
        text = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    return text[:1].upper() + text[1:] if rng.random() < 0.3 else text


class PhraseCrowd:
    """Simulated people who write phrases from the demo's book."""

    @cached_property
    def book(self) -> Phrasebook:
        return Phrasebook.read(BOOK)

    def read_item(self, item: FrozenInstance) -> InstanceReading:
        backgrounds = tuple(background.text for background in item.backgrounds if background)
        return InstanceReading(item.entities, item.entity_type, item.context, backgrounds)

    def read_page(self, html: str) -> InstanceReading:
        reader = _PassageReader()
        reader.feed(html)
        return InstanceReading(tuple(reader.names), reader.entity_type, reader.passage, tuple(reader.backgrounds))

    def invent(self, reading: InstanceReading, person: InventedPerson, rng: random.Random) -> dict[str, str]:
        return compose(person, reading, self.book, rng).form()


class _PassageReader(ElementReader):
    """Collects the passage and the backgrounds, without titles, letters and text that is hidden from sight."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.backgrounds: list[str] = []
        self.passage, self.entity_type = "", "person"

    def element(self, tag: str, attributes: dict[str, str], classes: frozenset[str]) -> None:
        self.entity_type = attributes.get("data-entity-type", self.entity_type)
        if "card__name" in classes:
            self.names.append("")
            self.backgrounds.append("")

    def handle_data(self, data: str) -> None:
        if any(map(self.is_inside, ("visually-hidden", "entity__letter", "passage__title", "note"))):
            return
        if self.is_inside("passage"):
            self.passage += data
        elif self.is_inside("card__name"):
            self.names[-1] += data.strip()
        elif self.is_inside("card__text"):
            self.backgrounds[-1] += data
