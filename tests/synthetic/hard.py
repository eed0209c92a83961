"""Ranking tasks that need two texts at once: backgrounds say what the entities are, the article the month.

In this world each trade has its season. All entities of a task follow the same three trades, each of another season;
the month that the article names decides which one is meant. Distractors are the other two trades, trades of the same
season that the entities do not follow, and more of the same type, all in the same forms as the golds. So backgrounds
alone leave three trades, the article alone those of a season. No entity returns in another task, and no phrase is
frequent.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from modeling.dataset import PARTS, Candidate, Dataset, RankingTask
from modeling.items import GoldPhrase, Item
from tests.synthetic.release import SYNTHETIC
from tests.synthetic.words import EVENTS, ROLES, SYLLABLES, THINGS, VERBS, Role

MONTHS = (
    ("March", "April", "May"),
    ("June", "July", "August"),
    ("September", "October", "November"),
    ("December", "January", "February"),
)
SEASONS = range(len(MONTHS))
TRADES = 3  # of an entity
SAME_SEASON = 2  # distractors that only the backgrounds rule out
CHOICES = 8  # trades among the candidates
ORIGINS = tuple(f"{first}{second}ian" for first in SYLLABLES[:5] for second in SYLLABLES[5:10])
KINDS = (EntityType.PERSON, EntityType.LOCATION)


def hard_dataset(train: int, valid: int, test: int, *, seed: int = 1) -> Dataset:
    """Return tasks of three parts without a common entity."""
    lot = random.Random(f"{seed} hard")
    names = _names(lot)
    numbers = iter(range(train + valid + test))
    parts = {
        part: tuple(_task(next(numbers), lot, names) for _ in range(size))
        for part, size in zip(PARTS, (train, valid, test), strict=True)
    }
    return Dataset({"source": SYNTHETIC, "task": "hard", "seed": seed}, parts)


def season_of(role: Role, kind: EntityType) -> int:
    return ROLES[kind].index(role) % len(MONTHS)


def _names(lot: random.Random) -> Iterator[str]:
    used: set[str] = set()
    while True:
        name = " ".join("".join(lot.choices(SYLLABLES, k=lot.randint(2, 3))).title() for _ in range(2))
        if name not in used:
            used.add(name)
            yield name


def _task(number: int, lot: random.Random, names: Iterator[str]) -> RankingTask:
    kind = lot.choice(KINDS)
    seasons = lot.sample(SEASONS, TRADES)
    trades = [lot.choice([role for role in ROLES[kind] if season_of(role, kind) == season]) for season in seasons]
    origin = lot.choice(ORIGINS)
    entities = tuple(next(names) for _ in range(2))
    context, mentions = _context(entities, lot.choice(MONTHS[seasons[0]]), lot)
    golds = _forms(trades[0], origin)
    item = Item(
        key=f"hard-{number}",
        group=f"hard-{number}",
        corpus=SYNTHETIC,
        article_id=f"h{number}",
        date=None,
        entity_type=kind,
        entities=entities,
        kind=ContextKind.CONTENT,
        title=f"The {lot.choice(THINGS).title()}",
        context=context,
        mentions=mentions,
        backgrounds=tuple(_background(name, origin, trades, lot) for name in entities),
        golds=tuple(GoldPhrase(phrase, phrase, 1) for phrase in golds),
        answers=tuple(sorted(golds)),
    )
    return RankingTask(item, _candidates(trades, kind, origin, lot))


def _background(name: str, origin: str, trades: Sequence[Role], lot: random.Random) -> str:
    words = [role.singular for role in lot.sample(trades, len(trades))]
    return f"{name} is the {origin} {', '.join(words[:-1])} and {words[-1]}."


def _context(entities: Sequence[str], month: str, lot: random.Random) -> tuple[str, tuple[tuple[int, int, int], ...]]:
    text, mentions = f"The {lot.choice(EVENTS)} began in {month}. ", []
    for place, name in enumerate(entities):
        mentions.append((place, len(text), len(text) + len(name)))
        text += f"{name} {lot.choice(VERBS)} the {lot.choice(THINGS)}. "
    return text.rstrip(), tuple(mentions)


def _forms(role: Role, origin: str) -> tuple[str, ...]:
    return (role.plural, f"{origin} {role.plural}", role.synonyms[0])


def _candidates(trades: Sequence[Role], kind: EntityType, origin: str, lot: random.Random) -> tuple[Candidate, ...]:
    season = season_of(trades[0], kind)
    others = lot.sample([role for role in ROLES[kind] if role not in trades], len(ROLES[kind]) - TRADES)
    others.sort(key=lambda role: season_of(role, kind) != season)  # stable: those of the season first
    rest = lot.sample(others[SAME_SEASON:], CHOICES - TRADES - SAME_SEASON)
    chosen = [*trades, *others[:SAME_SEASON], *rest]
    candidates = [Candidate(phrase, int(role is trades[0])) for role in chosen for phrase in _forms(role, origin)]
    lot.shuffle(candidates)
    return tuple(candidates)
