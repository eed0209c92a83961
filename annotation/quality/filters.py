"""The published dataset's filters, in their order: workers, answers, instances. Everything discarded has its reason.

The paper: workers under 5 assignments; answers that do not conform; instances that two of three people found not
aggregatable, which is the same as fewer than 2 answered annotations left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.task_types.cleaned import CleanedAnswer


@dataclass(frozen=True)
class Given:
    """One person's cleaned annotation of one instance."""

    key: str
    instance: str
    worker: str
    cleaned: CleanedAnswer

    @property
    def tried(self) -> bool:
        """Whether the person gave an answer, conforming or not."""
        return bool(self.cleaned.units) or any(part.offences for part in self.cleaned.parts)


@dataclass(frozen=True)
class Discarded:
    """Something that did not pass, and why. Worker is empty for an instance, answer is None but for an answer."""

    filter: str
    reason: str
    instance: str
    worker: str = ""
    annotation: str = ""
    answer: str | None = None


@dataclass(frozen=True)
class Count:
    """What is left after one filter."""

    after: str
    workers: int
    instances: int
    answered: int
    not_aggregatable: int


@dataclass(frozen=True)
class Filtered:
    """What passed, what did not, and the counts after each filter."""

    kept: tuple[Given, ...]
    discarded: tuple[Discarded, ...]
    counts: tuple[Count, ...]


def apply_filters(annotations: Iterable[Given], *, least_assignments: int = 5, least_answered: int = 2) -> Filtered:
    """Return what the three filters leave; a kept instance keeps its "not aggregatable" annotations too."""
    given = tuple(annotations)
    by_workers, few = workers_with_enough(given, least_assignments)
    offending = non_conforming(by_workers)
    kept, poor = instances_with_enough(by_workers, least_answered)
    counts = (
        _count("nothing", given, tried=True),
        _count("workers", by_workers, tried=True),
        _count("answers", by_workers, tried=False),
        _count("instances", kept, tried=False),
    )
    return Filtered(kept, (*few, *offending, *poor), counts)


def workers_with_enough(given: Sequence[Given], least: int) -> tuple[tuple[Given, ...], tuple[Discarded, ...]]:
    """Split off the annotations of workers with fewer than `least` assignments, counted over all that was read."""
    done = Counter(annotation.worker for annotation in given)
    kept = tuple(annotation for annotation in given if done[annotation.worker] >= least)
    discarded = tuple(
        Discarded("workers", f"The worker did {_things(n, 'task')}, fewer than {least}.", a.instance, a.worker, a.key)
        for a in given
        if (n := done[a.worker]) < least
    )
    return kept, discarded


def non_conforming(given: Iterable[Given]) -> tuple[Discarded, ...]:
    """Return the answers a cleaning rule discarded. Their annotations stay, if need be as "not aggregatable"."""
    return tuple(
        Discarded("answers", f"{mark.rule}: {mark.why}", a.instance, a.worker, a.key, part.raw)
        for a in given
        for part in a.cleaned.parts
        for mark in part.offences[:1]
    )


def instances_with_enough(given: Sequence[Given], least: int) -> tuple[tuple[Given, ...], tuple[Discarded, ...]]:
    """Split off the instances with fewer than `least` answered annotations."""
    answered = Counter(annotation.instance for annotation in given if annotation.cleaned.units)
    seen = Counter(annotation.instance for annotation in given)
    kept = tuple(annotation for annotation in given if answered[annotation.instance] >= least)
    discarded = tuple(
        Discarded("instances", f"{answered[name]} of {_things(n, 'annotation')} answered, fewer than {least}.", name)
        for name, n in seen.items()
        if answered[name] < least
    )
    return kept, discarded


def _count(after: str, given: Sequence[Given], *, tried: bool) -> Count:
    answered = sum(a.tried if tried else bool(a.cleaned.units) for a in given)
    workers, instances = {a.worker for a in given}, {a.instance for a in given}
    return Count(after, len(workers), len(instances), answered, len(given) - answered)


def _things(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
