"""Agreement in a whole campaign as one JSON value: overall, by category, by worker, by day, with gold and consensus.

A number that cannot be computed is null and has its reason beside it. The same answers and seed give the same value.
Reports are stored, so their keys never change: `AnswerWords` has those that a task type names, and `REPORT_KEYS` the
others. A type that names scales has a report of its own (`series_report.py`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from annotation.quality.agreement import (
    HitRate,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)
from annotation.quality.consensus import Consensus, dawid_skene, majority
from annotation.quality.figures import JsonValue, Judged, as_json, everybody, hit_rates, hits, in_categories, number
from annotation.quality.pairs import cohen, worker_agreement
from annotation.quality.ratings import Ratings, Undefined
from annotation.quality.series_report import series_report
from annotation.quality.units import UnitAgreement, mean_over, unit_agreement
from annotation.task_types.comparing import AnswerWords, Comparable
from kernel.vectors.base import WordVectors

CATEGORY_REPLICATES = 300
UNSURE = 0.9  # consensus labels less certain than this are counted


def measure(
    rows: Sequence[Judged],
    type_: Comparable,
    gold: Iterable[tuple[str, bool]] = (),
    *,
    vectors: WordVectors | None = None,
    seed: int = 0,
) -> JsonValue:
    """Return everything the agreement page shows; `gold` are (worker, is a hit) for items whose answer is known."""
    if type_.scales:
        return series_report(rows, type_, gold, seed=seed)
    ratings, words = _ratings(rows), type_.answer_words
    answers = ((row.item, row.worker, row.units) for row in rows)
    units = unit_agreement(answers, type_, vectors=vectors, seed=seed)
    rates, model = hit_rates(gold), dawid_skene(ratings)
    return {
        "instances": len(ratings.items),
        "judgements": len(ratings),
        "workers": len(ratings.workers),
        "answered": sum(bool(row.units) for row in rows),
        "labels": [
            as_json(measured(ratings, seed=seed))
            for measured in (krippendorff_alpha, fleiss_kappa, cohen, percent_agreement)
        ],
        words.units_key: [as_json(agreement) for agreement in units.overall],
        "by_instance": _by_item(rows, units, words),
        "types": _by_category(rows, units, words, seed),
        "people": _by_worker(rows, ratings, units, words, (rates, model.accuracy)),
        "days": _by_day(rows, ratings, units, words),
        "gold": hits(everybody(rates)),
        "consensus": _consensus(model, majority(ratings), words),
    }


def _ratings(rows: Iterable[Judged]) -> Ratings:
    return Ratings.of((row.item, row.worker, row.label) for row in rows)


def _by_item(rows: Sequence[Judged], units: UnitAgreement, words: AnswerWords) -> list[JsonValue]:
    """Return each item, lowest agreement first; answers without units are only counted."""
    categories = {row.item: row.category for row in rows}
    answers = Counter(row.item for row in rows)
    none = Counter(row.item for row in rows if not row.units)
    known = {item.item: item for item in units.items}
    values = []
    for key in categories:
        value: JsonValue = {"instance": key, "type": categories[key], "answers": answers[key], "none": none[key]}
        item = known.get(key)
        value |= {words.units_key: len(item.clusters) if item else 0, "usual": item.clusters[0].unit if item else ""}
        value |= {name: number(item.means[name])[0] if item else None for name in units.measures}
        values.append(value)

    def agreement(value: JsonValue) -> tuple[Any, ...]:
        is_unknown = value[words.same_key] is None
        return (is_unknown, *(value[name] or 0.0 for name in units.measures), value["instance"])

    return sorted(values, key=agreement)


def _by_category(rows: Sequence[Judged], units: UnitAgreement, words: AnswerWords, seed: int) -> list[JsonValue]:
    values = []
    for category, members in sorted(in_categories(rows).items()):
        ratings = _ratings(members)
        keys = {row.item for row in members}
        answered = [item for item in units.items if item.item in keys]
        alpha = krippendorff_alpha(ratings, seed=seed, replicates=CATEGORY_REPLICATES)
        same = mean_over(words.same_key, answered, words, seed=seed, replicates=CATEGORY_REPLICATES)
        value = {"type": category, "instances": len(ratings.items), "alpha": as_json(alpha), "same": as_json(same)}
        values.append(value)
    return values


def _by_worker(
    rows: Sequence[Judged],
    ratings: Ratings,
    units: UnitAgreement,
    words: AnswerWords,
    known: tuple[Mapping[str, HitRate], Mapping[str, float]],
) -> list[JsonValue]:
    """Return each worker against the others; `known` are their hit rates on gold and the consensus model's trust."""
    against, (rates, accuracy) = worker_agreement(ratings), known
    done = Counter(row.worker for row in rows)
    none = Counter(row.worker for row in rows if not row.units)
    gave_none = Undefined(f"Gave {words.no_unit}.")
    values = []
    for worker in ratings.workers:
        share, why = number(against[worker].share)
        kappa, why_kappa = number(against[worker].kappa)
        same, why_same = number(units.workers.get(worker, {}).get(words.same_key, gave_none))
        values.append(
            {
                "worker": worker, "answers": done[worker], "none": none[worker], "share": share, "why_share": why,
                "kappa": kappa, "why_kappa": why_kappa, "same": same, "why_same": why_same,
                "accuracy": accuracy[worker], "gold": hits(rates.get(worker)),
            }
        )  # fmt: skip
    return sorted(values, key=lambda value: (value["same"] is None, value["same"] or 0.0))


def _by_day(rows: Sequence[Judged], ratings: Ratings, units: UnitAgreement, words: AnswerWords) -> list[JsonValue]:
    """Return for each day the share of pairs of people who agree; an item belongs to the day of its last answer."""
    last: dict[str, date] = {}
    for row in rows:
        last[row.item] = max(row.day, last.get(row.item, row.day))
    items = Counter(last.values())
    pairs: dict[date, list[int]] = defaultdict(lambda: [0, 0])
    for item, judged, agreeing in zip(
        ratings.items, ratings.judgements.tolist(), ratings.agreeing.tolist(), strict=True
    ):
        pairs[last[item]][0] += agreeing
        pairs[last[item]][1] += judged * (judged - 1)
    same: dict[date, list[float]] = defaultdict(list)
    for measured in units.items:
        if not isinstance(value := measured.means[words.same_key], Undefined):
            same[last[measured.item]].append(value)
    return [
        {
            "day": day.isoformat(),
            "instances": items[day],
            "label_share": agree / all_pairs if all_pairs else None,
            "same": sum(same[day]) / len(same[day]) if same[day] else None,
        }
        for day, (agree, all_pairs) in sorted(pairs.items())
    ]


def _consensus(model: Consensus, votes: Mapping[str, frozenset[str]], words: AnswerWords) -> JsonValue:
    """Return how Dawid and Skene's model labels the items, and how often it overrules the majority."""
    none = sum(label == words.nothing_fits for label in model.labels.values())
    return {
        "answered": len(model.labels) - none,
        "none": none,
        "overruled": sum(label not in votes[item] for item, label in model.labels.items()),
        "unsure": sum(certainty < UNSURE for certainty in model.certainty.values()),
    }
