"""What a sample can hold: one line for each kind of item. Names are stored: never rename one."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.items.base import ItemKind
from kernel.registry import Registry

ITEM_KINDS: Registry[ItemKind] = Registry(
    "kind of item",
    {
        "instance": "corpus.items.instances:INSTANCE",
        "text": "corpus.items.texts:TEXT",
        "rows": "corpus.items.rows:ROWS",
    },
)
DEFAULT_ITEM_KIND = "instance"  # of samples that are drawn, and of files whose kind nobody named


def common_words(kinds: Iterable[str]) -> tuple[str, str]:
    """Return what items of these kinds are called, one and many: by the words of their kind if it is only one."""
    first, *others = {*kinds} or {""}
    return ("item", "items") if others or not first else (ITEM_KINDS[first].singular, ITEM_KINDS[first].plural)
