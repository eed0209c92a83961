"""Figures as the paper's Table 2 gives them, beside the published ones.

Aggregations are counted with repetition (total) and as different phrases (unique).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.releasing.describing import StoredStatistics
from annotation.releasing.showing import REJECTED, basic_lines
from annotation.task_types.releases import FigureLine, HistogramRow, JsonObject
from corpus.articles import EntityType
from kernel.values import Json

TYPES = tuple(type_.value for type_ in EntityType)
TOP = 15
HISTOGRAMS = {"sizes": "entities", "golds": "different aggregations", "answers": "answers, repetitions included"}

# The paper's Table 2, and what its code's notebooks printed (tuple sizes, golds, answers: with an earlier rule set).
PUBLISHED: dict[str, Any] = {
    "collected": {"instances": 2100, "annotators": 63, "annotations": 6299},
    "released": {"instances": 1718, "annotators": 42, "annotations": 4675, "not_aggregatable": 453},
    "tuples": {"all": (1718, 1336), "person": (941, 801), "location": (629, 412), "organization": (148, 123)},
    "aggregations": {"all": (5397, 1681), "person": (2900, 951), "location": (2041, 505), "organization": (456, 239)},
    "golds_mean": {"all": 2.70, "person": 2.59, "location": 2.86, "organization": 2.70},
    "sizes": {"2": 1299, "3": 259, "4": 74, "5": 43, "6": 43},
    "golds": {"1": 89, "2": 638, "3": 709, "4": 260, "5": 21, "6": 1},
    "answers": {"2": 379, "3": 802, "4": 450, "5": 80, "6": 7},
}
REVIEWED = {
    "accept": "accepted by reviewers",
    "correct": "in a reviewer's words",
    "not_aggregatable": "not aggregatable by a reviewer's verdict",
}


class AggregationFigures:
    """Counts tuples and phrases. Needs as much memory as there are different tuples and phrases."""

    def __init__(self) -> None:
        self.tuples: dict[str, set[tuple[str, ...]]] = {type_: set() for type_ in TYPES}
        self.phrases: dict[str, Counter[str]] = {type_: Counter() for type_ in TYPES}
        self.instances: Counter[str] = Counter()
        self.golds_of: Counter[str] = Counter()
        self.sizes: Counter[int] = Counter()
        self.golds: Counter[int] = Counter()
        self.answers: Counter[int] = Counter()

    def add_row(self, row: Mapping[str, Any]) -> None:
        type_, aggregations = row["entity_type"], row["aggregations"]
        self.instances[type_] += 1
        self.tuples[type_].add(tuple(sorted(row["entities"])))
        self.sizes[len(row["entities"])] += 1
        self.golds[len(aggregations)] += 1
        self.golds_of[type_] += len(aggregations)
        self.answers[sum(aggregation["support"] for aggregation in aggregations)] += 1
        for aggregation in aggregations:
            self.phrases[type_][aggregation["phrase"]] += aggregation["support"]

    def to_json(self) -> JsonObject:
        phrases = sum(self.phrases.values(), Counter())
        tuples = {type_: (self.instances[type_], len(self.tuples[type_])) for type_ in TYPES}
        return {
            "tuples": _pairs(tuples, sum(map(len, self.tuples.values()))),
            "aggregations": _pairs({t: (self.phrases[t].total(), len(self.phrases[t])) for t in TYPES}, len(phrases)),
            "sizes": _histogram(self.sizes),
            "sizes_mean": _mean(self.sizes),
            "golds": _histogram(self.golds),
            "golds_mean": {
                "all": _mean(self.golds),
                **{type_: _ratio(self.golds_of[type_], self.instances[type_]) for type_ in TYPES},
            },
            "answers": _histogram(self.answers),
            "answers_mean": _mean(self.answers),
            "top": [[*pair] for pair in sorted(phrases.items(), key=lambda pair: (-pair[1], pair[0]))[:TOP]],
        }


def _pairs(by_type: Mapping[str, tuple[int, int]], unique: int) -> Json:
    pairs = {"all": (sum(total for total, _ in by_type.values()), unique), **by_type}
    return {name: {"total": total, "unique": different} for name, (total, different) in pairs.items()}


def _histogram(counts: Counter[int]) -> Json:
    return {str(value): counts[value] for value in sorted(counts)}


def _mean(counts: Counter[int]) -> float | None:
    return _ratio(sum(value * number for value, number in counts.items()), counts.total())


def _ratio(total: int, number: int) -> float | None:
    return round(total / number, 4) if number else None


# ---- As tables ------------------------------------------------------------------------------------


def lines(*releases: StoredStatistics) -> Iterator[FigureLine]:
    """Yield the lines of the paper's Table 2 for one or more releases."""
    yield from basic_lines(releases, REVIEWED, {"not_aggregatable": "not aggregatable"}, PUBLISHED)
    for kind, label in (("tuples", "entity tuples"), ("aggregations", "aggregations")):
        for type_ in ("all", *TYPES):
            figures = tuple(_pair(**release[kind][type_]) for release in releases)
            yield FigureLine(f"{type_.capitalize()} {label} (unique)", figures, _pair(*PUBLISHED[kind][type_]))
    for type_ in ("all", *TYPES):
        figures = tuple(_decimal(release["golds_mean"][type_]) for release in releases)
        yield FigureLine(
            f"{type_.capitalize()}: aggregations per instance", figures, _decimal(PUBLISHED["golds_mean"][type_])
        )


def _pair(total: int, unique: int) -> str:
    return f"{total:,} ({unique:,})"


def _decimal(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def markdown(statistics: StoredStatistics) -> str:
    """Return Table 2 in Markdown, the published dataset's beside ours."""
    rows = ["| | this release | published 2020 |", "|---|---:|---:|"]
    for part in ("collected", "released"):
        for what in ("instances", "annotators", "annotations"):
            rows.append(f"| {part} {what} | {statistics[part][what]:,} | {PUBLISHED[part][what]:,} |")
        if statistics[part].get("simulated_annotators"):
            for what in ("simulated_annotators", "simulated_annotations"):
                rows.append(f"| {part} {what.replace('_', ' ')} | {statistics[part][what]:,} | – |")
    if "rejected" in statistics["released"]:
        released, published = statistics["released"], PUBLISHED["released"]["not_aggregatable"]
        rows.append(f"| released, {REJECTED} | {released['rejected']:,} | – |")
        rows.append(f"| released, not aggregatable | {released['not_aggregatable']:,} | {published:,} |")
    for kind in ("tuples", "aggregations"):
        for type_ in ("all", *TYPES):
            ours, published = statistics[kind][type_], PUBLISHED[kind][type_]
            rows.append(f"| {type_} {kind} (unique) | {_pair(**ours)} | {_pair(*published)} |")
    ours, published = statistics["golds_mean"]["all"], PUBLISHED["golds_mean"]["all"]
    return "\n".join([*rows, f"| aggregations per instance | {ours or 0:.2f} | {published:.2f} |"])


def histograms(statistics: StoredStatistics) -> list[HistogramRow]:
    """Return (panel, value, whose, number, share) of the three histograms."""
    rows: list[HistogramRow] = []
    for name, label in HISTOGRAMS.items():
        for whose, counts in (("this release", statistics[name]), ("published", PUBLISHED[name])):
            total = sum(counts.values())
            rows += [(label, value, whose, number, number / total) for value, number in counts.items() if total]
    return rows
