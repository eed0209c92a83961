"""Agreement in a whole campaign as one JSON value: overall, by category, by worker, by day, with gold and consensus.

A number that cannot be computed is null and has its reason beside it. The same answers and seed give the same value.
Reports are stored, so their keys never change; `AnswerWords` has those that a task type names.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from annotation.quality.agreement import (
    Agreement,
    HitRate,
    Interval,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)
from annotation.quality.consensus import Consensus, dawid_skene, majority
from annotation.quality.pairs import cohen, worker_agreement
from annotation.quality.ratings import Ratings, Undefined
from annotation.quality.units import UnitAgreement, mean_over, unit_agreement
from annotation.task_types.comparing import AnswerWords, Comparable
from kernel.vectors.base import WordVectors

CATEGORY_REPLICATES = 300
MOST_CATEGORIES, OTHERS = 30, "others"  # measured by themselves: texts may come from thousands of sources
UNSURE = 0.9  # consensus labels less certain than this are counted
RELIABLE, TENTATIVE = 0.8, 0.667  # Krippendorff's own limits

JsonValue = dict[str, Any]


@dataclass(frozen=True)
class Judged:
    """One person's answer to one item: its label, and its units after cleaning."""

    item: str
    worker: str
    category: str
    day: date
    label: str
    units: tuple[str, ...]


def measure(
    rows: Sequence[Judged],
    type_: Comparable,
    gold: Iterable[tuple[str, bool]] = (),
    *,
    vectors: WordVectors | None = None,
    seed: int = 0,
) -> JsonValue:
    """Return everything the agreement page shows; `gold` are (worker, is a hit) for items whose answer is known."""
    ratings, words = _ratings(rows), type_.answer_words
    answers = ((row.item, row.worker, row.units) for row in rows)
    units = unit_agreement(answers, type_, vectors=vectors, seed=seed)
    rates, model = _hit_rates(gold), dawid_skene(ratings)
    everybody = HitRate(sum(rate.hits for rate in rates.values()), sum(rate.answered for rate in rates.values()))
    return {
        "instances": len(ratings.items),
        "judgements": len(ratings),
        "workers": len(ratings.workers),
        "answered": sum(bool(row.units) for row in rows),
        "labels": [
            as_json(measured(ratings, seed=seed))
            for measured in (krippendorff_alpha, fleiss_kappa, cohen, percent_agreement)
        ],
        words.units: [as_json(agreement) for agreement in units.overall],
        "by_instance": _by_item(rows, units, words),
        "types": _by_category(rows, units, words, seed),
        "people": _by_worker(rows, ratings, units, words, (rates, model.accuracy)),
        "days": _by_day(rows, ratings, units, words),
        "gold": _hits(everybody) if rates else None,
        "consensus": _consensus(model, majority(ratings), words),
    }


def in_words(alpha: Mapping[str, Any], words: AnswerWords) -> str:
    """Return what alpha over the labels means, in one sentence for somebody who has never heard of it."""
    value, low = alpha["value"], alpha["low"]
    if value is None:
        return str(alpha["why"])
    if alpha["high"] is not None and alpha["high"] < 0:
        return f"This is worse than chance: {words.opposed}."
    if low is not None and low <= 0:
        return f"This may be chance alone: people do not agree on {words.where}."
    if value >= RELIABLE:
        return f"People agree on {words.where}: you can draw conclusions from it."
    if value >= TENTATIVE:
        return f"People mostly agree on {words.where}: good enough for tentative conclusions."
    return (
        f"People agree more than by chance on {words.where}, but not reliably: several answers for each "
        "instance, and a review, are needed."
    )


def as_json(agreement: Agreement) -> JsonValue:
    """Return a measure as JSON; a value or interval that cannot be computed is null, with its reason."""
    value, interval = agreement.value, agreement.interval
    return {
        "measure": agreement.measure,
        "value": None if isinstance(value, Undefined) else value,
        "why": value.reason if isinstance(value, Undefined) else "",
        "low": interval.low if isinstance(interval, Interval) else None,
        "high": interval.high if isinstance(interval, Interval) else None,
        "no_interval": interval.reason if isinstance(interval, Undefined) else "",
        "items": agreement.items,
        "judgements": agreement.judgements,
        "note": agreement.note,
    }


def _ratings(rows: Iterable[Judged]) -> Ratings:
    return Ratings.of((row.item, row.worker, row.label) for row in rows)


def _number(value: float | Undefined) -> tuple[float | None, str]:
    return (None, value.reason) if isinstance(value, Undefined) else (value, "")


def _hit_rates(gold: Iterable[tuple[str, bool]]) -> dict[str, HitRate]:
    hits: dict[str, list[bool]] = defaultdict(list)
    for worker, is_hit in gold:
        hits[worker].append(is_hit)
    return {worker: HitRate(sum(answers), len(answers)) for worker, answers in hits.items()}


def _hits(rate: HitRate | None) -> JsonValue | None:
    if rate is None:
        return None
    return {**vars(rate), "share": rate.share, **vars(rate.interval)}


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
        value |= {words.units: len(item.clusters) if item else 0, "usual": item.clusters[0].unit if item else ""}
        value |= {name: _number(item.means[name])[0] if item else None for name in units.measures}
        values.append(value)

    def agreement(value: JsonValue) -> tuple[Any, ...]:
        is_unknown = value[words.same_group] is None
        return (is_unknown, *(value[name] or 0.0 for name in units.measures), value["instance"])

    return sorted(values, key=agreement)


def _by_category(rows: Sequence[Judged], units: UnitAgreement, words: AnswerWords, seed: int) -> list[JsonValue]:
    values = []
    for category, members in sorted(_in_categories(rows).items()):
        ratings = _ratings(members)
        keys = {row.item for row in members}
        answered = [item for item in units.items if item.item in keys]
        alpha = krippendorff_alpha(ratings, seed=seed, replicates=CATEGORY_REPLICATES)
        same = mean_over(words.same_group, answered, words, seed=seed, replicates=CATEGORY_REPLICATES)
        value = {"type": category, "instances": len(ratings.items), "alpha": as_json(alpha), "same": as_json(same)}
        values.append(value)
    return values


def _in_categories(rows: Sequence[Judged]) -> dict[str, list[Judged]]:
    """Return the rows of each of the largest categories, and those of all others together."""
    items = Counter({row.item: row.category for row in rows}.values())
    largest = set(sorted(items, key=lambda category: (-items[category], category))[:MOST_CATEGORIES])
    categories: dict[str, list[Judged]] = defaultdict(list)
    for row in rows:
        categories[row.category if row.category in largest else OTHERS].append(row)
    return categories


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
        share, why = _number(against[worker].share)
        kappa, why_kappa = _number(against[worker].kappa)
        same, why_same = _number(units.workers.get(worker, {}).get(words.same_group, gave_none))
        values.append(
            {
                "worker": worker, "answers": done[worker], "none": none[worker], "share": share, "why_share": why,
                "kappa": kappa, "why_kappa": why_kappa, "same": same, "why_same": why_same,
                "accuracy": accuracy[worker], "gold": _hits(rates.get(worker)),
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
        if not isinstance(value := measured.means[words.same_group], Undefined):
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
