"""Drawing instances for a sample: n at random by a seed, one from each overlap group, none that was drawn before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from random import Random
from typing import NamedTuple

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from corpus.frozen import SIZES
from corpus.names_from import NamesFrom
from kernel.errors import InvalidInput
from kernel.json_fields import Row, kind_of, list_field
from kernel.values import Json


@dataclass(frozen=True)
class SampleFilters:
    """Which instances may be drawn; an empty filter allows everything."""

    types: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    names_from: tuple[str, ...] = ()
    without_background: bool = True  # also instances with an entity that has no background

    def __post_init__(self) -> None:
        _refuse_unknown("types", self.types, [type_.value for type_ in EntityType])
        _refuse_unknown("sizes", self.sizes, SIZES)
        _refuse_unknown("kinds", self.kinds, [kind.value for kind in ContextKind])
        _refuse_unknown("names_from", self.names_from, [value.value for value in NamesFrom])

    def to_json(self) -> dict[str, Json]:
        return {
            "types": list(self.types),
            "sizes": list(self.sizes),
            "kinds": list(self.kinds),
            "names_from": list(self.names_from),
            "without_background": self.without_background,
        }

    @classmethod
    def from_json(cls, row: Row) -> SampleFilters:
        """Return the filters, or raise InvalidInput for the first bad field; a missing field allows everything."""
        fields = {**cls().to_json(), **row}
        without_background = fields["without_background"]
        if not isinstance(without_background, bool):
            raise InvalidInput(f"must be true or false, not {kind_of(without_background)}", field="without_background")
        types, kinds, names_from = (
            tuple(map(str, list_field(fields, name))) for name in ("types", "kinds", "names_from")
        )
        return cls(types, _numbers(fields, "sizes"), kinds, names_from, without_background)


class Drawable(NamedTuple):
    """What drawing needs to know about an instance."""

    key: str
    group: str
    type: str
    size: int


@dataclass(frozen=True)
class Draw:
    """The result of drawing: the chosen instances in order, and the available ones by (type, size)."""

    chosen: tuple[Drawable, ...]
    available: Counter[tuple[str, int]] = field(default_factory=Counter)  # instances
    most: int = 0  # how many can be drawn: the number of overlap groups

    @property
    def drawn(self) -> Counter[tuple[str, int]]:
        return Counter((candidate.type, candidate.size) for candidate in self.chosen)

    def check(self, n: int) -> None:
        """Raise InvalidInput if fewer than n could be drawn."""
        if len(self.chosen) < n:
            left = f"only {self.most:,} can be drawn" if self.most else "none is left to draw"
            problem = f"{n:,} were asked for, but {left} with these filters, one from each overlap group"
            raise InvalidInput(problem, field="n")


def draw(
    candidates: Iterable[Drawable],
    n: int,
    *,
    seed: int,
    taken_keys: Collection[str] = (),
    taken_groups: Collection[str] = (),
) -> Draw:
    """Draw up to n instances with equal probability, skipping those that share a group with one drawn before.

    The order of the candidates does not matter. A larger n continues where a smaller one stopped.
    """
    free = [item for item in candidates if item.key not in taken_keys and item.group not in taken_groups]
    free.sort(key=attrgetter("key"))
    Random(seed).shuffle(free)  # noqa: S311  (must be repeatable)
    first_of_group: dict[str, Drawable] = {}
    for candidate in free:
        first_of_group.setdefault(candidate.group, candidate)
    chosen = tuple(first_of_group.values())
    return Draw(chosen[:n], Counter((candidate.type, candidate.size) for candidate in free), len(chosen))


def _numbers(row: Row, field: str) -> tuple[int, ...]:
    values = list_field(row, field)
    numbers = tuple(value for value in values if isinstance(value, int))
    if len(numbers) < len(values):
        raise InvalidInput("must contain only whole numbers", field=field)
    return numbers


def _refuse_unknown(field: str, values: Sequence[object], known: Sequence[object]) -> None:
    for value in values:
        if value not in known:
            raise InvalidInput(f"unknown: {str(value)[:40]!r}; known: {', '.join(map(str, known))}", field=field)
