"""The backend fairseq against the other one, with the interpreter of TESA_FAIRSEQ_PYTHON. By hand: CI has none."""

from __future__ import annotations

import json

import pytest

from kernel.errors import Cancelled, InvalidInput
from modeling.adding_checkpoints import add_checkpoint
from modeling.rankers.neural import fairseq_backend
from modeling.rankers.neural.running import run
from modeling.rankers.neural.work_folder import FINISHED, INTERRUPTED
from tests.modeling.neural.test_checkpoints import fairseq_folder, fairseq_tensors
from tests.modeling.neural.torch_values import toy_folder

pytestmark = [pytest.mark.neural, pytest.mark.fairseq, pytest.mark.processes]


def finished(path, ranker: str, backend: str, **settings):
    folder = toy_folder(path / backend, ranker, backend=backend, **settings)
    assert run(folder.path) == FINISHED, folder.state().sentence
    return folder


@pytest.mark.parametrize("score", ["original", "corrected"])
def test_both_backends_give_a_tiny_checkpoint_the_same_scores_and_the_same_best_phrase(tmp_path, score):
    settings = {"checkpoint": "tiny", "epochs": 0, "score": score, "longest_phrase": 12, "sizes": (0, 3, 3)}
    ours, theirs = (finished(tmp_path, "seq2seq", backend, **settings) for backend in ("transformers", "fairseq"))

    assert ours.scores().keys() == theirs.scores().keys()
    for key, row in ours.scores().items():
        assert theirs.scores()[key] == pytest.approx(row, abs=1e-3)
    for key, phrases in ours.generations().items():
        assert theirs.generations()[key][0][0] == phrases[0][0]
        assert theirs.generations()[key][0][1] == pytest.approx(phrases[0][1], abs=1e-3)


def test_a_model_that_fairseq_trained_is_a_checkpoint_of_the_other_backend_with_the_same_scores(tmp_path):
    trained = finished(tmp_path, "cross-encoder", "fairseq", sizes=(6, 2, 2), epochs=1)

    model = str(trained.path / "model")
    scored = finished(tmp_path, "cross-encoder", "transformers", checkpoint=model, sizes=(0, 2, 2), epochs=0)

    assert trained.model()["files"]
    assert trained.model()["updates"] > 0
    assert trained.machine()["versions"]["fairseq"]
    for key, row in scored.scores().items():
        assert trained.scores()[key] == pytest.approx(row, abs=1e-3)


def test_a_run_that_was_interrupted_after_an_epoch_ends_as_if_it_had_not_been(tmp_path, monkeypatch):
    settings = {"sizes": (6, 2, 2), "epochs": 2}
    whole = finished(tmp_path / "whole", "seq2seq", "fairseq", generate="nothing", **settings)
    folder = toy_folder(tmp_path / "torn", "seq2seq", backend="fairseq", generate="nothing", **settings)
    validate = fairseq_backend.Fairseq._validate

    def die_in_second_epoch(self, at, epoch, tasks):
        if epoch == 2:
            raise Cancelled("killed here")
        validate(self, at, epoch, tasks)

    with monkeypatch.context() as patch:
        patch.setattr(fairseq_backend.Fairseq, "_validate", die_in_second_epoch)
        assert run(folder.path) == INTERRUPTED

    assert run(folder.path) == FINISHED
    assert folder.scores() == whole.scores()
    assert folder.model() == whole.model()


def test_a_converted_checkpoint_is_compared_with_fairseq_and_a_wrong_one_is_not_added(tmp_path, monkeypatch):
    source = fairseq_folder(tmp_path / "bart.small", fairseq_tensors(), vocabulary=264)
    models = tmp_path / "models"
    models.mkdir()

    checkpoint = add_checkpoint(source, models, name="good")

    assert checkpoint.origin == "converted from fairseq, compared with it"
    assert json.loads((models / "good" / "comparison.json").read_text())["largest difference of logits"] < 1e-3

    monkeypatch.setattr("modeling.rankers.neural.fairseq_comparison.TOLERANCE", -1.0)
    with pytest.raises(InvalidInput, match="differs from fairseq's"):
        add_checkpoint(source, models, name="bad")
    assert not (models / "bad").exists()
