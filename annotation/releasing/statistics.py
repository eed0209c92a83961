"""Figures of a release as the paper's Table 2 gives them, gathered row by row.

An "annotation" of the released data is one that answered, as in the paper; those that found nothing are counted beside
them. Aggregations are counted with repetition (total) and as different phrases (unique). Annotators are people;
simulated participants and their annotations are counted beside them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from annotation.releasing.building import ACCEPT, CORRECT, NOT_AGGREGATABLE, STEPS, Built
from tesa_site.kernel.values import Json

TYPES = ("person", "location", "organization")
TOP = 15
KEPT_VERDICTS = (ACCEPT, CORRECT, NOT_AGGREGATABLE)

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


class Statistics:
    """Gathers; `to_json` tells. Takes as much memory as there are different phrases, tuples and people."""

    def __init__(self) -> None:
        self.steps: dict[str, Counter[str]] = {step: Counter() for step in ("collected", *STEPS[1:])}
        self.people: dict[str, set[str]] = {step: set() for step in self.steps}
        self.simulated: dict[str, set[str]] = {step: set() for step in self.steps}  # participants who are not people
        self.discarded: Counter[str] = Counter()
        self.released: Counter[str] = Counter()
        self.reviewed: Counter[str] = Counter()  # annotations of the release by reviewers' verdict
        self.annotators: set[str] = set()
        self.simulated_annotators: set[str] = set()
        self.tuples: dict[str, set[tuple[str, ...]]] = {type_: set() for type_ in TYPES}
        self.phrases: dict[str, Counter[str]] = {type_: Counter() for type_ in TYPES}
        self.instances: Counter[str] = Counter()
        self.golds_of: Counter[str] = Counter()
        self.sizes: Counter[int] = Counter()
        self.golds: Counter[int] = Counter()
        self.answers: Counter[int] = Counter()
        self.licences: Counter[str] = Counter()
        self.most_annotations = 0

    def add(self, built: Built) -> None:
        """Count one instance, kept or not."""
        self.discarded.update(one.step for one in built.discarded)
        for step, tally in built.tallies.items():
            count = self.steps[step]
            count["instances"] += step == "collected" or bool(tally.people or tally.simulated)
            count["answered"] += tally.answered
            count["not_aggregatable"] += tally.not_aggregatable
            count["by_simulated"] += tally.by_simulated
            self.people[step] |= tally.people
            self.simulated[step] |= tally.simulated
        if built.row is not None:
            self.add_row(built.row)

    def add_row(self, row: Mapping[str, Any]) -> None:
        type_, phrases = row["entity_type"], row["aggregations"]
        self.instances[type_] += 1
        self.tuples[type_].add(tuple(sorted(row["entities"])))
        self.sizes[len(row["entities"])] += 1
        self.golds[len(phrases)] += 1
        self.golds_of[type_] += len(phrases)
        self.answers[sum(one["support"] for one in phrases)] += 1
        for one in phrases:
            self.phrases[type_][one["phrase"]] += one["support"]
        self.most_annotations = max(self.most_annotations, len(row["annotations"]))
        self.licences.update(one["licence"] or "unknown" for one in row["backgrounds"] if one)
        for one in row["annotations"]:
            is_simulated = one.get("simulated", False)
            (self.simulated_annotators if is_simulated else self.annotators).add(one["annotator"])
            self.released["not_aggregatable" if one["not_aggregatable"] else "annotations"] += 1
            self.released["simulated_annotations"] += is_simulated and not one["not_aggregatable"]
            self.released["two_answers"] += len(one["cleaned"]) > 1
            self.reviewed[one.get("verdict", "")] += 1

    def to_json(self) -> dict[str, Json]:
        collected = self.steps["collected"]
        return {
            "collected": {
                "instances": collected["instances"],
                "annotators": len(self.people["collected"]),
                "annotations": collected["answered"] + collected["not_aggregatable"],
                "simulated_annotators": len(self.simulated["collected"]),
                "simulated_annotations": collected["by_simulated"],
            },
            "released": {
                "instances": self.instances.total(),
                "annotators": len(self.annotators),
                "annotations": self.released["annotations"],
                "not_aggregatable": self.released["not_aggregatable"],
                "two_answers": self.released["two_answers"],
                "simulated_annotators": len(self.simulated_annotators),
                "simulated_annotations": self.released["simulated_annotations"],
            },
            "reviewed": {verdict: self.reviewed[verdict] for verdict in KEPT_VERDICTS},
            "funnel": [self._step(step) for step in self.steps],
            "tuples": self._pairs({t: (self.instances[t], len(self.tuples[t])) for t in TYPES}, self._unique_tuples()),
            "aggregations": self._pairs(
                {t: (self.phrases[t].total(), len(self.phrases[t])) for t in TYPES}, len(self._all_phrases())
            ),
            "sizes": _histogram(self.sizes),
            "sizes_mean": _mean(self.sizes),
            "golds": _histogram(self.golds),
            "golds_mean": {
                "all": _mean(self.golds),
                **{t: _ratio(self.golds_of[t], self.instances[t]) for t in TYPES},
            },
            "answers": _histogram(self.answers),
            "answers_mean": _mean(self.answers),
            "most_annotations": self.most_annotations,
            "licences": {name: self.licences[name] for name in sorted(self.licences)},
            "top": self._top(),
            "discarded": {step: self.discarded[step] for step in STEPS},
        }

    def _step(self, step: str) -> Json:
        counts: dict[str, Json] = {n: self.steps[step][n] for n in ("instances", "answered", "not_aggregatable")}
        return {"step": step, "annotators": len(self.people[step]), "simulated": len(self.simulated[step]), **counts}

    def _top(self) -> Json:
        ranked = sorted(self._all_phrases().items(), key=lambda pair: (-pair[1], pair[0]))
        return [[phrase, number] for phrase, number in ranked[:TOP]]

    def _unique_tuples(self) -> int:
        return sum(len(some) for some in self.tuples.values())

    def _all_phrases(self) -> Counter[str]:
        return sum(self.phrases.values(), Counter())

    def _pairs(self, by_type: Mapping[str, tuple[int, int]], unique: int) -> Json:
        total = sum(pair[0] for pair in by_type.values())
        pairs = {"all": (total, unique), **by_type}
        return {name: {"total": pair[0], "unique": pair[1]} for name, pair in pairs.items()}


def _histogram(counts: Counter[int]) -> Json:
    return {str(value): counts[value] for value in sorted(counts)}


def _mean(counts: Counter[int]) -> float | None:
    return _ratio(sum(value * n for value, n in counts.items()), counts.total())


def _ratio(total: int, number: int) -> float | None:
    return round(total / number, 4) if number else None
