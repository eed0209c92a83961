"""What every report of agreement is made of: its rows, and numbers as JSON and in words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from annotation.quality.agreement import Agreement, HitRate, Interval
from annotation.quality.habits import AnswerPattern
from annotation.quality.ratings import Undefined
from annotation.quality.series import Scale
from annotation.task_types.cleaned import CleanedAnswer
from annotation.task_types.comparing import AnswerWords

RELIABLE, TENTATIVE = 0.8, 0.667  # Krippendorff's own limits

MOST_CATEGORIES, OTHERS = 30, "others"  # measured by themselves: texts may come from thousands of sources

JsonValue = dict[str, Any]


@dataclass(frozen=True)
class Judged:
    """One person's answer to one item: its label, its units, and itself after cleaning."""

    item: str
    worker: str
    category: str
    day: date
    label: str
    units: tuple[str, ...]
    cleaned: CleanedAnswer = field(default_factory=CleanedAnswer)  # read for types that name scales
    patterns: Mapping[str, AnswerPattern] = field(default_factory=dict)  # of each part


def in_categories(rows: Sequence[Judged]) -> dict[str, list[Judged]]:
    """Return the rows of each of the largest categories, and those of all others together."""
    items = Counter({row.item: row.category for row in rows}.values())
    largest = set(sorted(items, key=lambda category: (-items[category], category))[:MOST_CATEGORIES])
    categories: dict[str, list[Judged]] = defaultdict(list)
    for row in rows:
        categories[row.category if row.category in largest else OTHERS].append(row)
    return categories


def in_words(alpha: Mapping[str, Any], words: AnswerWords) -> str:
    """Return what alpha over the labels means, in one sentence for somebody who has never heard of it."""
    return _meaning(alpha, words.where, words.opposed, "instance")


def leading(series: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the first part whose first measure is corrected for chance, given the parts as a report stores them."""
    return next((part for part in series if part["scale"] != Scale.TEXT), None)


def part_in_words(series: Mapping[str, Any]) -> str:
    """Return what the first measure of a part means, given the part as a report stores it."""
    first, unit = series["measures"][0], series["unit"]
    if series["scale"] == Scale.TEXT:
        return str(first["why"]) or f"How close two people’s texts about the same {unit} are, from 0 to 1."
    opposed = f"two people who judge the same {unit} agree less often than if they guessed"
    return _meaning(first, f"“{series['part']}”", opposed, unit)


def _meaning(alpha: Mapping[str, Any], where: str, opposed: str, unit: str) -> str:
    value, low = alpha["value"], alpha["low"]
    if value is None:
        return str(alpha["why"])
    if alpha["high"] is not None and alpha["high"] < 0:
        return f"This is worse than chance: {opposed}."
    if low is not None and low <= 0:
        return f"This may be chance alone: it is not clear whether people agree on {where}."
    if value >= RELIABLE:
        return f"People agree on {where}: you can draw conclusions from it."
    if value >= TENTATIVE:
        return f"People mostly agree on {where}: good enough for tentative conclusions."
    return (
        f"People agree more than by chance on {where}, but not reliably: several answers for each "
        f"{unit}, and a review, are needed."
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


def number(value: float | Undefined) -> tuple[float | None, str]:
    return (None, value.reason) if isinstance(value, Undefined) else (value, "")


def hit_rates(gold: Iterable[tuple[str, bool]]) -> dict[str, HitRate]:
    answers: dict[str, list[bool]] = defaultdict(list)
    for worker, is_hit in gold:
        answers[worker].append(is_hit)
    return {worker: HitRate(sum(right), len(right)) for worker, right in answers.items()}


def everybody(rates: Mapping[str, HitRate]) -> HitRate | None:
    """Return the hits of all workers together; None without any."""
    if not rates:
        return None
    return HitRate(sum(rate.hits for rate in rates.values()), sum(rate.answered for rate in rates.values()))


def hits(rate: HitRate | None) -> JsonValue | None:
    if rate is None:
        return None
    return {**vars(rate), "share": rate.share, **vars(rate.interval)}
