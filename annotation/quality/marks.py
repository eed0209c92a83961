"""How far people agree on marks of each kind, such as the labels of spans, and each person with the others.

F1 pools all pairs of people who answered about the same item. Exactly, a mark counts if the other person has one with
the same edges and kind; by overlap, if they have one of its kind that overlaps it.

Kappa looks at the union: every piece that anybody marked in an item is judged by everybody who answered about it, who
gave it this kind or did not. By facet, such as the topics or sources of the items, all kinds count together: of every
piece, which kinds did each person give it, if any?
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import Any

from annotation.quality.agreement import fleiss_kappa
from annotation.quality.ratings import Ratings, Undefined

YES, NO = "yes", "no"


@dataclass(frozen=True, order=True)
class PlacedMark:
    """A piece of an item's text, and what somebody says it is."""

    start: int
    end: int
    kind: str


@dataclass
class SharedCount:
    """How many marks two sides have together, and how many of them the other side has too."""

    marks: int = 0
    exact: int = 0
    near: int = 0

    def add(self, left: Iterable[PlacedMark], right: Iterable[PlacedMark]) -> None:
        """Add the marks of two people, all of one kind."""
        first, second = {*left}, {*right}
        self.marks += len(first) + len(second)
        self.exact += 2 * len(first & second)
        self.near += _overlapping(first, second) + _overlapping(second, first)

    def include(self, other: SharedCount) -> None:
        self.marks += other.marks
        self.exact += other.exact
        self.near += other.near

    def share(self, part: int) -> float | None:
        return part / self.marks if self.marks else None


Answers = Mapping[str, Mapping[str, Sequence[PlacedMark]]]  # item → worker → marks


def marks_report(answers: Answers) -> dict[str, Any]:
    """Return agreement by kind, most marks first, and by person, lowest first, as JSON."""
    made, kinds, people = _counts(answers)
    workers = sorted({worker for of_item in answers.values() for worker in of_item})
    by_person = [{"worker": worker, **_shares(people[worker])} for worker in workers]
    return {
        "kinds": [
            {"kind": kind, "marks": made[kind], **_shares(kinds[kind]), **_kappa(answers, kind)}
            for kind in sorted(made, key=lambda kind: (-made[kind], kind))
        ],
        "people": sorted(by_person, key=lambda own: (own["exact"] is None, own["exact"] or 0.0)),
    }


def facets_report(facets: Mapping[str, Answers]) -> list[dict[str, Any]]:
    """Return agreement by facet, most marks first, as JSON."""
    rows = []
    for facet, answers in facets.items():
        made, kinds, _ = _counts(answers)
        pooled = SharedCount()
        for own in kinds.values():
            pooled.include(own)
        figures = {"marks": sum(made.values()), **_shares(pooled), **_kappa(answers)}
        rows.append({"facet": facet, "items": len(answers), **figures})
    return sorted(rows, key=lambda own: (-own["marks"], own["facet"]))


def _counts(answers: Answers) -> tuple[Mapping[str, int], Mapping[str, SharedCount], Mapping[str, SharedCount]]:
    """Return how many marks there are of each kind, and what pairs of people share by kind and by person."""
    made: dict[str, int] = defaultdict(int)
    kinds: dict[str, SharedCount] = defaultdict(SharedCount)
    people: dict[str, SharedCount] = defaultdict(SharedCount)
    for of_item in answers.values():
        by_kind = {worker: _by_kind(marks) for worker, marks in of_item.items()}
        for own in by_kind.values():
            for kind, marks in own.items():
                made[kind] += len(marks)
        for first, second in combinations(sorted(by_kind), 2):
            for kind in {*by_kind[first], *by_kind[second]}:
                for count in (kinds[kind], people[first], people[second]):
                    count.add(by_kind[first].get(kind, ()), by_kind[second].get(kind, ()))
    return made, kinds, people


def _by_kind(marks: Iterable[PlacedMark]) -> dict[str, list[PlacedMark]]:
    kinds: dict[str, list[PlacedMark]] = defaultdict(list)
    for mark in {*marks}:
        kinds[mark.kind].append(mark)
    return kinds


def _shares(count: SharedCount) -> dict[str, float | None]:
    return {"exact": count.share(count.exact), "near": count.share(count.near)}


def _kappa(answers: Answers, kind: str | None = None) -> dict[str, Any]:
    """Return kappa of one kind, or of the kinds that each person gave a piece."""
    rows = [
        (f"{item} {start}-{end}", worker, _judgement(own.get((start, end), set()), kind))
        for item, of_item in answers.items()
        for places in [{worker: _kinds_by_place(marks) for worker, marks in of_item.items()}]
        for start, end in sorted({place for own in places.values() for place in own})
        for worker, own in places.items()
    ]
    value = fleiss_kappa(Ratings.of(rows), replicates=0).value
    if isinstance(value, Undefined):
        return {"kappa": None, "why": value.reason}
    return {"kappa": value, "why": ""}


def _kinds_by_place(marks: Iterable[PlacedMark]) -> dict[tuple[int, int], set[str]]:
    kinds: dict[tuple[int, int], set[str]] = defaultdict(set)
    for mark in marks:
        kinds[mark.start, mark.end].add(mark.kind)
    return kinds


def _judgement(kinds: set[str], kind: str | None) -> str:
    if kind is None:
        return "\n".join(sorted(kinds)) or NO
    return YES if kind in kinds else NO


def _overlapping(left: Iterable[PlacedMark], right: Iterable[PlacedMark]) -> int:
    """Return how many marks on the left overlap one on the right."""
    ordered = sorted(right)
    starts, ends = [own.start for own in ordered], [*accumulate((own.end for own in ordered), max)]
    count = 0
    for mark in left:
        before = bisect_left(starts, mark.end)  # those that begin before it ends
        count += bool(before and ends[before - 1] > mark.start)
    return count
