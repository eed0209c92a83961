"""How far people agreed in a release: answered or not, by the measures of `annotation.quality`."""

from __future__ import annotations

from annotation.quality.agreement import Agreement, Interval, fleiss_kappa, krippendorff_alpha, percent_agreement
from annotation.quality.ratings import Ratings, Undefined
from annotation.releasing.facts import ReleaseRow
from tesa_site.kernel.values import Json

REPLICATES = 200


class Judgements:
    """Who answered and who found nothing, a few bytes for each."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str]] = []

    def add(self, row: ReleaseRow) -> None:
        key = row["key"][:16]
        for one in row["annotations"]:
            self.rows.append((key, one["annotator"], "none" if one["not_aggregatable"] else "answered"))

    def to_json(self) -> list[Json]:
        ratings = Ratings.of(self.rows)
        measures = (krippendorff_alpha, fleiss_kappa, percent_agreement)
        return [_told(measure(ratings, replicates=REPLICATES)) for measure in measures]


def _told(found: Agreement) -> Json:
    value, interval = found.value, found.interval
    return {
        "measure": found.measure,
        "of": "answered or not aggregatable",
        "value": None if isinstance(value, Undefined) else round(value, 4),
        "why": value.reason if isinstance(value, Undefined) else "",
        "low": round(interval.low, 4) if isinstance(interval, Interval) else None,
        "high": round(interval.high, 4) if isinstance(interval, Interval) else None,
    }
