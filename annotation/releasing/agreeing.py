"""Agreement among the people behind a release, on the labels that the task type gives to their answers.

Measured before the last step, which keeps instances that most people answered: among those alone hardly anybody could
agree that nothing fits, and every measure would fall below chance.
"""

from __future__ import annotations

from annotation.quality.agreement import Agreement, Interval, fleiss_kappa, krippendorff_alpha, percent_agreement
from annotation.quality.ratings import Ratings, Undefined
from annotation.releasing.building import Built
from tesa_site.kernel.values import Json

REPLICATES = 200


class Judgements:
    """Collects a label for each annotation, a few bytes each."""

    def __init__(self, measured: str) -> None:
        self.measured = measured  # what the labels say, in a few words
        self.rows: list[tuple[str, str, str]] = []
        self.instances = 0

    def add(self, built: Built) -> None:
        key = str(self.instances)
        self.instances += 1
        self.rows += [(key, worker, label) for worker, label in built.labels]

    def to_json(self) -> list[Json]:
        ratings = Ratings.of(self.rows)
        measures = (krippendorff_alpha, fleiss_kappa, percent_agreement)
        return [self._as_json(measure(ratings, replicates=REPLICATES)) for measure in measures]

    def _as_json(self, agreement: Agreement) -> Json:
        value, interval = agreement.value, agreement.interval
        return {
            "measure": agreement.measure,
            "of": self.measured,
            "value": None if isinstance(value, Undefined) else round(value, 4),
            "why": value.reason if isinstance(value, Undefined) else "",
            "low": round(interval.low, 4) if isinstance(interval, Interval) else None,
            "high": round(interval.high, 4) if isinstance(interval, Interval) else None,
            "over": agreement.over,
            "instances": agreement.items,
            "judgements": agreement.judgements,
        }
