"""From items to ranking tasks: all golds, and distractors drawn from answers to other instances of the same type."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from corpus.articles import EntityType
from kernel.errors import InvalidInput
from kernel.values import Json
from modeling.dataset import Candidate, Dataset, RankingTask
from modeling.items import Item
from modeling.split_statistics import part_items
from modeling.splits import SplitValue


@dataclass(frozen=True)
class CandidateOptions:
    """How distractors are drawn; the defaults are the paper's.

    train_vocabulary  draw from answers of the training part only, so that no test gold is a distractor in training
    spare_same_tuple  never draw an answer for the same entities in another passage
    hard              how many distractors share a word with a gold, if there are enough
    """

    size: int = 24
    train_vocabulary: bool = False
    spare_same_tuple: bool = False
    hard: int = 0

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def build_dataset(
    items: Iterable[Item], split: SplitValue, options: CandidateOptions | None = None, *, seed: int, source: str = ""
) -> Dataset:
    """Return the ranking tasks of each part. `source` is the hash of their release.

    If a type has too few other answers, its tasks are shorter; tasks without any distractor are left out. The
    specification counts both.
    """
    options = options or CandidateOptions()
    parts = part_items(items, split)
    everything = [item for part in parts.values() for item in part]
    pool = _Pool(parts["train"] if options.train_vocabulary else everything, everything)
    drawn = {name: [_task(item, pool, options, seed) for item in part] for name, part in parts.items()}
    short = [task for tasks in drawn.values() for task in tasks if len(task.candidates) < options.size]
    alone = {task.key for task in short if all(task.labels)}
    spec: dict[str, Json] = {
        "source": source,
        "split": {"rule": split.rule, "seed": split.seed, "fold": split.fold, "hash": split.content_hash()},
        "candidates": options.to_json(),
        "seed": seed,
        "short": len(short) - len(alone),
        "left_out": [*sorted(alone)],
    }
    return Dataset(
        spec, {part: tuple(task for task in tasks if task.key not in alone) for part, tasks in drawn.items()}
    )


class _Pool:
    """The distinct answers of each type, sorted; and every answer for each tuple of entities."""

    def __init__(self, vocabulary: Iterable[Item], items: Iterable[Item]) -> None:
        distinct: defaultdict[EntityType, set[str]] = defaultdict(set)
        for item in vocabulary:
            distinct[item.entity_type].update(item.gold_phrases)
        self.phrases = {kind: sorted(phrases) for kind, phrases in distinct.items()}
        self.same_tuple: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for item in items:
            self.same_tuple[item.tuple_key].update(item.answers)
        self.holders: defaultdict[tuple[EntityType, str], list[str]] = defaultdict(list)  # by type and word
        for kind, phrases in self.phrases.items():
            for phrase in phrases:
                for word in dict.fromkeys(phrase.split()):
                    self.holders[kind, word].append(phrase)


def _task(item: Item, pool: _Pool, options: CandidateOptions, seed: int) -> RankingTask:
    golds = sorted(item.gold_phrases)
    wanted = options.size - len(golds)
    where = f"instance {item.key[:12]}…"
    if not golds:
        raise InvalidInput("it has no aggregation: leave it out (rankable)", where=where)
    if wanted < 0:
        raise InvalidInput(f"{len(golds)} golds do not fit in {options.size} candidates: choose more", where=where)
    # Seeded per item, so that its distractors do not depend on its place in the file.
    lot = random.Random(f"{seed} {item.key}")  # noqa: S311  (a draw, not a secret)
    refused = set(golds) | (pool.same_tuple[item.tuple_key] if options.spare_same_tuple else set())
    drawn = _hard(item, pool, refused, min(options.hard, wanted), lot) if options.hard else []
    drawn += _uniform(pool.phrases.get(item.entity_type, ()), refused | set(drawn), wanted - len(drawn), lot)
    candidates = sorted(
        [Candidate(phrase, 1) for phrase in golds] + [Candidate(phrase, 0) for phrase in drawn], key=str
    )
    lot.shuffle(candidates)
    return RankingTask(item, tuple(candidates))


def _hard(item: Item, pool: _Pool, refused: set[str], wanted: int, lot: random.Random) -> list[str]:
    words = {word for phrase in item.gold_phrases for word in phrase.split()}
    alike = {phrase for word in words for phrase in pool.holders.get((item.entity_type, word), ())}
    choice = sorted(alike - refused)
    return lot.sample(choice, min(wanted, len(choice)))


def _uniform(phrases: Sequence[str], refused: set[str], wanted: int, lot: random.Random) -> list[str]:
    """Draw without replacement, at most as many as there are; by rejection, to avoid copying the vocabulary."""
    free = len(phrases) - sum(1 for phrase in refused if _holds(phrases, phrase))
    if free < 2 * wanted:
        return lot.sample([phrase for phrase in phrases if phrase not in refused], min(wanted, free))
    drawn: list[str] = []
    taken = set(refused)
    while len(drawn) < wanted:
        phrase = phrases[lot.randrange(len(phrases))]
        if phrase not in taken:
            taken.add(phrase)
            drawn.append(phrase)
    return drawn


def _holds(phrases: Sequence[str], phrase: str) -> bool:
    place = bisect_left(phrases, phrase)
    return place < len(phrases) and phrases[place] == phrase
