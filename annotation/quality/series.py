"""Agreement on any part of an answer, by the scale of its labels.

A `Series` has one label for each item and person, for one part of the answers of any task type. The scale says how two
labels relate, which decides the measures. The first is corrected for chance, except for texts; the last is always the
share of pairs of people who gave the same label.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from annotation.quality.agreement import (
    REPLICATES,
    Agreement,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)
from annotation.quality.numeric import interval_alpha, mean_difference
from annotation.quality.ordinal import ordinal_alpha, weighted_kappa
from annotation.quality.pairs import cohen
from annotation.quality.ratings import Ratings, Undefined
from annotation.quality.sets import pairwise_f1, set_alpha
from annotation.quality.texts import CLOSENESS, Closeness, pairwise_closeness

LARGEST = 1e300  # larger numbers have differences and sums that are infinite
DEPENDENT = Undefined("No interval: what people say about the same item is not independent.")
NO_CLOSENESS = Undefined("There is no way to compute how close two of these texts are.")


class Scale(StrEnum):
    """How two labels relate."""

    NOMINAL = "nominal"  # equal or different
    ORDINAL = "ordinal"  # one comes before the other
    INTERVAL = "interval"  # numbers whose difference means something
    SET = "set"  # two sets may share members; the empty set is a label too
    TEXT = "text"  # more or less close, by a function that the caller chooses
    PARTITION = "partition"  # reserved: no measure yet


Label = str | float | frozenset[str]
Labels = Label | Mapping[str, Label]  # a part with several units, such as the rows of a table, has one for each


def rows_of(item: str, worker: str, label: Labels) -> Iterator[tuple[str, str, Label]]:
    """Yield what one person said about an item as rows of a series; each unit of a part is an item of its own."""
    if isinstance(label, Mapping):
        yield from ((f"{item} {unit}", worker, own) for unit, own in label.items())
    else:
        yield item, worker, label


@dataclass(frozen=True)
class Series:
    """What people said about one part of an answer: rows of (item, worker, label).

    A label is a number on the interval scale, a frozen set on the scale of sets, and otherwise a string. `order` lists
    the labels of an ordinal scale, lowest first. Of two judgements by one worker of one item, the last counts.
    """

    part: str  # which part of the answer
    unit: str  # what an item is, in the singular
    scale: Scale
    rows: Sequence[tuple[str, str, Label]]
    order: Sequence[str] = ()

    def __post_init__(self) -> None:
        _check_order(self.part, self.scale, self.order)
        order = frozenset(self.order)
        for item, _, label in self.rows:
            if not _fits(label, self.scale, order):
                raise ValueError(f"{self.part}: {label!r} is no label of the {self.scale} scale (item {item})")


@dataclass(frozen=True)
class SeriesOf:
    """A part of the answers of a task type that is measured as a series."""

    part: str  # its name on pages and in stored reports, so never rename it
    unit: str  # what an item is, in the singular
    scale: Scale
    order: Sequence[str] = ()  # of an ordinal scale: its labels, lowest first
    closeness: Closeness | None = None  # of two texts
    has_units: bool = False  # people say several things about one item, which depend on each other

    def __post_init__(self) -> None:
        _check_order(self.part, self.scale, self.order)
        if self.scale is Scale.PARTITION:
            raise ValueError(f"{self.part}: agreement on partitions cannot be measured yet")

    def measures(
        self, rows: Sequence[tuple[str, str, Label]], *, seed: int = 0, replicates: int = REPLICATES
    ) -> list[Agreement]:
        """Return the measures that suit the scale, over rows of (item, worker, label)."""
        series = Series(self.part, self.unit, self.scale, rows, self.order)
        measured = measures(series, closeness=self.closeness, seed=seed, replicates=replicates)
        return [replace(own, interval=DEPENDENT) for own in measured] if self.has_units else measured


def measures(
    series: Series, *, closeness: Closeness | None = None, seed: int = 0, replicates: int = REPLICATES
) -> list[Agreement]:
    """Return the measures that suit the scale, each with its interval; closeness is for texts only."""
    if series.scale is Scale.PARTITION:
        raise NotImplementedError(f"{series.part}: agreement on partitions cannot be measured yet")
    ratings = Ratings.of((item, worker, _key(label)) for item, worker, label in series.rows)
    how = {"seed": seed, "replicates": replicates}
    measured: list[Agreement] = []
    match series.scale:
        case Scale.NOMINAL:
            measured = [krippendorff_alpha(ratings, **how), fleiss_kappa(ratings, **how), cohen(ratings, **how)]
        case Scale.ORDINAL:
            measured = [measure(ratings, series.order, **how) for measure in (ordinal_alpha, weighted_kappa)]
        case Scale.INTERVAL:
            measured = [interval_alpha(ratings, **how), mean_difference(ratings, **how)]
        case Scale.SET:
            sets = {_key(label): label for _, _, label in series.rows if isinstance(label, frozenset)}
            measured = [set_alpha(ratings, sets, **how), pairwise_f1(ratings, sets, **how)]
        case Scale.TEXT if closeness:
            measured = [pairwise_closeness(ratings, closeness, **how)]
        case Scale.TEXT:
            measured = [Agreement(CLOSENESS, NO_CLOSENESS, NO_CLOSENESS, 0, 0)]
    return [*measured, percent_agreement(ratings, **how)]


def _check_order(part: str, scale: Scale, order: Sequence[str]) -> None:
    if bool(order) != (scale is Scale.ORDINAL) or len({*order}) < len(order):
        raise ValueError(f"{part}: an ordinal scale, and no other, lists each of its labels once")


def _fits(label: Label, scale: Scale, order: frozenset[str]) -> bool:
    match scale:
        case Scale.INTERVAL:
            return isinstance(label, int | float) and -LARGEST <= label <= LARGEST  # NaN is not
        case Scale.SET:
            return isinstance(label, frozenset)
        case Scale.ORDINAL:
            return label in order
        case _:
            return isinstance(label, str)


def _key(label: Label) -> str:
    """Return a string that equal labels share and different ones do not."""
    if isinstance(label, str):
        return label
    if isinstance(label, frozenset):
        return json.dumps(sorted(label))
    return repr(float(label) + 0.0)  # the sum makes 0.0 of -0.0
