"""The statistics of each part of a split, to compare with the paper's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from kernel.errors import InvalidInput
from kernel.values import Json
from modeling.items import Item
from modeling.splits import SplitValue


@dataclass(frozen=True)
class PartStatistics:
    """One part. `unseen` counts the instances without an entity of the training part."""

    instances: int
    by_type: dict[str, int]
    by_size: dict[int, int]
    by_golds: dict[int, int]
    golds_per_instance: float
    distinct_golds: int
    distinct_entities: int
    distinct_tuples: int
    articles: int
    unseen: int

    def to_json(self) -> dict[str, Json]:
        row: dict[str, Json] = asdict(self)
        for name in ("by_size", "by_golds"):
            row[name] = {str(key): count for key, count in getattr(self, name).items()}
        return row


def part_items(items: Iterable[Item], split: SplitValue) -> dict[str, tuple[Item, ...]]:
    """Return the items of each part in the split's order."""
    by_key = {item.key: item for item in items}
    missing = next((key for keys in split.parts.values() for key in keys if key not in by_key), None)
    if missing is not None:
        raise InvalidInput(f"the split names the instance {missing[:12]}…, which is not in these items")
    return {part: tuple(by_key[key] for key in keys) for part, keys in split.parts.items()}


def known_entities(items: Iterable[Item]) -> frozenset[tuple[str, str]]:
    return frozenset((item.entity_type.value, name) for item in items for name in item.entities)


def is_seen(item: Item, known: frozenset[tuple[str, str]]) -> bool:
    """Return whether at least one of the item's entities is known."""
    return any((item.entity_type.value, name) in known for name in item.entities)


def split_statistics(items: Iterable[Item], split: SplitValue) -> dict[str, PartStatistics]:
    parts = part_items(items, split)
    known = known_entities(parts["train"])
    return {name: _statistics(part, known) for name, part in parts.items()}


def _statistics(items: Sequence[Item], known: frozenset[tuple[str, str]]) -> PartStatistics:
    golds = sum(len(item.golds) for item in items)
    return PartStatistics(
        instances=len(items),
        by_type=dict(sorted(Counter(item.entity_type.value for item in items).items())),
        by_size=dict(sorted(Counter(len(item.entities) for item in items).items())),
        by_golds=dict(sorted(Counter(len(item.golds) for item in items).items())),
        golds_per_instance=golds / len(items) if items else 0.0,
        distinct_golds=len({gold.phrase for item in items for gold in item.golds}),
        distinct_entities=len(known_entities(items)),
        distinct_tuples=len({item.tuple_key for item in items}),
        articles=len({(item.corpus, item.article_id) for item in items}),
        unseen=sum(not is_seen(item, known) for item in items),
    )
