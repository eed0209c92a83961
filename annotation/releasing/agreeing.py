"""How far the people behind a release agreed: answered or not, by the measures of `annotation.quality`.

Measured before the last step, which keeps instances that most people answered: among those alone hardly anybody could
agree that there is no phrase, and every measure would fall below chance.
"""

from __future__ import annotations

from annotation.quality.agreement import Agreement, Interval, fleiss_kappa, krippendorff_alpha, percent_agreement
from annotation.quality.ratings import Ratings, Undefined
from annotation.releasing.building import Built
from tesa_site.kernel.values import Json

REPLICATES = 200


class Judgements:
    """Who answered and who found nothing, a few bytes for each."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str]] = []
        self.instances = 0

    def add(self, built: Built) -> None:
        key = str(self.instances)
        self.instances += 1
        self.rows += [(key, worker, "answered" if answered else "none") for worker, answered in built.judged]

    def to_json(self) -> list[Json]:
        ratings = Ratings.of(self.rows)
        measures = (krippendorff_alpha, fleiss_kappa, percent_agreement)
        return [_told(measure(ratings, replicates=REPLICATES)) for measure in measures]


def _told(found: Agreement) -> Json:
    value, interval = found.value, found.interval
    return {
        "measure": found.measure,
        "of": "answered or not aggregatable, before instances are left out",
        "value": None if isinstance(value, Undefined) else round(value, 4),
        "why": value.reason if isinstance(value, Undefined) else "",
        "low": round(interval.low, 4) if isinstance(interval, Interval) else None,
        "high": round(interval.high, 4) if isinstance(interval, Interval) else None,
        "over": found.over,
        "instances": found.items,
        "judgements": found.judgements,
    }
