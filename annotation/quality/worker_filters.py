"""Evidence about workers: each filter looks at one worker's record and may raise a concern. A person decides.

Filters are data: a name, a sentence, thresholds, and a function of a frozen record. No filter excludes or rejects
anybody. Each explains its concern in plain words, so that a decision can be explained to the worker. The filters here
suit every task type; a type adds its own.

A filter that compares somebody with the others asks how likely chance alone is to make so large a difference
(`strength_among`): the less likely, the stronger the concern.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from statistics import median
from typing import TypeVar

from annotation.quality.agreement import HitRate
from annotation.quality.chance import at_least_by_chance
from annotation.quality.habits import AnswerPattern, HabitCounts, count_habits
from annotation.quality.thresholds import is_same
from kernel.values import counted

STRONG_BELOW, WEAK_BELOW = (
    0.001,
    0.05,
)  # p of a difference from the others: 100 careful people raise 0.1 strong concerns
AnyAnswer = TypeVar("AnyAnswer")


class Strength(StrEnum):
    """How much a concern should weigh. Values are stored: never rename one."""

    STRONG = "strong"  # look at this worker first
    WEAK = "weak"  # a hint among others


@dataclass(frozen=True)
class Work:
    """One submitted assignment."""

    units: tuple[str, ...]  # of the cleaned answer
    context: str = ""  # the passage
    active_seconds: float | None = None  # None without consent to measuring
    agrees: float | None = None  # share of the others who say the same; None if nobody else answered
    patterns: Mapping[str, AnswerPattern] = field(default_factory=dict)  # of each part of the answer


@dataclass(frozen=True)
class WorkerRecord:
    """Everything that one worker submitted in a campaign, and their rate of hits on gold tasks."""

    worker: str
    work: tuple[Work, ...]
    gold: HitRate | None = None


@dataclass(frozen=True)
class Usual:
    """What is usual among all workers of a campaign; a filter compares one record with it."""

    seconds_per_word: float | None = None  # median over assignments of active time per word of the passage
    empty: int = 0  # assignments whose answer has no units
    assignments: int = 0
    agreement: float | None = None  # median over workers of their agreement with the others
    speeds: Sequence[float] = ()  # active time per word of each measured assignment, in order
    shares: Sequence[float] = ()  # of each assignment that others answered too: the share who say the same, in order
    habits: HabitCounts = field(default_factory=HabitCounts)


@dataclass(frozen=True)
class Concern:
    """What one filter noticed about one worker, in a sentence and in numbers."""

    worker: str
    filter: str
    level: Strength
    evidence: str
    numbers: Mapping[str, float]


Evidence = tuple[Strength, str, dict[str, float]]
Thresholds = Mapping[str, float]


@dataclass(frozen=True)
class WorkerFilter:
    """A filter as data. Thresholds are named, so that a page can show and change them."""

    name: str
    about: str
    look: Callable[[WorkerRecord, Usual, Thresholds], Evidence | None]
    thresholds: Thresholds = field(default_factory=dict)
    limit: str = ""  # the thresholds in words, with their names in braces

    @property
    def limits(self) -> str:
        return self.limit.format(**self.thresholds)


def usual_among(records: Sequence[WorkerRecord]) -> Usual:
    """Return what is usual among the records: medians, so that a few odd workers do not move it."""
    work = [piece for record in records for piece in record.work]
    speeds = sorted(_speeds(work))
    agreement = [_mean(shares) for record in records if (shares := _shares(record.work))]
    return Usual(
        seconds_per_word=median(speeds) if speeds else None,
        empty=sum(not piece.units for piece in work),
        assignments=len(work),
        agreement=median(agreement) if agreement else None,
        speeds=speeds,
        shares=sorted(_shares(work)),
        habits=count_habits(piece.patterns for piece in work),
    )


def strength_among(hits: int, done: int, all_hits: int, all_done: int) -> tuple[Strength | None, float]:
    """Return how strongly `hits` in `done` assignments speak, of `all_hits` in `all_done` of everybody, and the p.

    None where the others' assignments have hits so often that the difference may well be chance.
    """
    p = at_least_by_chance(hits, done, all_hits, all_done)
    return strength_of(p), p


def strength_of(p: float) -> Strength | None:
    """Return how strongly a difference speaks that chance alone gives with this probability."""
    return Strength.STRONG if p < STRONG_BELOW else Strength.WEAK if p < WEAK_BELOW else None


def look_at_workers(
    records: Sequence[WorkerRecord],
    filters: Sequence[WorkerFilter],
    thresholds: Mapping[str, Thresholds] | None = None,
) -> tuple[Concern, ...]:
    """Return every filter's concerns, strong ones first, then by worker; `thresholds` overrides by filter name."""
    usual, changed = usual_among(records), thresholds or {}
    concerns = [
        Concern(record.worker, filter_.name, *evidence)
        for record in records
        for filter_ in filters
        if (evidence := filter_.look(record, usual, {**filter_.thresholds, **changed.get(filter_.name, {})}))
    ]
    return tuple(sorted(concerns, key=lambda concern: (concern.level != Strength.STRONG, concern.worker)))


def shares_agreeing(
    answers: Sequence[AnyAnswer], closeness: Callable[[AnyAnswer, AnyAnswer], float], threshold: float = 1.0
) -> list[float | None]:
    """Return for each answer to one task the share of the others that say the same; None for a single answer.

    Two answers say the same from this threshold of closeness on.
    """
    same = [0] * len(answers)
    for first, second in combinations(range(len(answers)), 2):
        if is_same(closeness(answers[first], answers[second]), threshold):
            same[first] += 1
            same[second] += 1
    return [number / (len(answers) - 1) if len(answers) > 1 else None for number in same]


def few_assignments(record: WorkerRecord, usual: Usual, at: Thresholds) -> Evidence | None:
    """Raise a concern about workers who did few assignments; the paper's limit is 5."""
    done = len(record.work)
    if not 0 < done < at["least"]:
        return None
    evidence = f"Gave {counted(done, 'answer')}; at least {at['least']:g} are expected."
    return Strength.WEAK, evidence, {"assignments": done}


def too_fast(record: WorkerRecord, usual: Usual, at: Thresholds) -> Evidence | None:
    """Compare the active time per word of the passage with the campaign's median."""
    speeds = _speeds(record.work)
    if len(speeds) < at["least"] or not usual.seconds_per_word:
        return None
    share, limit = median(speeds) / usual.seconds_per_word, at["share"] * usual.seconds_per_word
    if share >= at["share"]:
        return None
    strength, p = _strength_below(limit, speeds, usual.speeds)
    evidence = f"Takes {share:.0%} of the median time for a passage of the same length, over {len(speeds)} answers."
    return (strength, evidence, {"share": share, "assignments": len(speeds), "p": p}) if strength else None


def failed_gold(record: WorkerRecord, usual: Usual, at: Thresholds) -> Evidence | None:
    """Count hits on gold tasks; the concern is strong only if chance hardly explains so few."""
    gold = record.gold
    if gold is None or gold.answered < at["least"] or gold.share >= at["share"]:
        return None
    level = Strength.STRONG if gold.interval.high < at["share"] else Strength.WEAK
    evidence = f"Got {gold.hits} of {gold.answered} check tasks right; at least {at['share']:.0%} are expected."
    return level, evidence, {"hits": gold.hits, "answered": gold.answered, "share": gold.share}


def disagrees_with_everyone(record: WorkerRecord, usual: Usual, at: Thresholds) -> Evidence | None:
    """Compare the agreement with the others' answers with what is usual in the campaign."""
    shares = _shares(record.work)
    if not shares or len(shares) < at["least"] or not usual.agreement:
        return None
    share, limit = _mean(shares), at["share"] * usual.agreement
    if share >= limit:
        return None
    strength, p = _strength_below(limit, shares, usual.shares)
    evidence = (
        f"Agrees with {share:.0%} of the others' answers on {counted(len(shares), 'instance')}; "
        f"the median is {usual.agreement:.0%}."
    )
    numbers = {"share": share, "usual": usual.agreement, "instances": len(shares), "p": p}
    return (strength, evidence, numbers) if strength else None


FEW_ASSIGNMENTS = WorkerFilter(
    "few_assignments", "gave fewer answers than expected", few_assignments, {"least": 5}, "fewer than {least:g}"
)
TOO_FAST = WorkerFilter(
    "too_fast", "answers far faster than the others", too_fast, {"share": 0.3, "least": 3},
    "under {share:.0%} of the median time per word, from {least:g} answers on",
)  # fmt: skip
FAILED_GOLD = WorkerFilter(
    "failed_gold", "gets check tasks wrong", failed_gold, {"share": 0.5, "least": 2},
    "under {share:.0%} right, from {least:g} check tasks on",
)  # fmt: skip
DISAGREES_WITH_EVERYONE = WorkerFilter(
    "disagrees_with_everyone", "agrees with the others far less than most", disagrees_with_everyone,
    {"share": 0.25, "least": 5}, "under {share:.0%} of the median agreement, from {least:g} tasks on",
)  # fmt: skip


def _strength_below(limit: float, own: Sequence[float], everybody: Sequence[float]) -> tuple[Strength | None, float]:
    """Return how strongly the number of own values below the limit speaks; everybody's values are in order."""
    return strength_among(sum(value < limit for value in own), len(own), bisect_left(everybody, limit), len(everybody))


def _speeds(work: Sequence[Work]) -> list[float]:
    """Return the active time per word of the passage, where it was measured."""
    words = [(piece.active_seconds, len(piece.context.split())) for piece in work]
    return [seconds / length for seconds, length in words if seconds is not None and length]


def _shares(work: Sequence[Work]) -> list[float]:
    return [piece.agrees for piece in work if piece.agrees is not None]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
