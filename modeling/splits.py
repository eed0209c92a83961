"""Splits of items into train, valid and test. The same items and seed give the same split.

paper    by instance, 2:1:1, as published: 70 % of its test instances share an entity with training
grouped  no overlap group, tuple of entities or article is in two parts
unseen   as grouped, and no entity of the test part is in another part; items that would break this are set aside
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from kernel.errors import InvalidInput
from kernel.json_fields import number_field, object_value, text_field, texts_field
from kernel.values import Json, content_hash
from modeling.dataset import PARTS
from modeling.items import Item
from modeling.json_rows import check_schema

SPLIT_SCHEMA = 1
RULES = ("paper", "grouped", "unseen")


@dataclass(frozen=True)
class SplitValue:
    """Keys by part. `set_aside` holds the keys that the rule puts in no part."""

    rule: str
    seed: int
    parts: Mapping[str, tuple[str, ...]]
    set_aside: tuple[str, ...] = ()
    fold: int | None = None

    def to_json(self) -> dict[str, Json]:
        return {
            "schema": SPLIT_SCHEMA,
            "rule": self.rule,
            "seed": self.seed,
            "fold": self.fold,
            "parts": {part: list(keys) for part, keys in self.parts.items()},
            "set_aside": list(self.set_aside),
        }

    def content_hash(self) -> str:
        return content_hash(self.to_json())

    def part_of(self) -> dict[str, str]:
        return {key: part for part, keys in self.parts.items() for key in keys}


def split_from_json(value: Mapping[str, Json]) -> SplitValue:
    """Return the split that `to_json` wrote."""
    check_schema(value, SPLIT_SCHEMA)
    parts = object_value(value.get("parts"), "parts")
    return SplitValue(
        rule=text_field(value, "rule"),
        seed=int(str(value["seed"])),
        parts={part: texts_field(parts, part) for part in PARTS},
        set_aside=texts_field(value, "set_aside"),
        fold=number_field(value, "fold"),
    )


def make_split(
    items: Iterable[Item], *, rule: str = "paper", seed: int, ratio: Sequence[int] = (2, 1, 1)
) -> SplitValue:
    """Return train, valid and test in about this ratio; the order of the items does not matter."""
    shuffled = _shuffled(items, rule, seed)
    test, valid = (round(len(shuffled) * share / sum(ratio)) for share in (ratio[2], ratio[1]))
    targets = (len(shuffled) - valid - test, valid, test)
    if rule == "unseen":
        return _unseen(shuffled, seed, targets)
    return _checked(SplitValue(rule, seed, dict(zip(PARTS, _distribute(shuffled, rule, targets), strict=True))))


def make_folds(items: Iterable[Item], k: int, *, rule: str = "paper", seed: int) -> tuple[SplitValue, ...]:
    """Return k splits with one test part: fold i is the validation part of split i and trains in all others.

    The test part is a quarter, enlarged so that the folds of the rule `paper` are equal: 1,718 and 5 give 433 and 257.
    """
    if k < 2:
        raise InvalidInput(f"cannot make {k} folds: choose two or more")
    if rule == "unseen":
        raise InvalidInput("folds can be made by the rules paper and grouped only")
    shuffled = _shuffled(items, rule, seed)
    test = round(len(shuffled) / 4)
    if k > len(shuffled) - test:
        raise InvalidInput(
            f"{len(shuffled)} instances are too few for {k} folds: choose {len(shuffled) - test} or fewer"
        )
    test += (len(shuffled) - test) % k
    *folds, kept = _distribute(shuffled, rule, [(len(shuffled) - test) // k] * k + [test])
    splits = []
    for number, fold in enumerate(folds):
        train = tuple(key for other in folds if other is not fold for key in other)
        splits.append(_checked(SplitValue(rule, seed, {"train": train, "valid": fold, "test": kept}, fold=number)))
    return tuple(splits)


def _shuffled(items: Iterable[Item], rule: str, seed: int) -> list[Item]:
    if rule not in RULES:
        raise InvalidInput(f"unknown rule {rule!r}; known: {', '.join(RULES)}")
    ordered = sorted(items, key=lambda item: item.key)
    if len(ordered) < 4:
        raise InvalidInput(f"{len(ordered)} instances with an aggregation cannot be split: at least four are needed")
    random.Random(seed).shuffle(ordered)  # noqa: S311  (a shuffle, not a secret)
    return ordered


def _checked(split: SplitValue) -> SplitValue:
    empty = [part for part, keys in split.parts.items() if not keys]
    if empty:
        raise InvalidInput(
            f"the rule {split.rule!r} leaves nothing for {' and '.join(empty)}, because too many instances are "
            "connected: choose another rule, or a release with more instances"
        )
    return split


def _grouping(item: Item) -> list[Hashable]:
    return [("group", item.group), ("tuple", item.tuple_key), ("article", item.corpus, item.article_id)]


def _linked(item: Item) -> list[Hashable]:
    """Return what an unseen test part must not share with the other parts: entities, passage and article."""
    return [*((item.entity_type, name) for name in item.entities), *_grouping(item)]


def _blocks(items: Sequence[Item], links: Callable[[Item], list[Hashable]]) -> list[list[Item]]:
    """Return the items in blocks that share no link, largest first; blocks of one size are in the items' order."""
    holders: defaultdict[Hashable, list[int]] = defaultdict(list)
    for number, item in enumerate(items):
        for link in links(item):
            holders[link].append(number)
    seen: set[int] = set()
    blocks = []
    for start in range(len(items)):
        if start in seen:
            continue
        seen.add(start)
        block, queue = [], deque([start])
        while queue:
            number = queue.popleft()
            block.append(number)
            for link in links(items[number]):
                fresh = [other for other in holders.pop(link, ()) if other not in seen]
                seen.update(fresh)
                queue.extend(fresh)
        blocks.append([items[number] for number in sorted(block)])
    return sorted(blocks, key=len, reverse=True)


def _distribute(items: Sequence[Item], rule: str, targets: Sequence[int]) -> list[tuple[str, ...]]:
    if rule == "grouped":
        return _fill(_blocks(items, _grouping), targets)
    keys = (item.key for item in items)
    return [tuple(islice(keys, size)) for size in targets]


def _fill(blocks: Iterable[Sequence[Item]], targets: Sequence[int]) -> list[tuple[str, ...]]:
    """Return the keys for each target. A block goes where the largest share is missing, if it fits there."""
    parts: list[list[str]] = [[] for _ in targets]
    for block in blocks:
        room = [target - len(part) for target, part in zip(targets, parts, strict=True)]
        fitting = [number for number, free in enumerate(room) if free >= len(block)] or range(len(room))
        chosen = max(fitting, key=lambda number: (room[number] / max(targets[number], 1), room[number]))
        parts[chosen].extend(item.key for item in block)
    return [tuple(part) for part in parts]


def _unseen(items: Sequence[Item], seed: int, targets: tuple[int, int, int]) -> SplitValue:
    """Put whole blocks of connected instances into test, small ones first; cut the largest only if needed."""
    blocks = _blocks(items, _linked)
    test: list[Item] = []
    rest = [blocks[0]]
    for block in blocks[:0:-1]:
        fits = len(test) + len(block) <= targets[2]
        (test.extend if fits else rest.append)(block)
    known = [item for block in rest for item in block]
    aside: list[Item] = []
    if len(test) < targets[2] * 0.9:
        grown, aside, known = _cut(known, targets[2] - len(test))
        test += grown
    place = {item.key: number for number, item in enumerate(items)}
    known.sort(key=lambda item: place[item.key])
    valid = round(len(known) * targets[1] / (targets[0] + targets[1]))
    trained, tuned = _fill(_blocks(known, _grouping), (len(known) - valid, valid))
    tested = tuple(item.key for item in sorted(test, key=lambda item: place[item.key]))
    keys = {"train": trained, "valid": tuned, "test": tested}
    return _checked(SplitValue("unseen", seed, keys, tuple(sorted(item.key for item in aside))))


def _cut(items: Sequence[Item], wanted: int) -> tuple[list[Item], list[Item], list[Item]]:
    """Return the items inside, on the border and outside of a set of links, grown from the rarest to `wanted` items."""
    frequency = Counter(link for item in items for link in _linked(item))
    inside: list[Item] = []
    chosen: set[Hashable] = set()
    for item in sorted(items, key=lambda item: sum(frequency[link] for link in _linked(item))):
        if len(inside) >= wanted:
            break
        chosen.update(_linked(item))
        inside.append(item)
    taken = {item.key for item in inside}
    others = [item for item in items if item.key not in taken]
    inside += [item for item in others if chosen.issuperset(_linked(item))]
    border = [item for item in others if not chosen.isdisjoint(links := _linked(item)) and not chosen.issuperset(links)]
    return inside, border, [item for item in others if chosen.isdisjoint(_linked(item))]
