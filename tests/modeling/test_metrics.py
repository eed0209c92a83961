from __future__ import annotations

import json
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, ndcg_score

from kernel.errors import InvalidInput
from modeling.metrics import METRICS, Table, average_precision, evaluate_table, tie_broken_table
from modeling.ranks import places
from tests.modeling.record_trec_values import RECORDED
from tests.properties import at_most

GOLDS = {1: 89, 2: 638, 3: 709, 4: 260, 5: 21, 6: 1}  # published: instances by their number of golds


def metrics_of(scores: list[float], labels: list[int]) -> dict[str, float]:
    return {name: float(values[0]) for name, values in evaluate_table(Table.of([scores], [labels])).items()}


def tie_broken(scores: list[float], labels: list[int]) -> dict[str, float]:
    return {name: float(values[0]) for name, values in tie_broken_table(Table.of([scores], [labels])).items()}


def has_gold(pairs: list[tuple[int, int]]) -> bool:
    return any(label for _, label in pairs)


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[float], list[int]]:
    size = draw(st.integers(1, 30))
    scores = draw(st.lists(st.integers(-10_000, 10_000), min_size=size, max_size=size, unique=True))
    labels = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size).filter(any))
    return [score / 7 for score in scores], labels


def test_the_metrics_of_a_ranking_worked_out_by_hand():
    metrics = metrics_of([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1])  # golds at ranks 2 and 4

    assert metrics["ap"] == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert metrics["rr"] == 1 / 2
    assert (metrics["r10"], metrics["p10"]) == (1.0, 2 / 10)
    assert metrics["rar"] == pytest.approx(1 / 3)
    assert metrics["ndcg10"] == pytest.approx((1 / np.log2(3) + 1 / np.log2(5)) / (1 + 1 / np.log2(3)))


@given(rankings())
def test_without_ties_average_precision_and_ndcg_are_those_of_scikit_learn(ranking: tuple[list[float], list[int]]):
    scores, labels = ranking

    ours = metrics_of(scores, labels)

    assert ours["ap"] == pytest.approx(average_precision_score(labels, scores))
    if len(labels) > 1:  # scikit-learn refuses to rank a single candidate
        assert ours["ndcg10"] == pytest.approx(ndcg_score([labels], [scores], k=10))


@pytest.mark.parametrize("row", json.loads(RECORDED.read_text(encoding="utf-8")), ids=lambda row: len(row["scores"]))
def test_without_ties_the_metrics_are_those_that_trec_eval_gave(row: dict[str, Any]):
    ours, in_their_order = metrics_of(row["scores"], row["labels"]), tie_broken(row["scores"], row["labels"])

    assert {name: ours[name] for name in row["values"]} == pytest.approx(row["values"])
    assert in_their_order == pytest.approx(ours)


@given(rankings(), st.floats(0.1, 5), st.floats(-50, 50))
def test_only_the_order_of_the_scores_counts_so_log_probabilities_are_safe(ranking, stretch: float, shift: float):
    scores, labels = ranking
    metrics, moved = metrics_of(scores, labels), metrics_of([score * stretch + shift for score in scores], labels)

    assert metrics == moved
    assert all(0 < value <= 1 for name, value in metrics.items() if name not in ("r10", "p10", "ndcg10"))
    assert metrics == pytest.approx(tie_broken(scores, labels))


@at_most(40)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=6).filter(has_gold))
def test_the_value_under_ties_is_the_mean_over_all_orders(pairs: list[tuple[int, int]]):
    orders = [*permutations(pairs)]
    table = Table.of([[float(s) for s, _ in order] for order in orders], [[g for _, g in order] for order in orders])
    means = {name: values.mean() for name, values in tie_broken_table(table).items()}

    metrics = evaluate_table(table)

    for name in METRICS:
        assert metrics[name] == pytest.approx(np.full(len(orders), means[name])), name
    assert average_precision(table).tolist() == metrics["ap"].tolist()


@st.composite
def tie_groups(draw: st.DrawFn) -> list[tuple[int, int]]:
    sizes = draw(st.lists(st.integers(1, 9), min_size=2, max_size=4))
    groups = [(size, draw(st.integers(0, min(size, 2)))) for size in sizes]
    return groups if any(golds for _, golds in groups) else [*groups, (3, 1)]


@at_most(40)
@given(tie_groups())
def test_golds_tied_around_the_tenth_rank_count_by_all_places_they_can_take(groups: list[tuple[int, int]]):
    length = sum(size for size, _ in groups)
    starts = np.cumsum([0, *(size for size, _ in groups)])[:-1]
    places = [
        combinations(range(start, start + size), golds) for start, (size, golds) in zip(starts, groups, strict=True)
    ]
    orders = [[int(rank in {*sum(held, ())}) for rank in range(length)] for held in product(*places)]
    falling = [[float(-rank) for rank in range(length)]] * len(orders)
    means = {name: values.mean() for name, values in tie_broken_table(Table.of(falling, orders)).items()}
    scores = [float(-number) for number, (size, _) in enumerate(groups) for _ in range(size)]

    metrics = metrics_of(scores, orders[0])

    assert metrics == pytest.approx(means)


def test_a_ranker_that_ties_everything_is_worth_a_random_order_whatever_the_list_begins_with():
    golds_first, golds_last = [1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1]

    metrics = metrics_of([0.0] * 6, golds_first)

    assert metrics == metrics_of([0.0] * 6, golds_last)
    assert metrics["r10"] == 1.0
    assert metrics["rr"] == pytest.approx(sum((6 - rank) / 15 / rank for rank in range(1, 6)))
    assert tie_broken([0.0] * 6, golds_first)["ap"] == 1.0


def test_a_random_order_of_the_published_tasks_is_worth_what_the_paper_implies():
    labels = [[1] * golds + [0] * (24 - golds) for golds, count in GOLDS.items() for _ in range(count)]

    values = evaluate_table(Table.of([[0.0] * 24] * len(labels), labels))

    assert {name: round(values[name].mean(), 4) for name in ("ap", "rr", "r10", "p10")} == {
        "ap": 0.2197, "rr": 0.2873, "r10": 0.4167, "p10": 0.1126,
    }  # fmt: skip


def test_tied_candidates_share_a_range_of_ranks():
    placed = places([0.5, 0.7, 0.5, 0.7, 0.1])
    assert [(place.best, place.worst) for place in placed] == [(3, 4), (1, 2), (3, 4), (1, 2), (5, 5)]
    assert [(place.rank, place.shown) for place in places([2.0, 0.5, 0.5])] == [("1", "2"), *[("2–3", "0.500")] * 2]
    assert tie_broken([1.0, 1.0], [0, 1])["rr"] == 1 / 2
    assert metrics_of([1.0, 1.0], [0, 1])["rr"] == metrics_of([1.0, 1.0], [1, 0])["rr"] == 3 / 4


def test_tasks_of_different_lengths_stand_in_one_table():
    together = evaluate_table(Table.of([[0.1, 0.2], [3.0, 2.0, 1.0, 0.0]], [[1, 0], [0, 0, 1, 1]]))

    for name in METRICS:
        apart = [metrics_of([0.1, 0.2], [1, 0])[name], metrics_of([3.0, 2.0, 1.0, 0.0], [0, 0, 1, 1])[name]]
        assert together[name].tolist() == pytest.approx(apart), name


@pytest.mark.parametrize(
    ("scores", "labels", "message"),
    [
        ([[1.0]], [[1, 0]], "1 scores for 2 candidates"),
        ([[float("nan"), 1.0]], [[1, 0]], "not a finite number"),
        ([[float("-inf"), 1.0]], [[1, 0]], "not a finite number"),
        ([[1.0, 2.0]], [[0, 0]], "no gold"),
    ],
)
def test_scores_that_cannot_be_ranked_are_refused(scores, labels, message: str):
    with pytest.raises(InvalidInput, match=message):
        Table.of(scores, labels)
