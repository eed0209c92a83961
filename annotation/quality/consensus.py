"""One label per item from many judgements: by majority, or by Dawid and Skene's model of each worker's mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotation.quality.ratings import Ratings

if TYPE_CHECKING:
    from annotation.quality.ratings import Floats

ITERATIONS = 100
TOLERANCE = 1e-7  # in log-likelihood per judgement
FLOOR = 1e-10
TIED = 9  # digits of probabilities that are compared: what differs behind them differs by rounding errors alone


@dataclass(frozen=True)
class Consensus:
    """The likeliest label of each item and its probability; ties go to the first label by name."""

    labels: dict[str, str]
    certainty: dict[str, float]
    accuracy: dict[str, float]  # each worker's expected share of right labels
    tied: frozenset[str] = frozenset()  # items with several likeliest labels


def majority(ratings: Ratings) -> dict[str, frozenset[str]]:
    """Return the label that most people gave each item; several where they tie."""
    votes = _votes(ratings)
    best = votes.max(axis=1, keepdims=True) if votes.size else votes
    return {
        item: frozenset(label for label, top in zip(ratings.labels, row, strict=True) if top)
        for item, row in zip(ratings.items, (votes == best).tolist(), strict=True)
    }


def dawid_skene(ratings: Ratings) -> Consensus:
    """Return the consensus by expectation maximisation, starting from the shares of votes. It is deterministic."""
    import numpy as np

    if not len(ratings):
        return Consensus({}, {}, {})
    votes = _votes(ratings)
    belief = votes / votes.sum(axis=1, keepdims=True)
    before, likelihood, done = -np.inf, 0.0, 0
    while done < ITERATIONS and likelihood - before >= TOLERANCE * len(ratings):
        before = likelihood if done else before
        belief, likelihood = _expected(ratings, *_maximised(ratings, belief))
        done += 1
    rounded = belief.round(TIED)
    chosen = rounded.argmax(axis=1).tolist()
    several = (rounded == rounded.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return Consensus(
        labels={item: ratings.labels[best] for item, best in zip(ratings.items, chosen, strict=True)},
        certainty=dict(zip(ratings.items, belief.max(axis=1).tolist(), strict=True)),
        accuracy=dict(zip(ratings.workers, _accuracy(ratings, belief).tolist(), strict=True)),
        tied=frozenset(item for item, is_tied in zip(ratings.items, several.tolist(), strict=True) if is_tied),
    )


def _votes(ratings: Ratings) -> Floats:
    import numpy as np

    shape = (len(ratings.items), len(ratings.labels))
    cells = ratings.item * max(shape[1], 1) + ratings.label
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(float)


def _maximised(ratings: Ratings, belief: Floats) -> tuple[Floats, Floats]:
    """Return the classes' frequencies, and for each worker and true class how often each label is given."""
    import numpy as np

    workers, labels = len(ratings.workers), len(ratings.labels)
    cells = ratings.worker * labels + ratings.label
    counts = [np.bincount(cells, weights=belief[ratings.item, k], minlength=workers * labels) for k in range(labels)]
    confusion = np.stack(counts).reshape(labels, workers, labels)  # true class, worker, label given
    return belief.mean(axis=0), confusion / np.maximum(confusion.sum(axis=2, keepdims=True), FLOOR)


def _expected(ratings: Ratings, prior: Floats, confusion: Floats) -> tuple[Floats, float]:
    """Return each item's probabilities of the classes, and the log-likelihood of all judgements."""
    import numpy as np

    logs = np.log(np.maximum(confusion, FLOOR))[:, ratings.worker, ratings.label]
    columns = [np.bincount(ratings.item, weights=row, minlength=len(ratings.items)) for row in logs]
    scores = np.stack(columns, axis=1) + np.log(np.maximum(prior, FLOOR))
    top = scores.max(axis=1, keepdims=True)
    odds = np.exp(scores - top)
    total = odds.sum(axis=1, keepdims=True)
    return odds / total, float((np.log(total) + top).sum())


def _accuracy(ratings: Ratings, belief: Floats) -> Floats:
    import numpy as np

    right = np.bincount(ratings.worker, weights=belief[ratings.item, ratings.label], minlength=len(ratings.workers))
    return right / np.bincount(ratings.worker, minlength=len(ratings.workers))
