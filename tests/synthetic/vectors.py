"""Word vectors for synthetic releases, as lines of a GloVe file: words of one role lie together, the rest is noise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from kernel.atomic_files import write_lines
from modeling.items import Item
from tests.synthetic.words import ROLES

_NOISE = 0.8


def synthetic_vectors(items: Iterable[Item], *, dimension: int = 50, seed: int = 0) -> Iterator[str]:
    """Yield a line for every word of the items."""
    lot = np.random.default_rng(seed)
    roles = [role for kind in ROLES.values() for role in kind]
    centers = lot.standard_normal((len(roles), dimension))
    near = {
        word: center
        for role, center in zip(roles, centers, strict=True)
        for word in " ".join((role.singular, role.plural, *role.synonyms)).split()
    }
    words: set[str] = set(near)
    for item in items:
        texts = (item.title, item.context, *item.backgrounds, *item.entities, *item.answers)
        words.update(re.findall(r"\w+", " ".join(texts).lower()))
    for word in sorted(words):
        vector = lot.standard_normal(dimension) * _NOISE + near.get(word, 0.0)
        yield f"{word} {' '.join(f'{number:.5f}' for number in vector)}"


def write_synthetic_vectors(path: Path, items: Iterable[Item], *, dimension: int = 50, seed: int = 0) -> Path:
    write_lines(path, synthetic_vectors(items, dimension=dimension, seed=seed))
    return path
