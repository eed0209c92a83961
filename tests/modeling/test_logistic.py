from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.progress import Silent
from modeling.evaluation import evaluate
from modeling.features import FeatureExtractor
from modeling.rankers import RANKERS
from modeling.rankers.base import Resources
from modeling.rankers.design import Designer
from modeling.rankers.frequency import GoldCounts
from modeling.rankers.logistic_paper import Adam, double_softmax, initial_weights, make_batches
from modeling.rankers.logistic_tesa import newton_step
from modeling.words import preparation
from tests.modeling.values import make_item, make_task, synthetic_dataset

small = st.floats(-4, 4)


class Listening(Silent):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def log(self, text: str) -> None:
        self.lines.append(text)


def two_softmaxes(logits: list[list[float]], labels: list[float]) -> float:
    """The summed loss as the original computes it: two outputs, softmax, and cross-entropy with its own softmax."""
    outputs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    logs = outputs - np.log(np.exp(outputs).sum(axis=1, keepdims=True))
    return -sum(logs[row, int(label)] for row, label in enumerate(labels))


@given(st.lists(st.tuples(small, small, st.sampled_from([0.0, 1.0])), min_size=1, max_size=4))
def test_the_loss_and_its_slopes_are_those_of_the_double_softmax(rows: list[tuple[float, float, float]]):
    logits, labels = [[other, gold] for other, gold, _ in rows], [label for *_, label in rows]

    loss, slopes = double_softmax([gold - other for other, gold in logits], labels)

    assert loss == pytest.approx(two_softmaxes(logits, labels))
    for number, slope in enumerate(slopes):
        up, down = [[*row] for row in logits], [[*row] for row in logits]
        up[number][1] += 1e-5
        down[number][1] -= 1e-5
        numeric = (two_softmaxes(up, labels) - two_softmaxes(down, labels)) / 2e-5 / len(rows)
        assert slope == pytest.approx(numeric, abs=1e-6)


def test_following_the_difference_of_two_rows_is_adam_on_both():
    lot = np.random.default_rng(0)
    rows = lot.normal(size=(40, 4, 6))
    rows[:, :, -1] = 1.0
    labels = lot.integers(0, 2, size=(40, 4)).astype(float)
    start = lot.normal(size=(2, 6))
    ours = Adam(start[1] - start[0], 3e-3)
    ours.epoch([(x, np.ascontiguousarray(x.T), y.tolist()) for x, y in zip(rows, labels, strict=True)])

    weights, first, second = start.copy(), np.zeros((2, 6)), np.zeros((2, 6))
    for step, (x, y) in enumerate(zip(rows, labels, strict=True), start=1):
        outputs = np.exp(x @ weights.T)
        outputs /= outputs.sum(axis=1, keepdims=True)
        again = np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True)
        slope = (again - np.eye(2)[y.astype(int)]) / 4
        through = outputs * (slope - (slope * outputs).sum(axis=1, keepdims=True))  # back through the first softmax
        gradient = through.T @ x
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        weights -= 3e-3 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)

    assert ours.weights == pytest.approx(weights[1] - weights[0], abs=1e-10)


def test_the_batches_hold_four_candidates_of_one_task_and_every_candidate_once():
    designer = Designer(FeatureExtractor(preparation("paper")), False, GoldCounts())
    design = designer.learn(synthetic_dataset()["train"], Silent())
    design.values[:, 0] = np.arange(len(design.values))

    batches = make_batches(design, 4, np.random.default_rng(0))

    taken = [int(row[0]) for rows, *_ in batches for row in rows]
    assert sorted(taken) == [*range(len(design.values))]
    task_of = np.searchsorted(design.ends, np.arange(len(design.values)), side="right")
    assert all(len({task_of[int(row[0])] for row in rows}) == 1 for rows, *_ in batches)
    assert taken != sorted(taken)


def test_the_first_weights_lie_where_torch_would_draw_them():
    weights = initial_weights(16, np.random.default_rng(0))

    assert weights.shape == (17,)
    assert np.abs(weights).max() <= 2 / 4


def test_the_newton_step_follows_the_numeric_gradient_and_ends_where_it_vanishes():
    lot = np.random.default_rng(3)
    rows = np.column_stack([lot.normal(size=(200, 3)), np.ones(200)])
    labels = (rows[:, 0] + lot.normal(size=200) > 0).astype(float)
    weights = np.zeros(4)
    for _ in range(12):
        weights = weights + newton_step(rows, labels, weights, 2.0)[1]

    for number in range(4):
        step = np.eye(4)[number] * 1e-5
        numeric = newton_step(rows, labels, weights + step, 2.0)[0] - newton_step(rows, labels, weights - step, 2.0)[0]
        assert numeric / 2e-5 == pytest.approx(0, abs=1e-8)


def test_the_papers_training_counts_a_tasks_own_gold_and_ours_does_not():
    train = [make_task(make_item("a", golds=("painters",))), make_task(make_item("b", golds=("sailors",)))]
    counts = GoldCounts.of(train)

    assert counts.column(train).tolist() == [1, 0, 0, 1, 0, 0]
    assert counts.column(train, without_own=True).tolist() == [0, 0, 0, 0, 0, 0]
    assert counts.column([make_task(make_item("c", golds=("painters",)))]).tolist() == [1, 0, 0]


def test_ours_learns_from_a_small_release_where_three_seeds_of_the_papers_learn_less():
    dataset = synthetic_dataset(250)
    best = {}
    for name, parameters, seeds in (("logistic-paper", {"epochs": 8}, range(3)), ("logistic-tesa", {}, range(1))):
        values = []
        for seed in seeds:
            ranker = RANKERS[name](parameters, Resources())
            ranker.fit(dataset["train"], dataset["valid"], seed=seed, progress=Silent())
            scores = ranker.score_all(dataset["test"], progress=Silent())
            values.append(evaluate(dataset["test"], scores).values["ap"].mean())
        best[name] = max(values)

    assert best["logistic-tesa"] > best["logistic-paper"] + 0.02


def test_the_papers_either_learns_what_is_plain_to_see_or_says_that_its_start_had_no_slope():
    tasks = [make_task(make_item(f"g{number}"), ("cities", "banks", "rivers")) for number in range(1_500)]
    ends = []
    for seed in range(5):
        progress = Listening()
        ranker = RANKERS["logistic-paper"]({"epochs": 1}, Resources())
        (row,) = ranker.fit(tasks, tasks[:10], seed=seed, progress=progress)
        ends.append((row["valid_ap"], any("learned nothing: try another" in text for text in progress.lines)))

    assert set(ends) == {(1.0, False), (0.25, True)}
