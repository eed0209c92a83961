from __future__ import annotations

import json

import pytest

from kernel.errors import InvalidInput
from modeling.evaluation import TaskScores, evaluate, prediction_lines, read_predictions, scores_for
from tests.modeling.values import make_item, make_task


def test_an_evaluation_tells_means_and_breakdowns_by_type_size_and_seen():
    train = [make_task(make_item("a"))]
    seen = make_task(make_item("b", entities=("Ida Lind", "Eva Holm")))
    unseen = make_task(make_item("c", entities=("X", "Y", "Z"), backgrounds=("", "", "")))

    evaluation = evaluate([seen, unseen], [[3.0, 2.0, 1.0], [1.0, 3.0, 2.0]], train=train)

    assert evaluation.values["rr"].tolist() == [1.0, 1 / 3]
    assert evaluation.figures()["rr"].mean == pytest.approx(2 / 3)
    by_seen = {name: evaluation.figure("rr", places).mean for name, places in evaluation.groups["seen"].items()}
    assert by_seen == {"seen": 1.0, "unseen": 1 / 3}
    assert [*evaluation.groups["size"]] == ["2", "3"]
    assert [*evaluation.groups["type"]] == ["person"]


def test_figures_are_means_over_all_orders_of_ties_and_the_order_listed_stands_apart():
    evaluation = evaluate([make_task()] * 6, [[0.0, 0.0, 0.0]] * 6)

    figure = evaluation.figure("rr")

    assert figure.mean == figure.low == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert evaluation.tie_broken["rr"].tolist() == [1.0] * 6


def test_predictions_come_back_from_their_lines_and_hold_all_a_recomputation_needs():
    task = make_task()
    made = [TaskScores("test", task.key, (0.1, -2.5, 1e-17))]

    lines = [*prediction_lines(made, {task.key: task})]

    assert read_predictions(lines) == tuple(made)
    assert json.loads(lines[0])["labels"] == [1, 0, 0]
    assert json.loads(lines[0])["candidates"] == ["painters", "cities", "banks"]


def test_a_missing_or_broken_prediction_is_named():
    with pytest.raises(InvalidInput, match="no prediction for the instance k1"):
        scores_for([make_task()], [TaskScores("valid", "k1", (1.0,))], "test")
    with pytest.raises(InvalidInput, match=r"line 1: scores: must be a list of numbers"):
        read_predictions(['{"schema": 1, "part": "test", "key": "k", "scores": ["high"]}'])
    with pytest.raises(InvalidInput, match="no tasks"):
        evaluate([], [])
