"""The folder through which a job and the neural command talk, without torch."""

from __future__ import annotations

import pytest

from kernel.errors import InvalidInput, TesaError, WrongState
from modeling.rankers.neural.request import TaskText, make_request, read_request, task_row, write_request
from modeling.rankers.neural.settings import SETTINGS
from modeling.rankers.neural.work_folder import Locked, WorkFolder, file_hashes
from modeling.text_formats import FORMATS
from tests.modeling.values import make_item, make_task, refusal

ROW = TaskText(
    "train", "k1", "About Ida. Ida Lind, Olaf Brandt", "Ida Lind, Olaf Brandt", (("painters", 1), ("banks", 0))
)


def make_folder(path, **fields):
    request = make_request("cross-encoder", {"epochs": 2, **fields}, "tiny", device="cpu", seed=7)
    write_request(path, request, [ROW])
    return request


def test_a_request_is_read_as_it_was_written(tmp_path):
    request = make_folder(tmp_path)

    assert read_request(tmp_path) == (request, (ROW,))


def test_the_same_request_may_be_written_twice_and_another_may_not(tmp_path):
    make_folder(tmp_path)
    make_folder(tmp_path)

    with pytest.raises(WrongState, match="holds another request"):
        make_folder(tmp_path, dropout=0.2)


def test_changed_tasks_are_refused(tmp_path):
    make_folder(tmp_path)
    (tmp_path / "tasks.jsonl").write_text("", encoding="utf-8")

    with pytest.raises(InvalidInput, match="changed after it was written"):
        read_request(tmp_path)


@pytest.mark.parametrize("name", FORMATS)
def test_a_text_ends_with_the_entity_names_in_every_format(name):
    row = task_row(make_task(make_item()), "train", name)

    assert row.text.endswith(row.names)
    assert "Ida Lind" in row.names
    assert "painter." not in row.names
    assert row.labels == [1, 0, 0]


@pytest.mark.parametrize(
    ("ranker", "parameters", "sentence"),
    [
        ("bert", {}, "unknown neural method 'bert'"),
        ("seq2seq", {"loss": "two-class"}, "loss: this method learns by cross-entropy or listwise"),
        ("seq2seq", {"precision": "fp8"}, "precision: unknown precision"),
        ("cross-encoder", {"score": "original"}, "score: there is no such parameter"),
        ("cross-encoder", {"max_sentences": 0, "max_tokens": 0}, "batches need a limit"),
        ("seq2seq", {"backend": "marian"}, "backend: unknown backend; known: transformers, fairseq"),
        ("seq2seq", {"backend": "fairseq", "loss": "listwise"}, "loss: fairseq has no listwise loss"),
        ("seq2seq", {"backend": "fairseq", "generate": "samples"}, "generate: fairseq generates beams here"),
        ("cross-encoder", {"backend": "fairseq", "evaluate_every": 5}, "validation follows each epoch"),
        ("cross-encoder", {"backend": "fairseq", "precision": "bf16"}, "fairseq computes in bf16 on TPUs only"),
        ("cross-encoder", {"dropout": 1.0}, "dropout: must be at least 0 and below 1"),
    ],
)
def test_a_request_that_cannot_run_is_refused_with_one_sentence(ranker, parameters, sentence):
    assert sentence in refusal(lambda: make_request(ranker, parameters, "tiny"))


def test_the_presets_have_the_settings_of_the_paper():
    generative, discriminative = SETTINGS["bart-generative"](), SETTINGS["bart-discriminative"]()

    assert (generative.learning_rate, generative.warmup_share, generative.max_tokens) == (5e-6, 0.03, 1024)
    assert (generative.beta2, generative.clip_norm, generative.epochs) == (0.999, 0.1, 6)
    assert (discriminative.learning_rate, discriminative.warmup_share, discriminative.max_tokens) == (2e-5, 0.06, 4400)
    assert (discriminative.beta2, discriminative.clip_norm, discriminative.max_sentences) == (0.98, 0.0, 8)
    assert SETTINGS["bart-pretrained"]().epochs == 0


def test_only_one_process_at_a_time_works_in_a_folder(tmp_path):
    folder = WorkFolder(tmp_path)

    assert not folder.is_running()
    with folder.locked():
        assert folder.is_running()
        with pytest.raises(Locked), folder.locked():
            pass
    assert not folder.is_running()


def test_progress_leaves_out_updates_that_were_repeated_and_lines_that_were_cut(tmp_path):
    folder = WorkFolder(tmp_path)
    for update in (10, 20, 30):
        folder.report("update", update=update)
    with (tmp_path / "progress.jsonl").open("ab") as file:
        file.write('{"kind": "note", "text": "é'.encode()[:-1])

    folder.report("resumed", update=20)
    folder.report("update", update=25)

    assert [row.get("update") for row in folder.progress()] == [10, 20, 20, 25]


def test_a_state_is_one_sentence_on_one_line(tmp_path):
    folder = WorkFolder(tmp_path)
    assert folder.state().state == ""

    folder.enter("failed", "The disk\nis full.")

    assert (folder.state().state, folder.state().sentence) == ("failed", "The disk is full.")


def test_scores_are_read_by_part_and_key(tmp_path):
    folder = WorkFolder(tmp_path)
    folder.write_scores([("valid", "k1", [0.1, -2.0]), ("test", "k1", [1 / 3])])

    assert folder.scores() == {("valid", "k1"): [0.1, -2.0], ("test", "k1"): [1 / 3]}


def test_files_are_named_with_hash_and_size(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")

    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert file_hashes(tmp_path) == {"a": {"sha256": digest, "size": 3}}


def test_a_request_needs_weights():
    with pytest.raises(TesaError, match="choose the weights"):
        make_request("seq2seq", {}, "")
