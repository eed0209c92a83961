"""Evidence about workers: each filter looks at one record and says what it saw. A filter proposes, a person decides.

Filters are data: a name, a sentence, thresholds, and a function of a frozen record. None of them excludes or rejects
anybody, and each says in plain words why it speaks, so that the decision can be explained to the worker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median

from annotation.quality.gold import HitRate
from annotation.task_types.aggregation.cleaning.predicates import words
from annotation.task_types.aggregation.cleaning.variants import variant_key
from tesa_site.kernel.values import counted


class Concern(StrEnum):
    """How much a verdict should weigh. Values are stored: never rename one."""

    STRONG = "strong"  # look at this worker first
    WEAK = "weak"  # a hint among others


@dataclass(frozen=True)
class Work:
    """One submitted assignment: its cleaned phrases (none = "impossible"), the passage, and the active time."""

    phrases: tuple[str, ...]
    context: str = ""
    active_seconds: float | None = None  # None without consent to measuring
    agrees: float | None = None  # share of the others' answers it agrees with; None when nobody else answered


@dataclass(frozen=True)
class WorkerRecord:
    """All that one worker submitted in a campaign, and the gold among it."""

    worker: str
    work: tuple[Work, ...]
    gold: HitRate | None = None


@dataclass(frozen=True)
class Campaign:
    """What is usual among all workers of the campaign; a filter compares one record with it."""

    seconds_per_word: float | None = None  # median over assignments of active time by words of the passage
    impossible: int = 0  # assignments without a phrase
    assignments: int = 0
    agreement: float | None = None  # median over workers of how far they agree with the others


@dataclass(frozen=True)
class Verdict:
    """What one filter saw in one worker, in a sentence and in numbers."""

    worker: str
    filter: str
    level: Concern
    evidence: str
    numbers: Mapping[str, float]


Seen = tuple[Concern, str, dict[str, float]]


@dataclass(frozen=True)
class WorkerFilter:
    """A filter as data; thresholds are named, so that a page can show and change them."""

    name: str
    about: str
    look: Callable[[WorkerRecord, Campaign, Mapping[str, float]], Seen | None]
    thresholds: Mapping[str, float] = field(default_factory=dict)
    limit: str = ""  # the thresholds in words, with their names in braces

    @property
    def limits(self) -> str:
        return self.limit.format(**self.thresholds)


def usual(records: Iterable[WorkerRecord]) -> Campaign:
    """Return what is usual among the records; medians, so that a few odd workers do not move it."""
    everybody = tuple(records)
    work = [piece for record in everybody for piece in record.work]
    speeds = [speed for piece in work if (speed := _speed(piece)) is not None]
    agreement = [share for record in everybody if (share := _agreement(record)[0]) is not None]
    return Campaign(
        seconds_per_word=median(speeds) if speeds else None,
        impossible=sum(not piece.phrases for piece in work),
        assignments=len(work),
        agreement=median(agreement) if agreement else None,
    )


def look_at_workers(
    records: Sequence[WorkerRecord],
    filters: Sequence[WorkerFilter] | None = None,
    thresholds: Mapping[str, Mapping[str, float]] | None = None,
) -> tuple[Verdict, ...]:
    """Return every filter's verdicts, strong ones first, then by worker; `thresholds` overrides by filter name."""
    campaign = usual(records)
    verdicts = []
    for record in records:
        for one in FILTERS if filters is None else filters:
            seen = one.look(record, campaign, {**one.thresholds, **(thresholds or {}).get(one.name, {})})
            if seen is not None:
                verdicts.append(Verdict(record.worker, one.name, *seen))
    return tuple(sorted(verdicts, key=lambda verdict: (verdict.level != Concern.STRONG, verdict.worker)))


def few_assignments(record: WorkerRecord, campaign: Campaign, at: Mapping[str, float]) -> Seen | None:
    """The paper's: workers who did fewer than 5."""
    done = len(record.work)
    if not 0 < done < at["least"]:
        return None
    return Concern.WEAK, f"Did {done} of at least {at['least']:g} assignments.", {"assignments": done}


def too_fast(record: WorkerRecord, campaign: Campaign, at: Mapping[str, float]) -> Seen | None:
    """Active time for each word of the passage, far below the campaign's median."""
    speeds = [speed for piece in record.work if (speed := _speed(piece)) is not None]
    if len(speeds) < at["least"] or not campaign.seconds_per_word:
        return None
    share = median(speeds) / campaign.seconds_per_word
    if share >= at["share"]:
        return None
    evidence = f"Takes {share:.0%} of the usual time for a passage of the same length, over {len(speeds)} assignments."
    return Concern.STRONG, evidence, {"share": share, "assignments": len(speeds)}


def failed_gold(record: WorkerRecord, campaign: Campaign, at: Mapping[str, float]) -> Seen | None:
    """Fewer hits on known instances than asked for; strong only when chance hardly explains it."""
    gold = record.gold
    if gold is None or gold.answered < at["least"] or gold.share >= at["share"]:
        return None
    level = Concern.STRONG if gold.interval.high < at["share"] else Concern.WEAK
    evidence = f"Hit {gold.hits} of {gold.answered} known instances; at least {at['share']:.0%} are expected."
    return level, evidence, {"hits": gold.hits, "answered": gold.answered, "share": gold.share}


def always_the_same(record: WorkerRecord, campaign: Campaign, at: Mapping[str, float]) -> Seen | None:
    """One phrase, number and spelling aside, in most of the answered assignments."""
    given = [{variant_key(phrase): phrase for phrase in piece.phrases} for piece in record.work if piece.phrases]
    if len(given) < at["least"]:
        return None
    key, times = Counter(key for keys in given for key in keys).most_common(1)[0]
    share = times / len(given)
    if share < at["share"]:
        return None
    phrase = next(keys[key] for keys in given if key in keys)
    evidence = f"Wrote “{phrase}” in {times} of {len(given)} answered assignments."
    return Concern.STRONG, evidence, {"times": times, "answered": len(given), "share": share}


def copies_the_context(record: WorkerRecord, campaign: Campaign, at: Mapping[str, float]) -> Seen | None:
    """Long phrases that stand in the passage word by word."""
    long = [
        (phrase, piece.context)
        for piece in record.work
        for phrase in piece.phrases
        if piece.context and len(words(phrase)) >= at["words"]
    ]
    copied = [phrase for phrase, context in long if _stands_in(phrase, context)]
    if len(copied) < at["least"] or len(copied) / len(long) < at["share"]:
        return None
    evidence = f"{len(copied)} of {len(long)} longer phrases stand in the passage word by word, as “{copied[0]}”."
    return Concern.WEAK, evidence, {"copied": len(copied), "phrases": len(long)}


def disagrees_with_everyone(record: WorkerRecord, campaign: Campaign, at: Mapping[str, float]) -> Seen | None:
    """Agrees with the others' answers far less than workers of this campaign usually do."""
    share, compared = _agreement(record)
    if share is None or compared < at["least"] or not campaign.agreement or share >= at["share"] * campaign.agreement:
        return None
    evidence = (
        f"Agrees with {share:.0%} of the others' answers on {counted(compared, 'instance')}; "
        f"{campaign.agreement:.0%} is usual."
    )
    return Concern.STRONG, evidence, {"share": share, "usual": campaign.agreement, "instances": compared}


def always_impossible(record: WorkerRecord, campaign: Campaign, at: Mapping[str, float]) -> Seen | None:
    """Finds no phrase nearly always, where others do; a hint while nobody else has answered."""
    done = len(record.work)
    none = sum(not piece.phrases for piece in record.work)
    if done < at["least"] or none / done < at["share"]:
        return None
    told = f"Found no phrase in {none} of {done} assignments"
    numbers: dict[str, float] = {"impossible": none, "assignments": done}
    if campaign.assignments <= done:
        return Concern.WEAK, f"{told}; nobody else has answered.", numbers
    others = (campaign.impossible - none) / (campaign.assignments - done)
    if none / done <= others:
        return None
    return Concern.STRONG, f"{told}; {others:.0%} is usual among the others.", {**numbers, "usual": others}


FILTERS = (
    WorkerFilter(
        "few_assignments", "did fewer assignments than asked for", few_assignments, {"least": 5},
        "fewer than {least:g}",
    ),
    WorkerFilter(
        "too_fast", "far below the usual time", too_fast, {"share": 0.3, "least": 3},
        "under {share:.0%} of the median for each word, from {least:g} assignments on",
    ),
    WorkerFilter(
        "failed_gold", "misses known instances", failed_gold, {"share": 0.5, "least": 2},
        "under {share:.0%} right, from {least:g} gold tasks on",
    ),
    WorkerFilter(
        "always_the_same", "one phrase nearly everywhere", always_the_same, {"share": 0.6, "least": 5},
        "{share:.0%} of {least:g} assignments or more",
    ),
    WorkerFilter(
        "copies_the_context", "phrases copied from the passage", copies_the_context,
        {"words": 3, "share": 0.6, "least": 4}, "{share:.0%} of {least:g} or more phrases with {words:g} words or more",
    ),
    WorkerFilter(
        "disagrees_with_everyone", "agrees with others far less than usual", disagrees_with_everyone,
        {"share": 0.25, "least": 5}, "under {share:.0%} of the median agreement, from {least:g} tasks on",
    ),
    WorkerFilter(
        "always_impossible", "finds no phrase nearly always", always_impossible, {"share": 0.9, "least": 5},
        "{share:.0%} of {least:g} assignments or more",
    ),
)  # fmt: skip


def _speed(piece: Work) -> float | None:
    length = len(piece.context.split())
    return piece.active_seconds / length if piece.active_seconds is not None and length else None


def _agreement(record: WorkerRecord) -> tuple[float | None, int]:
    shares = [piece.agrees for piece in record.work if piece.agrees is not None]
    return (sum(shares) / len(shares), len(shares)) if shares else (None, 0)


def _stands_in(phrase: str, context: str) -> bool:
    return f" {' '.join(words(phrase))} " in f" {' '.join(words(context))} "
