"""The runs of an experiment: rankers, the values of their parameters, seeds, and shares of the training part."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from kernel.errors import InvalidInput
from kernel.values import Json
from modeling.rankers import DESCRIPTIONS, RANKERS, describe, usable_rankers

SEEDED = frozenset(name for name, ranker in DESCRIPTIONS.items() if ranker.is_seeded)
LEARNING = frozenset(name for name, ranker in DESCRIPTIONS.items() if ranker.is_learning)
SHARES = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
MOST_RUNS = 500
MOST_SEEDS = 20
MOST_SEED = 2**32 - 1
MOST_VALUE = 1e300  # of a parameter
SEEDS_ARE = f"give 1 to {MOST_SEEDS} seeds: whole numbers from 0 to {MOST_SEED:,}"


@dataclass(frozen=True)
class Entry:
    """A ranker and the values to try for each of its parameters."""

    ranker: str
    parameters: Mapping[str, Sequence[Json]] = field(default_factory=dict)

    def combinations(self) -> Iterator[dict[str, Json]]:
        for values in product(*self.parameters.values()):
            yield dict(zip(self.parameters, values, strict=True))


@dataclass(frozen=True)
class PlannedRun:
    """One planned run."""

    ranker: str
    parameters: Mapping[str, Json]
    seed: int
    share: int = 100

    @property
    def method(self) -> str:
        """The ranker, with the values that make another method of it: “bart-generative vc” reads other text."""
        ranker = describe(self.ranker)
        values = [self.parameters.get(name) for name in ranker.methods]
        usual = [getattr(ranker.settings, name) for name in ranker.methods]
        changed = [str(value) for value, default in zip(values, usual, strict=True) if value not in (None, default)]
        return " ".join([self.ranker, *changed])

    @property
    def backend(self) -> str:
        """The library that trains and scores a neural ranker; empty for others."""
        usual = getattr(describe(self.ranker).settings, "backend", "")
        return str(self.parameters.get("backend", usual))

    @property
    def detail(self) -> str:
        """What distinguishes it from the other runs of its method."""
        own = describe(self.ranker).methods
        parameters = [f"{name} {value}" for name, value in self.parameters.items() if name not in own]
        share = [] if self.share == 100 else [f"{self.share} % of train"]
        seed = [f"seed {self.seed}"] if self.ranker in SEEDED else []
        return ", ".join([*parameters, *seed, *share])


@dataclass(frozen=True)
class Grid:
    """Seeds multiply only stochastic rankers, shares only rankers that learn, so that no run is repeated."""

    entries: tuple[Entry, ...]
    seeds: tuple[int, ...] = (1,)
    shares: tuple[int, ...] = (100,)

    def cells(self) -> tuple[PlannedRun, ...]:
        distinct = {(cell.ranker, json.dumps(cell.parameters), cell.seed, cell.share): cell for cell in self._all()}
        if not distinct:
            raise InvalidInput("choose at least one method", field="rankers")
        if len(distinct) > MOST_RUNS:
            raise InvalidInput(
                f"these are {len(distinct):,} runs: choose fewer values, at most {MOST_RUNS}", field="grid"
            )
        return tuple(distinct.values())

    def _all(self) -> Iterator[PlannedRun]:
        for entry in self.entries:
            seeds = self.seeds if entry.ranker in SEEDED else self.seeds[:1]
            shares = self.shares if entry.ranker in LEARNING else (100,)
            yield from (PlannedRun(entry.ranker, *values) for values in product(entry.combinations(), seeds, shares))

    def to_json(self) -> dict[str, Json]:
        entries: list[Json] = [
            {"ranker": entry.ranker, "parameters": {name: [*values] for name, values in entry.parameters.items()}}
            for entry in self.entries
        ]
        return {"entries": entries, "seeds": [*self.seeds], "shares": [*self.shares]}


def check_grid(grid: Grid) -> Grid:
    """Return the grid; raise InvalidInput if its seeds or shares cannot be used."""
    if not 1 <= len(grid.seeds) <= MOST_SEEDS or any(not 0 <= seed <= MOST_SEED for seed in grid.seeds):
        raise InvalidInput(SEEDS_ARE, field="seeds")
    if 100 not in grid.shares or any(not 1 <= share <= 100 for share in grid.shares):
        raise InvalidInput("shares must be per cent from 1 to 100, including 100", field="shares")
    return grid


def parse_entries(lines: Iterable[str]) -> tuple[Entry, ...]:
    """Return the entries of lines such as `logistic-tesa penalty=0.1,1,10 steps=25`; blank lines are skipped."""
    return tuple(_entry(line) for line in lines if line.strip())


def _entry(line: str) -> Entry:
    name, *pairs = line.split()
    if name not in RANKERS:
        raise InvalidInput(f"there is no method {name!r}; known: {', '.join(RANKERS)}", field="rankers")
    parameters: dict[str, Sequence[Json]] = {}
    for pair in pairs:
        key, equals, values = pair.partition("=")
        if not (key and equals and values):
            raise InvalidInput(f"{pair!r} should read name=value or name=value,value", field="rankers")
        parameters[key] = [_value(value) for value in values.split(",")]
    return Entry(name, parameters)


def _value(text: str) -> Json:
    """Return a number, true or false if the text is one, else the text; raise InvalidInput on infinite numbers."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if not isinstance(value, int | float | bool):
        return text
    if not -MOST_VALUE <= value <= MOST_VALUE:  # NaN too
        raise InvalidInput(f"{text!r} cannot be tried: give a number from −1e300 to 1e300", field="rankers")
    return value


def all_rankers(*, has_vectors: bool) -> tuple[Entry, ...]:
    """Return an entry with default parameters for every ranker that can run."""
    return tuple(Entry(name) for name in usable_rankers(has_vectors=has_vectors))


def with_neural(entries: Iterable[Entry], **chosen: str) -> tuple[Entry, ...]:
    """Give neural rankers these parameters (checkpoint, backend), unless their line names them; "" leaves their own."""
    parameters = {name: [value] for name, value in chosen.items() if value}
    return tuple(
        replace(
            entry, parameters={**entry.parameters, **{n: v for n, v in parameters.items() if n not in entry.parameters}}
        )
        if describe(entry.ranker).is_neural
        else entry
        for entry in entries
    )


def merge_entries(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return each ranker's entries with parameters; if it has none, one entry without parameters."""
    by_ranker: dict[str, list[Entry]] = {}
    for entry in entries:
        by_ranker.setdefault(entry.ranker, []).append(entry)
    return tuple(
        entry for alike in by_ranker.values() for entry in [entry for entry in alike if entry.parameters] or alike[:1]
    )
