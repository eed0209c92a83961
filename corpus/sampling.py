"""Which instances a sample takes: n at random with a seed, one of an overlap group, none that was taken before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from corpus.frozen import SIZES
from corpus.json_fields import Row, kind_of, list_field
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import Json


@dataclass(frozen=True)
class Filters:
    """What may be drawn; nothing given: everything."""

    types: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    kinds: tuple[str, ...] = ()
    without_background: bool = True  # also instances with an entity of which nothing is told

    def __post_init__(self) -> None:
        _refuse_unknown("types", self.types, [type_.value for type_ in EntityType])
        _refuse_unknown("sizes", self.sizes, SIZES)
        _refuse_unknown("kinds", self.kinds, [kind.value for kind in ContextKind])

    def to_json(self) -> dict[str, Json]:
        return {
            "types": list(self.types),
            "sizes": list(self.sizes),
            "kinds": list(self.kinds),
            "without_background": self.without_background,
        }

    @classmethod
    def from_json(cls, row: Row) -> Filters:
        """Return the filters, or raise InvalidInput that names the field; a field that is not there filters nothing."""
        whole: dict[str, Json] = {"types": [], "sizes": [], "kinds": [], "without_background": True, **row}
        is_open = whole["without_background"]
        if not isinstance(is_open, bool):
            raise InvalidInput(f"must be true or false, not {kind_of(is_open)}", field="without_background")
        types, kinds = _texts(whole, "types"), _texts(whole, "kinds")
        return cls(types, _numbers(whole, "sizes"), kinds, is_open)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An instance as far as drawing needs to know it."""

    key: str
    group: str
    type: str
    size: int


@dataclass(frozen=True)
class Draw:
    """What comes of drawing: the chosen in their order, and what there was to choose from, by (type, size)."""

    chosen: tuple[Candidate, ...]
    available: Counter[tuple[str, int]] = field(default_factory=Counter)  # instances
    most: int = 0  # that can be drawn: overlap groups

    @property
    def drawn(self) -> Counter[tuple[str, int]]:
        return Counter((one.type, one.size) for one in self.chosen)

    def check(self, n: int) -> None:
        """Raise InvalidInput when fewer than n could be drawn."""
        if len(self.chosen) < n:
            left = f"only {self.most:,} can be drawn" if self.most else "none is left to draw"
            problem = f"{n:,} were asked for, but {left} with these filters, one of each overlap group"
            raise InvalidInput(problem, field="n")


def draw(
    candidates: Iterable[Candidate],
    n: int,
    *,
    seed: int,
    taken_keys: Collection[str] = (),
    taken_groups: Collection[str] = (),
) -> Draw:
    """Draw up to n, each instance as likely as any other, and pass over what shares a group with one drawn before.

    The order in which the candidates come does not matter. A larger n goes on where a smaller one stopped.
    """
    free = [one for one in candidates if one.key not in taken_keys and one.group not in taken_groups]
    free.sort(key=lambda one: one.key)
    Random(seed).shuffle(free)  # noqa: S311  (a seed is asked for)
    first_of_group: dict[str, Candidate] = {}
    for one in free:
        first_of_group.setdefault(one.group, one)
    chosen = tuple(first_of_group.values())
    return Draw(chosen[:n], Counter((one.type, one.size) for one in free), len(chosen))


def _texts(row: Row, field: str) -> tuple[str, ...]:
    return tuple(str(value) for value in list_field(row, field))


def _numbers(row: Row, field: str) -> tuple[int, ...]:
    values = list_field(row, field)
    numbers = tuple(value for value in values if isinstance(value, int))
    if len(numbers) < len(values):
        raise InvalidInput("must hold whole numbers only", field=field)
    return numbers


def _refuse_unknown(field: str, given: Sequence[object], known: Sequence[object]) -> None:
    for value in given:
        if value not in known:
            raise InvalidInput(f"unknown: {str(value)[:40]!r}; known: {', '.join(map(str, known))}", field=field)
