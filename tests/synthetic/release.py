"""Synthetic releases of the paper's shape, for benchmarks and tests: a small grammar of ours, no real person or place.

As in the paper: 1,718 instances, their types, tuple sizes and golds per instance; entities that return; answers of
which few are frequent and most stand once. What an entity is stands in its background, where it acts in its context, so
that frequency and features have something to find. Every row's corpus is named SYNTHETIC.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeVar

from corpus.articles import EntityType
from kernel.values import Json, canonical_json, content_hash
from modeling.items import Item, item_from_release
from modeling.json_rows import read_rows
from tests.synthetic.words import COMMON, EVENTS, QUALITIES, ROLES, SYLLABLES, THINGS, VERBS, Role

SYNTHETIC = "synthetic (generated)"
INSTANCES = 1_718
TYPES = {EntityType.PERSON: 941, EntityType.LOCATION: 629, EntityType.ORGANIZATION: 148}
SIZES = {2: 1_299, 3: 259, 4: 74, 5: 43, 6: 43}
GOLDS = {1: 89, 2: 638, 3: 709, 4: 260, 5: 21, 6: 1}
_ORIGINS = 40
_NEW_ENTITY = 0.4
T = TypeVar("T")


def synthetic_release(instances: int = INSTANCES, *, seed: int = 0) -> Iterator[str]:
    """Yield a release's JSON lines."""
    lot = random.Random(seed)
    world = _World(lot)
    columns = [_spread(shape, instances, lot) for shape in (TYPES, SIZES, GOLDS)]
    for number, (kind, size, golds) in enumerate(zip(*columns, strict=True)):
        yield canonical_json(_row(world, number, kind, size, golds))


def release_items(lines: Iterable[str], *, name: str = "release") -> tuple[Item, ...]:
    """Return the items of a release's JSON lines, in their order."""
    return tuple(item_from_release(row, where) for where, row in read_rows(lines, name=name))


@dataclass(frozen=True)
class _Entity:
    name: str
    background: str


@dataclass
class _World:
    """Origins ("arvenian"), and the entities met so far by type, role and origin."""

    lot: random.Random
    origins: list[str] = field(default_factory=list)
    entities: defaultdict[tuple[EntityType, str, str], list[_Entity]] = field(default_factory=lambda: defaultdict(list))
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        while len(self.origins) < _ORIGINS:
            name = f"{self.word(2)}ian"
            if name not in self.origins:
                self.origins.append(name)

    def word(self, syllables: int) -> str:
        return "".join(self.lot.choices(SYLLABLES, k=syllables))

    def name(self, kind: EntityType) -> str:
        while True:
            words = 1 if kind is EntityType.LOCATION else 2
            name = " ".join(self.word(self.lot.randint(2, 3)).title() for _ in range(words))
            if name not in self.names:
                self.names.add(name)
                return name

    def cast(self, kind: EntityType, role: Role, origin: str, size: int) -> list[_Entity]:
        """Return distinct entities of a role and origin: some met before, some new."""
        pool = self.entities[kind, role.singular, origin]
        old = self.lot.sample(pool, min(len(pool), sum(self.lot.random() > _NEW_ENTITY for _ in range(size))))
        new = [_Entity(name, self.background(name, role, origin)) for name in self._fresh(kind, size - len(old))]
        pool += new
        chosen = [*old, *new]
        self.lot.shuffle(chosen)
        return chosen

    def _fresh(self, kind: EntityType, count: int) -> list[str]:
        return [self.name(kind) for _ in range(count)]

    def background(self, name: str, role: Role, origin: str) -> str:
        if self.lot.random() < 0.06:
            return ""  # as in life: nothing is told of some
        quality = self.lot.choice(QUALITIES)
        known = self.lot.random()
        nature = role.singular if known < 0.75 else role.synonyms[0].removesuffix("s")
        fame = f"{self.lot.choice(THINGS)} of {self.word(3).title()}"
        first = f"{name} is a {quality} {origin} {nature} known for the {fame}."
        return " ".join([first, *(self.filler(name) for _ in range(self.lot.randint(2, 5)))])

    def filler(self, name: str) -> str:
        lot = self.lot
        year = lot.randint(1880, 1999)
        return (
            f"In {year} {name.split()[0]} {lot.choice(VERBS)} the {lot.choice(QUALITIES)} {lot.choice(THINGS)} near "
            f"{self.word(2).title()} and {lot.choice(VERBS)} a {lot.choice(THINGS)} after the {lot.choice(EVENTS)}."
        )


def _row(world: _World, number: int, kind: EntityType, size: int, golds: int) -> dict[str, Json]:
    lot = world.lot
    role, origin = _zipf(ROLES[kind], lot), _zipf(world.origins, lot)
    event, thing = lot.choice(EVENTS), lot.choice(THINGS)
    cast = world.cast(kind, role, origin, size)
    context, mentions = _context(world, cast, role, event, thing)
    phrases = _answers(world, kind, role, origin, event, thing, golds)
    title = f"{event.title()} Over the {thing.title()}"
    key_fields: dict[str, Json] = {"number": number, "entities": [entity.name for entity in cast], "context": context}
    key = content_hash(key_fields)
    return {
        "schema": 1,
        "key": key,
        "group": key[:16],
        "corpus": SYNTHETIC,
        "article_id": f"s{number * 4 // 5}",  # some articles offer two instances
        "date": f"{1990 + number % 17}-{1 + number % 12:02}-{1 + number % 28:02}",
        "entity_type": kind.value,
        "entities": [entity.name for entity in cast],
        "kind": "abstract" if number % 18 == 0 else "content",
        "title": title,
        "context": context,
        "mentions": mentions,
        "backgrounds": [_background(entity) for entity in cast],
        **_annotated(phrases, lot),
    }


def _context(world: _World, cast: Sequence[_Entity], role: Role, event: str, thing: str) -> tuple[str, list[Json]]:
    lot = world.lot
    text, mentions = "", list[Json]()
    for place, entity in enumerate(cast):
        text += lot.choice(("After the long ", "During the ", "Before the "))
        text += f"{lot.choice((event, lot.choice(EVENTS)))}, "
        mentions.append({"entity": place, "start": len(text), "end": len(text) + len(entity.name)})
        text += f"{entity.name} {lot.choice(VERBS)} the {lot.choice((thing, lot.choice(THINGS)))}"
        text += f" with another {role.singular}. " if lot.random() < 0.2 else f" of {world.word(3).title()}. "
        text += world.filler(entity.name) + " "
    return text.rstrip(), mentions


def _answers(world: _World, kind: EntityType, role: Role, origin: str, event: str, thing: str, count: int) -> list[str]:
    """Return distinct phrases: the plain plural most often, then with the origin, synonyms, general and rare ones."""
    lot = world.lot
    quality = lot.choice(QUALITIES)
    choice = {
        role.plural: 8.0,
        f"{origin} {role.plural}": 5.0,
        role.synonyms[0]: 4.0,
        f"{origin} {role.synonyms[0]}": 1.5,
        _zipf(COMMON[kind], lot): 2.5,
        role.synonyms[1]: 1.2,
        f"{quality} {role.plural}": 1.5,
        f"{role.plural} involved in the {event}": 1.5,
        f"{role.plural} of the {thing} {event}": 1.0,
        f"{quality} {origin} {role.plural}": 1.0,
    }
    drawn: list[str] = []
    while len(drawn) < count:
        phrase = lot.choices(list(choice), list(choice.values()))[0]
        del choice[phrase]
        drawn.append(phrase)
    return drawn


def _annotated(phrases: Sequence[str], lot: random.Random) -> dict[str, Json]:
    """Return the answers of three annotators, at most two each, and the aggregations with their support."""
    by_annotator: list[list[str]] = [[], [], []]
    for number, phrase in enumerate(phrases):
        by_annotator[number % 3].append(phrase)
    for answers in by_annotator:
        if not answers and lot.random() < 0.7:
            answers.append(phrases[0])
    support = {phrase: sum(phrase in answers for answers in by_annotator) for phrase in phrases}
    return {
        "aggregations": [{"phrase": phrase, "display": phrase, "support": support[phrase]} for phrase in phrases],
        "annotations": [
            {
                "annotator": f"synthetic-{number}",
                "answers": [*answers],
                "cleaned": [*answers],
                "not_aggregatable": not answers,
            }
            for number, answers in enumerate(by_annotator, start=1)
        ],
    }


def _background(entity: _Entity) -> Json:
    if not entity.background:
        return None
    return {"title": entity.name, "text": entity.background, "url": "", "licence": "", "status": "by hand"}


def _zipf(values: Sequence[T], lot: random.Random) -> T:
    weights = [1 / (rank + 1) for rank in range(len(values))]
    return lot.choices(values, cum_weights=list(accumulate(weights)))[0]


def _spread(shape: Mapping[T, int], count: int, lot: random.Random) -> list[T]:
    """Return `count` values in the shape's proportions, as exactly as whole numbers allow, shuffled."""
    total = sum(shape.values())
    exact = {value: weight * count / total for value, weight in shape.items()}
    whole = {value: int(share) for value, share in exact.items()}
    rest = sorted(shape, key=lambda value: whole[value] - exact[value])[: count - sum(whole.values())]
    values = [value for value in shape for _ in range(whole[value] + (value in rest))]
    lot.shuffle(values)
    return values
