"""Agreement of a whole campaign as one JSON value: overall, by type, by worker, by day, with gold and consensus.

What cannot be computed carries its reason in place of a number. The same answers and the same seed give the same value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from annotation.quality.agreement import (
    Agreement,
    Interval,
    bootstrap,
    fleiss_kappa,
    krippendorff_alpha,
    mean_of,
    percent_agreement,
)
from annotation.quality.consensus import Consensus, dawid_skene, majority
from annotation.quality.free_text import MEASURES, FreeText, Vectors, free_text_agreement
from annotation.quality.gold import HitRate
from annotation.quality.pairs import mean_kappa, worker_agreement, worker_pairs
from annotation.quality.ratings import Ratings, Undefined

ANSWERED, NONE = "answered", "not aggregatable"
SAME = MEASURES[0]
TYPE_REPLICATES = 300
UNSURE = 0.9  # a consensus below this is pointed out
RELIABLE, TENTATIVE = 0.8, 0.667  # Krippendorff's own limits

Value = dict[str, Any]


@dataclass(frozen=True)
class Judged:
    """One person's cleaned answer to one instance; no phrase: "not aggregatable"."""

    instance: str
    worker: str
    type: str
    day: date
    phrases: tuple[str, ...]


def measure(
    rows: Sequence[Judged],
    gold: Iterable[tuple[str, bool]] = (),
    *,
    vectors: Vectors | None = None,
    seed: int = 0,
) -> Value:
    """Return everything the agreement page shows; `gold` are (worker, hit) of instances whose answer is known."""
    ratings = Ratings.of((row.instance, row.worker, ANSWERED if row.phrases else NONE) for row in rows)
    given = ((row.instance, row.worker, row.phrases) for row in rows)
    free = free_text_agreement(given, vectors=vectors, seed=seed)
    rates, model = _rates(gold), dawid_skene(ratings)
    return {
        "instances": len(ratings.items),
        "judgements": len(ratings),
        "workers": len(ratings.workers),
        "answered": sum(bool(row.phrases) for row in rows),
        "labels": [
            told(krippendorff_alpha(ratings, seed=seed)),
            told(fleiss_kappa(ratings, seed=seed)),
            told(cohen(ratings, seed=seed)),
            told(percent_agreement(ratings, seed=seed)),
        ],
        "phrases": [told(one) for one in free.overall],
        "by_instance": _by_instance(rows, free),
        "types": _by_type(rows, free, seed),
        "people": _by_worker(rows, ratings, free, rates, model.accuracy),
        "days": _by_day(rows, ratings, free),
        "gold": _hits(HitRate(sum(r.hits for r in rates.values()), sum(r.answered for r in rates.values())))
        if rates
        else None,
        "consensus": _consensus(model, majority(ratings)),
    }


def cohen(ratings: Ratings, *, seed: int = 0, replicates: int = 1000) -> Agreement:
    """Return the mean of Cohen's kappa over every two workers with items in common; its interval is over the pairs."""
    import numpy as np

    pairs = worker_pairs(ratings)
    kappas = np.array([pair.kappa for pair in pairs if not isinstance(pair.kappa, Undefined)], dtype=float)
    value = mean_kappa(pairs)
    left = len(pairs) - len(kappas)
    note = f"{left} of {len(pairs)} pairs of workers left out: they gave one label only." if left else ""
    interval: Interval | Undefined = Undefined("An interval needs at least two pairs of workers.")
    if len(kappas) > 1:
        interval = bootstrap(mean_of(kappas), len(kappas), seed=seed, replicates=replicates)
    return Agreement("Cohen's kappa, mean over pairs", value, interval, len(kappas), len(ratings), note)


def in_words(lead: Mapping[str, Any]) -> str:
    """Return what alpha over "answered or not" says, in one sentence for somebody who has never heard of it."""
    value, low = lead["value"], lead["low"]
    if value is None:
        return str(lead["why"])
    if lead["high"] is not None and lead["high"] < 0:
        return "This is worse than chance: where some people find a phrase, others find none."
    if low is not None and low <= 0:
        return "This cannot be told from chance: people do not agree on where a phrase can be found."
    if value >= RELIABLE:
        return "People agree on where a phrase can be found: conclusions can rest on it."
    if value >= TENTATIVE:
        return "People mostly agree on where a phrase can be found: good enough for tentative conclusions."
    return (
        "People agree more than by chance on where a phrase can be found, but not reliably: several answers for each "
        "instance, and a review, are needed."
    )


def told(one: Agreement) -> Value:
    """Return a measure as JSON: what cannot be computed carries its reason in place of a number."""
    value, interval = one.value, one.interval
    known = isinstance(interval, Interval)
    return {
        "measure": one.measure,
        "value": None if isinstance(value, Undefined) else value,
        "why": value.reason if isinstance(value, Undefined) else "",
        "low": interval.low if isinstance(interval, Interval) else None,
        "high": interval.high if isinstance(interval, Interval) else None,
        "no_interval": "" if known or not isinstance(interval, Undefined) else interval.reason,
        "items": one.items,
        "judgements": one.judgements,
        "note": one.note,
    }


def _number(value: float | Undefined) -> tuple[float | None, str]:
    return (None, value.reason) if isinstance(value, Undefined) else (value, "")


def _rates(gold: Iterable[tuple[str, bool]]) -> dict[str, HitRate]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for worker, hit in gold:
        counts[worker][0] += hit
        counts[worker][1] += 1
    return {worker: HitRate(hits, answered) for worker, (hits, answered) in counts.items()}


def _hits(rate: HitRate | None) -> Value | None:
    if rate is None:
        return None
    interval = rate.interval
    told = {"hits": rate.hits, "answered": rate.answered, "share": rate.share}
    return {**told, "low": interval.low, "high": interval.high}


def _by_instance(rows: Sequence[Judged], free: FreeText) -> list[Value]:
    """Return each instance, those first where people agree least on the phrase; who gave none are only counted."""
    types = {row.instance: row.type for row in rows}
    answers = Counter(row.instance for row in rows)
    none = Counter(row.instance for row in rows if not row.phrases)
    known = {one.instance: one for one in free.instances}
    found = []
    for key in types:
        told: Value = {"instance": key, "type": types[key], "answers": answers[key], "none": none[key]}
        one = known.get(key)
        told |= {"phrases": len(one.clusters), "usual": one.clusters[0].phrase} if one else {"phrases": 0, "usual": ""}
        told |= {name: None if one is None else _number(one.means[name])[0] for name in free.measures}
        found.append(told)

    def agreement(told: Value) -> tuple[Any, ...]:
        return (told[SAME] is None, *(told[name] or 0.0 for name in free.measures), told["instance"])

    return sorted(found, key=agreement)


def _by_type(rows: Sequence[Judged], free: FreeText, seed: int) -> list[Value]:
    found = []
    for type_ in sorted({row.type for row in rows}):
        mine = [row for row in rows if row.type == type_]
        ratings = Ratings.of((row.instance, row.worker, ANSWERED if row.phrases else NONE) for row in mine)
        alpha = krippendorff_alpha(ratings, seed=seed, replicates=TYPE_REPLICATES)
        same = _same_cluster(free, {row.instance for row in mine}, seed)
        found.append({"type": type_, "instances": len(ratings.items), "alpha": told(alpha), "same": told(same)})
    return found


def _same_cluster(free: FreeText, instances: set[str], seed: int) -> Agreement:
    import numpy as np

    values = [v for i in free.instances if i.instance in instances and not isinstance(v := i.means[SAME], Undefined)]
    if not values:
        nothing = Undefined("Fewer than two people gave a phrase.")
        return Agreement(SAME, nothing, nothing, 0, 0)
    array = np.array(values, dtype=float)
    interval = bootstrap(mean_of(array), len(array), seed=seed, replicates=TYPE_REPLICATES)
    return Agreement(SAME, float(array.mean()), interval, len(array), 0)


def _by_worker(
    rows: Sequence[Judged],
    ratings: Ratings,
    free: FreeText,
    rates: Mapping[str, HitRate],
    accuracy: Mapping[str, float],
) -> list[Value]:
    against = worker_agreement(ratings)
    none: dict[str, int] = defaultdict(int)
    done: dict[str, int] = defaultdict(int)
    for row in rows:
        done[row.worker] += 1
        none[row.worker] += not row.phrases
    alone = Undefined("Gave no phrase.")
    found = []
    for worker in ratings.workers:
        share, why = _number(against[worker].share)
        kappa, why_kappa = _number(against[worker].kappa)
        same, why_same = _number(free.workers.get(worker, {}).get(SAME, alone))
        found.append(
            {
                "worker": worker, "answers": done[worker], "none": none[worker], "share": share, "why_share": why,
                "kappa": kappa, "why_kappa": why_kappa, "same": same, "why_same": why_same,
                "accuracy": accuracy[worker], "gold": _hits(rates.get(worker)),
            }
        )  # fmt: skip
    return sorted(found, key=lambda one: (one["same"] is None, one["same"] or 0.0))


def _by_day(rows: Sequence[Judged], ratings: Ratings, free: FreeText) -> list[Value]:
    """Return each day's instances (that of their last answer): the shares of pairs of people who agree."""
    last: dict[str, date] = {}
    for row in rows:
        last[row.instance] = max(row.day, last.get(row.instance, row.day))
    instances = Counter(last.values())
    pairs: dict[date, list[int]] = defaultdict(lambda: [0, 0])
    for item, judged, agreeing in zip(
        ratings.items, ratings.judgements.tolist(), ratings.agreeing.tolist(), strict=True
    ):
        pairs[last[item]][0] += agreeing
        pairs[last[item]][1] += judged * (judged - 1)
    same: dict[date, list[float]] = defaultdict(list)
    for instance in free.instances:
        if not isinstance(value := instance.means[SAME], Undefined):
            same[last[instance.instance]].append(value)
    return [
        {
            "day": day.isoformat(),
            "instances": instances[day],
            "label_share": agree / all_pairs if all_pairs else None,
            "same": sum(same[day]) / len(same[day]) if same[day] else None,
        }
        for day, (agree, all_pairs) in sorted(pairs.items())
    ]


def _consensus(found: Consensus, votes: Mapping[str, frozenset[str]]) -> Value:
    """Return what Dawid and Skene's model makes of "answered or not", and where it overrules the majority."""
    return {
        "answered": sum(label == ANSWERED for label in found.labels.values()),
        "none": sum(label == NONE for label in found.labels.values()),
        "overruled": sum(label not in votes[item] for item, label in found.labels.items()),
        "unsure": sum(certainty < UNSURE for certainty in found.certainty.values()),
    }
