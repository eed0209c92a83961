"""Checkpoints are checked before they are added, and appear whole or not at all."""

from __future__ import annotations

import io
import json
import struct

import pytest
from django.core.management import CommandError, call_command

from modeling import adding_checkpoints
from modeling.rankers.neural.checkpoint_folders import PRESETS
from modeling.selectors import training_machines


def make_checkpoint(folder, name: str = "small", **config):
    """Write a Hugging Face folder that looks like a BART: sizes, tokenizer, one tensor."""
    path = folder / name
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps({**PRESETS["tiny"].to_config(), **config}))
    (path / "tokenizer.json").write_text("{}")
    heading = json.dumps({"shared": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}).encode()
    (path / "model.safetensors").write_bytes(struct.pack("<Q", len(heading)) + heading + b"\0" * 24)
    return path


@pytest.fixture(autouse=True)
def _own_models(settings, tmp_path):
    settings.MODELS_DIR = tmp_path / "models"


def test_a_hugging_face_folder_is_copied_and_described(tmp_path, settings):
    output = io.StringIO()
    call_command("models_add", make_checkpoint(tmp_path), name="mine", stdout=output)

    assert "mine: 6 parameters" in output.getvalue()
    assert "it has no licence file" in output.getvalue()
    assert (settings.MODELS_DIR / "mine" / "model.safetensors").exists()


@pytest.mark.parametrize(
    ("name", "config", "message"),
    [
        ("mine", {"model_type": "t5"}, "the architecture is 't5'; only bart can be used"),
        ("tiny", {}, "'tiny' cannot be the name of a checkpoint"),
        ("../mine", {}, "cannot be the name"),
    ],
)
def test_what_cannot_be_used_is_refused_and_leaves_nothing(tmp_path, settings, name, config, message):
    with pytest.raises(CommandError, match=message):
        call_command("models_add", make_checkpoint(tmp_path, **config), name=name)

    assert [*settings.MODELS_DIR.iterdir()] == []


def test_a_name_is_taken_once(tmp_path):
    call_command("models_add", make_checkpoint(tmp_path), stdout=io.StringIO())

    with pytest.raises(CommandError, match="there is a checkpoint 'small'"):
        call_command("models_add", tmp_path / "small")


def test_converting_without_torch_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(adding_checkpoints, "has_torch", lambda: False)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "model.pt").write_bytes(b"")

    with pytest.raises(CommandError, match="needs torch, which this machine lacks: run make worker-gpu"):
        call_command("models_add", tmp_path / "old")


def test_the_papers_checkpoint_is_suggested_where_a_worker_has_it():
    assert training_machines.suggested_checkpoint(["bart.large.cnn", "tiny"]) == "bart.large.cnn"
    assert training_machines.suggested_checkpoint(["tiny"]) == "tiny"
