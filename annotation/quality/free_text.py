"""How far free phrases agree: clusters of variants, shared words, and meaning where vectors are at hand.

Two people agree as far as their closest phrases do, because each may give two. "Not aggregatable" is no phrase and
takes no part here; whether to answer at all is measured in `agreement`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import TYPE_CHECKING

from annotation.quality.agreement import REPLICATES, Agreement, bootstrap, mean_of
from annotation.quality.ratings import Undefined
from annotation.task_types.aggregation.cleaning.english import american, singular
from annotation.task_types.aggregation.cleaning.predicates import words
from annotation.task_types.aggregation.cleaning.variants import group_variants, variant_key

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Vectors = Callable[[Sequence[str]], "ArrayLike"]  # one vector per phrase, in order
Similarity = Callable[[str, str], float]
MEASURES = ("same cluster", "shared words (Jaccard)", "shared words (F1)", "meaning (cosine)")
NONE_FITS = frozenset({""})  # no phrase has an empty key but the empty phrase
ALONE = Undefined("Fewer than two people gave a phrase.")


@dataclass(frozen=True)
class Cluster:
    """Phrases of one instance that are variants of one another, and who gave them."""

    phrase: str
    workers: tuple[str, ...]


@dataclass(frozen=True)
class InstanceAgreement:
    """One instance: its clusters, largest first, and the mean over pairs of people of each measure."""

    instance: str
    clusters: tuple[Cluster, ...]
    means: Mapping[str, float | Undefined]


@dataclass(frozen=True)
class FreeText:
    """Agreement of a whole set: overall with intervals, by instance, and by worker (against the others)."""

    overall: tuple[Agreement, ...]
    instances: tuple[InstanceAgreement, ...]
    workers: Mapping[str, Mapping[str, float | Undefined]]

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(one.measure for one in self.overall)


def free_text_agreement(
    rows: Iterable[tuple[str, str, Sequence[str]]],
    *,
    vectors: Vectors | None = None,
    seed: int = 0,
    replicates: int = REPLICATES,
) -> FreeText:
    """Measure (instance, worker, cleaned phrases) rows. Meaning is measured only when `vectors` is given."""
    given: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for instance, worker, phrases in rows:
        if phrases:
            given[instance][worker] = tuple(phrases)
    groups = group_variants(phrase for people in given.values() for answers in people.values() for phrase in answers)
    measures = _measures(groups, vectors)
    by_worker: dict[str, dict[str, list[float]]] = defaultdict(lambda: {name: [] for name in measures})
    instances = []
    for instance, people in given.items():
        scores = _scores(people, measures, by_worker)
        means = {name: sum(values) / len(values) if values else ALONE for name, values in scores.items()}
        instances.append(InstanceAgreement(instance, _clusters(people, groups), means))
    everybody = sorted({worker for people in given.values() for worker in people})
    workers = {w: {name: _mean(by_worker[w][name]) for name in measures} for w in everybody}
    overall = tuple(_overall(name, instances, seed, replicates) for name in measures)
    return FreeText(overall, tuple(instances), workers)


def shares_agreeing(rows: Iterable[tuple[str, str, Sequence[str]]]) -> dict[tuple[str, str], float]:
    """Return for each (instance, worker) the share of the others there who gave a variant of the same phrase.

    Here "not aggregatable" agrees with "not aggregatable"; who answered alone is left out. This is what a worker's
    record takes as `Work.agrees`.
    """
    given: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for instance, worker, phrases in rows:
        given[instance][worker] = frozenset(map(variant_key, phrases)) or NONE_FITS
    return {
        (instance, worker): sum(bool(keys & other) for name, other in people.items() if name != worker)
        / (len(people) - 1)
        for instance, people in given.items()
        if len(people) > 1
        for worker, keys in people.items()
    }


def jaccard(left: str, right: str) -> float:
    """Return shared words over all words, as American singulars; 0 for a phrase without words."""
    a, b = content(left), content(right)
    return len(a & b) / len(a | b) if a or b else 0.0


def token_f1(left: str, right: str) -> float:
    """Return twice the shared words over the words of both, as American singulars; 0 for a phrase without words."""
    a, b = content(left), content(right)
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 0.0


@lru_cache(maxsize=2**16)
def content(phrase: str) -> frozenset[str]:
    return frozenset(american(singular(american(word))) for word in words(phrase))


def _measures(groups: Mapping[str, str], vectors: Vectors | None) -> dict[str, Similarity]:
    measures: dict[str, Similarity] = {
        MEASURES[0]: lambda left, right: float(groups[left] == groups[right]),
        MEASURES[1]: jaccard,
        MEASURES[2]: token_f1,
    }
    if vectors is not None:
        measures[MEASURES[3]] = _cosine([*groups], vectors)
    return measures


def _cosine(phrases: Sequence[str], vectors: Vectors) -> Similarity:
    """Return the cosine of two phrases' vectors, each asked for once; 0 where a vector is all zeros or not finite."""
    import numpy as np

    table = np.asarray(vectors(phrases), dtype=float) if phrases else np.zeros((0, 1))
    if table.ndim != 2 or len(table) != len(phrases):
        raise ValueError(f"vectors must give one vector for each of {len(phrases)} phrases, not {table.shape}")
    table = np.nan_to_num(table, nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    table = table / np.where(lengths > 0, lengths, 1)
    at = {phrase: position for position, phrase in enumerate(phrases)}
    return lambda left, right: float(table[at[left]] @ table[at[right]])


def _scores(
    people: Mapping[str, tuple[str, ...]],
    measures: Mapping[str, Similarity],
    by_worker: Mapping[str, dict[str, list[float]]],
) -> dict[str, list[float]]:
    """Return each measure's values over pairs of people, and note them for both."""
    scores: dict[str, list[float]] = {name: [] for name in measures}
    for first, second in combinations(sorted(people), 2):
        for name, similarity in measures.items():
            best = max(similarity(a, b) for a, b in product(people[first], people[second]))
            scores[name].append(best)
            by_worker[first][name].append(best)
            by_worker[second][name].append(best)
    return scores


def _clusters(people: Mapping[str, tuple[str, ...]], groups: Mapping[str, str]) -> tuple[Cluster, ...]:
    members: dict[str, set[str]] = defaultdict(set)
    for worker, phrases in people.items():
        for phrase in phrases:
            members[groups[phrase]].add(worker)
    clusters = (Cluster(phrase, tuple(sorted(workers))) for phrase, workers in members.items())
    return tuple(sorted(clusters, key=lambda cluster: (-len(cluster.workers), cluster.phrase)))


def _mean(values: Sequence[float]) -> float | Undefined:
    return sum(values) / len(values) if values else Undefined("Nobody else gave a phrase for the same instances.")


def _overall(name: str, instances: Sequence[InstanceAgreement], seed: int, replicates: int) -> Agreement:
    """Return the mean over the instances with two people or more, each instance counting once."""
    import numpy as np

    values = np.array([value for i in instances if not isinstance(value := i.means[name], Undefined)], dtype=float)
    left = len(instances) - len(values)
    note = f"{left} of {len(instances)} instances left out: fewer than two people gave a phrase." if left else ""
    if not len(values):
        return Agreement(name, ALONE, ALONE, 0, 0, note)
    interval = bootstrap(mean_of(values), len(values), seed=seed, replicates=replicates)
    people = sum(len({w for c in i.clusters for w in c.workers}) for i in instances)
    return Agreement(name, float(values.mean()), interval, len(values), people, note)
