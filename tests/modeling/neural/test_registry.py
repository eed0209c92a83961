"""The neural rankers of the registry, with torch: each runs the real command and keeps the contract of a ranker."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kernel.progress import Silent
from modeling.evaluation import evaluate
from modeling.rankers import RANKERS, neural_rankers
from modeling.rankers.base import Resources
from modeling.rankers.neural.settings import FAIRSEQ, SETTINGS, TRANSFORMERS
from tests.modeling.values import synthetic_dataset

pytestmark = [pytest.mark.neural, pytest.mark.processes]
SHORT: dict[str, Any] = {"checkpoint": "tiny", "max_length": 64, "max_sentences": 32, "precision": "fp32"}


BACKEND = pytest.mark.parametrize("backend", [TRANSFORMERS, pytest.param(FAIRSEQ, marks=pytest.mark.fairseq)])


def fitted(name: str, folder, **parameters):
    dataset = synthetic_dataset()
    epochs = 0 if name == "bart-pretrained" else 1
    if SETTINGS[name].kind == "seq2seq":
        parameters["longest_phrase"] = 8
    ranker: Any = RANKERS[name](
        {**SHORT, "epochs": epochs, **parameters}, Resources(work=folder / "work", locks=folder)
    )
    ranker.expect(dataset["test"][:5])
    ranker.fit(dataset["train"][:6], dataset["valid"][:4], seed=3, progress=Silent())
    return ranker


@BACKEND
@pytest.mark.parametrize("name", neural_rankers())
def test_every_neural_ranker_scores_each_candidate_and_survives_being_saved_and_loaded(name, backend, tmp_path):
    tasks = synthetic_dataset()["test"][:5]
    ranker = fitted(name, tmp_path, backend=backend)

    scores = ranker.score_all(tasks, progress=Silent())
    again = RANKERS[name]({**SHORT, "backend": backend}, ranker.resources)
    again.load(json.loads(json.dumps(ranker.state())))

    assert [len(row) for row in scores] == [len(task.candidates) for task in tasks]
    assert len(evaluate(tasks, scores).keys) == len(tasks)
    assert again.score_all(tasks, progress=Silent()) == scores
    assert again.state() == ranker.state()


@BACKEND
def test_a_neural_ranker_repeats_itself_for_one_seed_bit_by_bit_and_scores_new_tasks_alike(backend, tmp_path):
    tasks = synthetic_dataset()["test"][:7]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = (fitted("cross-encoder", tmp_path / name, backend=backend) for name in "ab")

    assert first.state() == second.state()
    scores = first.score_all(tasks, progress=Silent())  # two of them were not told of before: its model is loaded again
    for row, other in zip(scores, second.score_all(tasks[:5], progress=Silent()), strict=False):
        assert row == pytest.approx(other, abs=1e-5)
