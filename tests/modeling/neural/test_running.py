"""Whole runs on a tiny model: every ranker keeps the contract, learns, and says in one sentence why it cannot."""

from __future__ import annotations

import errno
import math

import pytest
import torch

from modeling.metrics import Table, average_precision
from modeling.rankers.neural import optimizer, saving
from modeling.rankers.neural.request import TaskText, make_request, write_request
from modeling.rankers.neural.running import run
from modeling.rankers.neural.settings import SETTINGS
from modeling.rankers.neural.work_folder import FINISHED, INTERRUPTED, LOCKED, REFUSED, STUCK, WorkFolder
from tests.modeling.neural.torch_values import toy_folder, toy_rows

pytestmark = pytest.mark.neural
REPEATABLE = ("model.json", "scores.jsonl", "model/model.safetensors", "model/tokenizer.json", "model/config.json")
VARIANTS = [
    *((name, {}) for name in SETTINGS),
    ("seq2seq", {"loss": "listwise"}),
    ("seq2seq", {"score": "original"}),
    ("cross-encoder", {"loss": "listwise"}),
    ("cross-encoder", {"accumulate": 2, "clip_norm": 1.0}),
    # Without a GPU half precision is computed slowly.
    pytest.param("cross-encoder", {"precision": "bf16"}, marks=pytest.mark.thorough),
    pytest.param("cross-encoder", {"precision": "fp16", "accumulate": 2, "clip_norm": 1.0}, marks=pytest.mark.thorough),
]


def contents(folder) -> list[bytes]:
    return [(folder.path / name).read_bytes() for name in REPEATABLE if (folder.path / name).exists()]


@pytest.mark.parametrize(("ranker", "settings"), VARIANTS, ids=lambda value: str(value) if value else "")
def test_every_ranker_scores_every_candidate_and_repeats_itself(tmp_path, ranker, settings):
    settings = {**settings, "checkpoint": "tiny"}
    if ranker == "bart-pretrained":
        settings |= {"epochs": 0}
    first = toy_folder(tmp_path / "first", ranker, sizes=(6, 2, 2), **settings)
    again = toy_folder(tmp_path / "again", ranker, sizes=(6, 2, 2), **settings)

    assert run(first.path) == run(again.path) == FINISHED

    scores = first.scores()
    assert [*scores] == [
        (part, f"{part}-{start + n}") for part, start in (("valid", 100), ("test", 200)) for n in (0, 1)
    ]
    assert all(len(row) == 4 and all(map(math.isfinite, row)) for row in scores.values())
    assert contents(first) == contents(again)
    assert not (first.path / "checkpoints").exists()
    assert first.machine()["device"]
    assert first.model()["ended"] == ("no training" if ranker == "bart-pretrained" else "all epochs")


def test_a_trained_model_scores_other_tasks_as_the_run_did(tmp_path):
    trained = toy_folder(tmp_path / "trained", sizes=(6, 2, 2))
    assert run(trained.path) == FINISHED

    model = str(trained.path / "model")
    scored = toy_folder(tmp_path / "scored", checkpoint=model, sizes=(0, 2, 2), epochs=0)

    assert run(scored.path) == FINISHED
    assert scored.scores() == trained.scores()
    assert scored.model()["files"] == {}


def test_a_tiny_model_learns_what_frequency_cannot(tmp_path):
    plain = {"dropout": 0.0, "attention_dropout": 0.0, "clip_norm": 0.0}
    folder = toy_folder(tmp_path, "seq2seq", sizes=(96, 24, 24), epochs=6, learning_rate=5e-3, **plain)

    assert run(folder.path) == FINISHED

    rows = toy_rows("test", 24, start=200)
    by_frequency = Table.of([[0.0] * 4 for _ in rows], [row.labels for row in rows])  # all phrases are equally frequent
    learned = Table.of([folder.scores()["test", row.key] for row in rows], [row.labels for row in rows])
    assert average_precision(learned).mean() > 0.9 > average_precision(by_frequency).mean() + 0.3


def test_a_finished_run_is_left_alone(tmp_path):
    folder = toy_folder(tmp_path, sizes=(4, 2, 0), epochs=1)
    run(folder.path)
    before = contents(folder)

    assert run(folder.path) == FINISHED
    assert contents(folder) == before


def test_a_second_process_in_the_folder_ends_at_once(tmp_path):
    folder = toy_folder(tmp_path)

    with folder.locked():
        assert run(folder.path) == LOCKED


def test_training_ends_when_validation_no_longer_improves(tmp_path):
    folder = toy_folder(tmp_path, sizes=(4, 2, 0), epochs=50, learning_rate=1e-9, patience=2)

    assert run(folder.path) == FINISHED

    model = folder.model()
    assert model["ended"] == "patience"
    assert [row["epoch"] for row in model["curve"]] == [1, 2, 3]
    assert model["chosen"] == model["curve"][0]["update"]


def test_validation_each_few_updates(tmp_path):
    folder = toy_folder(tmp_path, sizes=(6, 2, 0), epochs=1, max_sentences=4, evaluate_every=2)

    run(folder.path)

    assert [row["update"] for row in folder.model()["curve"]] == [2, 4, 6]


def test_stop_ends_training_after_the_epoch_and_scores(tmp_path):
    folder = toy_folder(tmp_path, sizes=(6, 2, 2), epochs=50)
    folder.ask("stop")

    assert run(folder.path) == FINISHED

    assert folder.model()["ended"] == "asked to stop"
    assert len(folder.model()["curve"]) == 1
    assert len(folder.scores()) == 4


def test_a_cancelled_run_continues_to_the_same_result(tmp_path):
    whole, cut = (toy_folder(tmp_path / name, sizes=(6, 2, 2)) for name in ("whole", "cut"))
    run(whole.path)
    cut.ask("cancel")

    assert run(cut.path) == INTERRUPTED
    assert cut.state().state == "interrupted"
    assert "the same command continues" in cut.state().sentence
    assert [*(cut.path / "checkpoints").iterdir()]

    (cut.path / "cancel").unlink()
    assert run(cut.path) == FINISHED
    assert contents(cut) == contents(whole)
    assert [row["update"] for row in cut.progress() if row["kind"] == "resumed"] == [1]
    assert [row["kind"] for row in cut.progress()].count("note") == 1


@pytest.mark.parametrize(
    ("ranker", "fields", "sentence"),
    [
        ("cross-encoder", {"sizes": (0, 2, 2)}, "the training part is empty"),
        ("cross-encoder", {"sizes": (2, 0, 0), "epochs": 0}, "there is nothing to score"),
        ("cross-encoder", {"checkpoint": "/nowhere"}, "there is no checkpoint folder /nowhere"),
        ("cross-encoder", {"device": "tpu"}, "unknown device 'tpu'"),
    ],
)
def test_a_request_that_cannot_run_is_refused_in_one_sentence(tmp_path, ranker, fields, sentence):
    folder = toy_folder(tmp_path, ranker, **fields)

    assert run(folder.path) == REFUSED
    assert folder.state().state == "failed"
    assert sentence in folder.state().sentence


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ((0, 0), "no candidate of the training part is a gold"),
        ((1, 1), "no candidate of the training part is a distractor"),
    ],
)
def test_a_classifier_needs_golds_and_distractors(tmp_path, labels, sentence):
    candidates = tuple(zip(("kings", "builders"), labels, strict=True))
    rows = [TaskText(part, part, "Ida Lind ruled. Ida Lind", "Ida Lind", candidates) for part in ("train", "test")]
    write_request(tmp_path, make_request("cross-encoder", {}, "tiny", device="cpu"), rows)

    assert run(tmp_path) == REFUSED
    assert sentence in WorkFolder(tmp_path).state().sentence


def test_memory_that_another_process_holds_is_told_in_a_sentence(tmp_path, monkeypatch):
    def taken(*arguments, **options):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr("modeling.rankers.neural.running.open_model", taken)
    folder = toy_folder(tmp_path)

    assert run(folder.path) == STUCK
    assert folder.state().sentence.startswith("Memory ran out: another process may hold it")


@(
    pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
    if torch.cuda.is_available()
    else lambda f: f
)
def test_a_missing_gpu_is_told(tmp_path):
    folder = toy_folder(tmp_path, device="cuda")

    assert run(folder.path) == STUCK
    assert folder.state().sentence == "cuda was asked for, but this machine has no GPU that torch can use"


def test_a_loss_that_is_not_finite_ends_with_the_update_and_its_tasks(tmp_path, monkeypatch):
    folder = toy_folder(tmp_path, sizes=(6, 2, 2), max_sentences=4)
    real = optimizer.Optimizer.step

    def step(self, rate):
        real(self, rate)
        self.weights.flat.fill_(float("nan"))

    monkeypatch.setattr(optimizer.Optimizer, "step", step)

    assert run(folder.path) == STUCK
    assert "not a finite number at update 2 of 12 (tasks train-" in folder.state().sentence


def test_a_full_disk_is_told_and_the_run_continues_later(tmp_path, monkeypatch):
    whole, folder = (toy_folder(tmp_path / name, sizes=(6, 2, 2)) for name in ("whole", "cut"))
    run(whole.path)

    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(saving, "save_file", full)
        assert run(folder.path) == STUCK
    assert folder.state().sentence.startswith("The disk is full")

    assert run(folder.path) == FINISHED
    assert contents(folder) == contents(whole)


def test_memory_that_runs_out_names_a_batch_that_fits(tmp_path, monkeypatch):
    folder = toy_folder(tmp_path, sizes=(6, 2, 2))

    def no_memory(self, loss):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(optimizer.Optimizer, "backward", no_memory)

    assert run(folder.path) == STUCK
    assert "Memory ran out at update 1 on cpu with" in folder.state().sentence
    assert "accumulate to 2 or choose bf16" in folder.state().sentence


def test_a_fault_in_the_program_stays_a_traceback(tmp_path, monkeypatch):
    folder = toy_folder(tmp_path)
    monkeypatch.setattr("modeling.rankers.neural.running.encode_tasks", lambda *a, **k: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        run(folder.path)
    assert folder.state().state == "failed"


def test_adam_is_torchs_own(tmp_path):
    from modeling.rankers.neural.bart import Weights
    from modeling.rankers.neural.settings import CrossEncoderSettings

    torch.manual_seed(0)
    weights = Weights({"a": (5, 3), "b": (7,)}, dtype=torch.float32, device=torch.device("cpu"))
    weights.flat.normal_()
    mine = optimizer.Optimizer(weights, CrossEncoderSettings(clip_norm=0.5), is_scaled=False)
    copy = weights.flat.clone().requires_grad_()
    theirs = torch.optim.AdamW([copy], lr=0.1, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.01)

    for _ in range(3):
        gradient = torch.randn_like(copy)
        mine.gradients.copy_(gradient)
        copy.grad = gradient.clone()
        torch.nn.utils.clip_grad_norm_([copy], 0.5)
        mine.step(0.1)
        theirs.step()

    assert torch.allclose(weights.flat, copy, atol=1e-6)
