"""A release's statistics, gathered row by row: what every release counts, and the figures of its task type.

An "annotation" of the released data is one that answered, as in the paper. Those that cleaning rules rejected and those
that say nothing fits are counted beside them. Annotators are people; simulated participants and their annotations are
counted beside them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.quality.agreement import Agreement, Interval, fleiss_kappa, krippendorff_alpha, percent_agreement
from annotation.quality.ratings import Ratings, Undefined
from annotation.quality.series import Label, SeriesOf, rows_of
from annotation.releasing.building import ACCEPT, CORRECT, FURTHER_STEPS, STEPS, Built
from annotation.releasing.recipe import TRUST
from annotation.task_types.cleaned import AnswerOutcome
from annotation.task_types.releases import ReleaseFacet
from kernel.values import Json

RELEASE_REPLICATES = 200  # of the intervals of agreement


class Statistics:
    """Collects counts. Takes as much memory as there are different people, and what the type's figures need."""

    def __init__(self, facet: ReleaseFacet, *, looks_at_trust: bool = False) -> None:
        self.facet, self.nothing_fits, self.figures = facet, facet.nothing_fits, facet.collect()
        steps = ["collected", *STEPS[1:]]
        if looks_at_trust:
            steps.insert(steps.index("workers") + 1, TRUST)
        self.steps: dict[str, Counter[str]] = {step: Counter() for step in steps}
        self.people: dict[str, set[str]] = {step: set() for step in self.steps}
        self.simulated: dict[str, set[str]] = {step: set() for step in self.steps}  # participants who are not people
        self.discarded: Counter[str] = Counter()
        self.released: Counter[str] = Counter()
        self.reviewed: Counter[str] = Counter()  # annotations of the release by reviewers' verdict
        self.annotators: set[str] = set()
        self.simulated_annotators: set[str] = set()
        self.licences: Counter[str] = Counter()
        self.names_from: Counter[str] = Counter()  # released instances by what their names came from, where known
        self.most_annotations = 0

    def add(self, built: Built) -> None:
        """Count one instance, kept or not."""
        self.discarded.update(discard.step for discard in built.discarded)
        for step, tally in built.tallies.items():
            count = self.steps[step]
            count["instances"] += step == "collected" or bool(tally.people or tally.simulated)
            count["answered"] += tally.answered
            count["rejected"] += tally.rejected
            count[self.nothing_fits] += tally.nothing_fits
            count["by_simulated"] += tally.by_simulated
            self.people[step] |= tally.people
            self.simulated[step] |= tally.simulated
        if built.row is not None:
            self.names_from.update(filter(None, [built.names_from]))
            self.add_row(built.row)

    def add_row(self, row: Mapping[str, Any]) -> None:
        self.figures.add_row(row)
        self.released["instances"] += 1
        self.most_annotations = max(self.most_annotations, len(row["annotations"]))
        self.licences.update(
            background["licence"] or "unknown" for background in row.get("backgrounds", ()) if background
        )
        for annotation in row["annotations"]:
            is_simulated, outcome = annotation.get("simulated", False), self.facet.outcome(annotation)
            answered = outcome == AnswerOutcome.ANSWERED
            (self.simulated_annotators if is_simulated else self.annotators).add(annotation["annotator"])
            rejected = "rejected" if outcome == AnswerOutcome.REJECTED else self.nothing_fits
            self.released["annotations" if answered else rejected] += 1
            self.released["simulated_annotations"] += is_simulated and answered
            self.released["two_answers"] += len(annotation.get("cleaned", ())) > 1
            verdict = annotation.get("verdict", "")
            skipped = verdict == CORRECT and outcome == AnswerOutcome.SKIPPED
            self.reviewed[self.nothing_fits if skipped else verdict] += 1

    def to_json(self) -> dict[str, Json]:
        collected = self.steps["collected"]
        return {
            "collected": {
                "instances": collected["instances"],
                "annotators": len(self.people["collected"]),
                "annotations": collected["answered"] + collected[self.nothing_fits],
                "simulated_annotators": len(self.simulated["collected"]),
                "simulated_annotations": collected["by_simulated"],
            },
            "released": {
                "instances": self.released["instances"],
                "annotators": len(self.annotators),
                "annotations": self.released["annotations"],
                "rejected": self.released["rejected"],
                self.nothing_fits: self.released[self.nothing_fits],
                **({"two_answers": self.released["two_answers"]} if self.facet.schema < 3 else {}),
                "simulated_annotators": len(self.simulated_annotators),
                "simulated_annotations": self.released["simulated_annotations"],
            },
            "reviewed": {verdict: self.reviewed[verdict] for verdict in (ACCEPT, CORRECT, self.nothing_fits)},
            "funnel": [self._step(step) for step in self.steps],
            **self.figures.to_json(),
            **({"names_from": dict(sorted(self.names_from.items()))} if self.names_from else {}),
            "most_annotations": self.most_annotations,
            "licences": {name: self.licences[name] for name in sorted(self.licences)},
            "discarded": {name: self.discarded[name] for name in (*STEPS, *self._further())},
        }

    def _further(self) -> Sequence[str]:
        return [step for step in FURTHER_STEPS if self.discarded[step]]

    def _step(self, step: str) -> Json:
        names = ("instances", "answered", "rejected", self.nothing_fits)
        counts: dict[str, Json] = {name: self.steps[step][name] for name in names}
        return {"step": step, "annotators": len(self.people[step]), "simulated": len(self.simulated[step]), **counts}


class Judgements:
    """Collects a label for each annotation, a few bytes each, to measure how far the people behind a release agree.

    Measured before the last step, which keeps instances that most people answered: among those alone hardly anybody
    could agree that nothing fits, and every measure would fall below chance.
    """

    def __init__(self, measured: str, scales: Sequence[SeriesOf] = ()) -> None:
        self.measured = measured  # what the labels say, in a few words
        self.scales = scales  # the parts that are measured instead, each by its scale
        self.rows: list[tuple[str, str, str]] = []
        self.series: dict[str, list[tuple[str, str, Label]]] = {scale.part: [] for scale in scales}
        self.instances = 0

    def add(self, built: Built) -> None:
        key = str(self.instances)
        self.instances += 1
        if not self.scales:
            self.rows += [(key, worker, label) for worker, label in built.labels]
        for worker, labels in built.parts:
            for part, own in labels.items():
                self.series[part] += rows_of(key, worker, own)

    def to_json(self) -> list[Json]:
        if self.scales:
            parts = [
                (scale.part, scale.measures(self.series[scale.part], replicates=RELEASE_REPLICATES))
                for scale in self.scales
            ]
            return [self._as_json(measure, of=part) for part, measures in parts for measure in measures]
        ratings = Ratings.of(self.rows)
        measures = (krippendorff_alpha, fleiss_kappa, percent_agreement)
        return [
            self._as_json(measure(ratings, replicates=RELEASE_REPLICATES), of=self.measured) for measure in measures
        ]

    def _as_json(self, agreement: Agreement, *, of: str) -> Json:
        value, interval = agreement.value, agreement.interval
        return {
            "measure": agreement.measure,
            "of": of,
            "value": None if isinstance(value, Undefined) else round(value, 4),
            "why": value.reason if isinstance(value, Undefined) else "",
            "low": round(interval.low, 4) if isinstance(interval, Interval) else None,
            "high": round(interval.high, 4) if isinstance(interval, Interval) else None,
            "over": agreement.over,
            "instances": agreement.items,
            "judgements": agreement.judgements,
        }
