"""How far people agree on the units of their answers, such as phrases.

Two people agree as far as their closest units do, because an answer may have several. An answer without units takes no
part here: whether there is something to answer is measured on labels, in `agreement`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from annotation.quality.agreement import REPLICATES, Agreement, bootstrap, mean_of
from annotation.quality.ratings import Undefined
from annotation.task_types.comparing import AnswerWords, Comparable, Similarity
from kernel.vectors.base import WordVectors

Units = tuple[str, ...]
Means = Mapping[str, float | Undefined]  # by measure


@dataclass(frozen=True)
class Cluster:
    """Units of one item that mean the same, and the people who gave them."""

    unit: str
    workers: tuple[str, ...]


@dataclass(frozen=True)
class ItemAgreement:
    """One item: its clusters, largest first, and the mean of each measure over pairs of people."""

    item: str
    clusters: tuple[Cluster, ...]
    means: Means


@dataclass(frozen=True)
class UnitAgreement:
    """Agreement of a whole campaign: overall with intervals, by item, and by worker against the others."""

    overall: tuple[Agreement, ...]
    items: tuple[ItemAgreement, ...]
    workers: Mapping[str, Means]

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(agreement.measure for agreement in self.overall)


def unit_agreement(
    rows: Iterable[tuple[str, str, Sequence[str]]],
    type_: Comparable,
    *,
    vectors: WordVectors | None = None,
    seed: int = 0,
    replicates: int = REPLICATES,
) -> UnitAgreement:
    """Measure agreement over rows of (item, worker, units)."""
    answers: dict[str, dict[str, Units]] = defaultdict(dict)
    for item, worker, units in rows:
        if units:
            answers[item][worker] = tuple(units)
    groups = type_.groups(unit for people in answers.values() for units in people.values() for unit in units)
    measures = _measures(type_, groups, vectors)
    by_worker: dict[str, dict[str, list[float]]] = defaultdict(lambda: {name: [] for name in measures})
    words, items = type_.answer_words, []
    few, alone = too_few(words), Undefined(f"Nobody else gave {words.a_unit} for the same instances.")
    for item, people in answers.items():
        scores = _scores(people, measures, by_worker)
        means = {name: sum(values) / len(values) if values else few for name, values in scores.items()}
        items.append(ItemAgreement(item, _clusters(people, groups), means))
    everybody = sorted({worker for people in answers.values() for worker in people})
    workers = {
        worker: {name: sum(values) / len(values) if values else alone for name, values in by_worker[worker].items()}
        for worker in everybody
    }
    overall = tuple(_overall(name, items, words, seed, replicates) for name in measures)
    return UnitAgreement(overall, tuple(items), workers)


def too_few(words: AnswerWords) -> Undefined:
    return Undefined(f"Fewer than two people gave {words.a_unit}.")


def _measures(type_: Comparable, groups: Mapping[str, str], vectors: WordVectors | None) -> dict[str, Similarity]:
    words = type_.answer_words
    further = {words.measure_key(name): own for name, own in type_.similarities([*groups], vectors).items()}
    return {words.same_key: lambda left, right: float(groups[left] == groups[right]), **further}


def _scores(
    people: Mapping[str, Units],
    measures: Mapping[str, Similarity],
    by_worker: Mapping[str, dict[str, list[float]]],
) -> dict[str, list[float]]:
    """Return each measure's values over pairs of people, and add them to both people's lists."""
    scores: dict[str, list[float]] = {name: [] for name in measures}
    for first, second in combinations(sorted(people), 2):
        for name, similarity in measures.items():
            best = max(similarity(a, b) for a, b in product(people[first], people[second]))
            scores[name].append(best)
            by_worker[first][name].append(best)
            by_worker[second][name].append(best)
    return scores


def _clusters(people: Mapping[str, Units], groups: Mapping[str, str]) -> tuple[Cluster, ...]:
    members: dict[str, set[str]] = defaultdict(set)
    for worker, units in people.items():
        for unit in units:
            members[groups[unit]].add(worker)
    clusters = (Cluster(unit, tuple(sorted(workers))) for unit, workers in members.items())
    return tuple(sorted(clusters, key=lambda cluster: (-len(cluster.workers), cluster.unit)))


def _overall(name: str, items: Sequence[ItemAgreement], words: AnswerWords, seed: int, replicates: int) -> Agreement:
    """Return the mean with the number of judgements, and a note on the items left out."""
    mean = mean_over(name, items, words, seed=seed, replicates=replicates)
    left = len(items) - mean.items
    note = f"{left} of {len(items)} instances left out: fewer than two people gave {words.a_unit}." if left else ""
    people = sum(len({worker for cluster in item.clusters for worker in cluster.workers}) for item in items)
    return replace(mean, judgements=people if mean.items else 0, note=note)


def mean_over(
    name: str, items: Iterable[ItemAgreement], words: AnswerWords, *, seed: int, replicates: int
) -> Agreement:
    """Return the mean over the items that two people or more answered; each item counts once."""
    import numpy as np

    values = np.array([value for item in items if not isinstance(value := item.means[name], Undefined)], dtype=float)
    if not len(values):
        return Agreement(name, too_few(words), too_few(words), 0, 0)
    interval = bootstrap(mean_of(values), len(values), seed=seed, replicates=replicates)
    return Agreement(name, float(values.mean()), interval, len(values), 0)
