"""Who gave which label to which item, as arrays: the one form every agreement measure takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Undefined:
    """A number that cannot be computed, and the reason, as one sentence for people."""

    reason: str


@dataclass(frozen=True, eq=False)
class Ratings:
    """One row per judgement: positions into `items`, `workers` and `labels`, which are sorted."""

    items: tuple[str, ...]
    workers: tuple[str, ...]
    labels: tuple[str, ...]
    item: Integers
    worker: Integers
    label: Integers

    @staticmethod
    def of(rows: Iterable[tuple[str, str, str]]) -> Ratings:
        """Build from (item, worker, label). Of two judgements by one worker of one item, the last counts."""
        import numpy as np

        last = {(item, worker): label for item, worker, label in rows}
        columns = [[item for item, _ in last], [worker for _, worker in last], [*last.values()]]
        names, codes = [], []
        for column in columns:
            known = {name: position for position, name in enumerate(sorted(set(column)))}
            names.append(tuple(known))
            codes.append(np.array([known[name] for name in column], dtype=np.int64))
        return Ratings(names[0], names[1], names[2], codes[0], codes[1], codes[2])

    def __len__(self) -> int:
        return len(self.item)

    @cached_property
    def judgements(self) -> Integers:
        """How many judgements each item has."""
        import numpy as np

        return np.bincount(self.item, minlength=len(self.items))

    @cached_property
    def agreeing(self) -> Integers:
        """How many ordered pairs of judgements of each item have the same label."""
        import numpy as np

        cells, counts = np.unique(self.item * max(len(self.labels), 1) + self.label, return_counts=True)
        pairs = np.bincount(
            cells // max(len(self.labels), 1), weights=counts * (counts - 1.0), minlength=len(self.items)
        )
        return pairs.astype(np.int64)

    def only_items(self, chosen: Sequence[bool] | NDArray[np.bool_]) -> Ratings:
        """Return the judgements of the chosen items, and only those items."""
        import numpy as np

        mask = np.asarray(chosen, dtype=bool)
        rows = mask[self.item] if len(self) else np.zeros(0, dtype=bool)
        position = np.cumsum(mask) - 1
        names = tuple(name for name, kept in zip(self.items, mask.tolist(), strict=True) if kept)
        item = position[self.item[rows]]
        return Ratings(names, self.workers, self.labels, item, self.worker[rows], self.label[rows])
