"""fairseq's commands, played by a shell script: what they print, how they fail, and that they end with the run."""

from __future__ import annotations

import json
import os
import pickle
import runpy
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import torch

from kernel.errors import Cancelled, InvalidInput
from modeling.rankers.neural import fairseq_commands
from modeling.rankers.neural.control import Control
from modeling.rankers.neural.fairseq_commands import Commands
from modeling.rankers.neural.fairseq_python import SCRIPT
from modeling.rankers.neural.running import run
from modeling.rankers.neural.work_folder import REFUSED, Stuck, WorkFolder
from tests.modeling.neural.torch_values import toy_folder

pytestmark = pytest.mark.neural


@pytest.fixture
def played(tmp_path, monkeypatch):
    """Return a function that makes commands of an interpreter which runs these shell lines."""

    def make(lines: str, *, is_trusted: bool = True) -> Commands:
        python = tmp_path / "python"
        python.write_text(f"#!/bin/sh\n{lines}\n")
        python.chmod(0o755)
        monkeypatch.setenv("TESA_FAIRSEQ_PYTHON", str(python))
        return Commands(tmp_path / "fairseq", Control(WorkFolder(tmp_path)), is_trusted=is_trusted)

    return make


def test_every_line_is_passed_on_and_kept_in_the_log(played):
    lines: list[str] = []
    commands = played("echo one; echo two >&2")

    commands.run("-m", "fairseq_cli.train", on_line=lines.append)

    assert lines == ["one", "two"]
    assert (commands.folder / "log.txt").read_text() == "one\ntwo\n"


@pytest.mark.parametrize("is_trusted", [True, False])
def test_the_script_is_told_whether_a_checkpoint_may_be_unpickled(played, is_trusted):
    commands = played('cp "$3" kept.json; touch count.results.jsonl', is_trusted=is_trusted)

    commands.job("count", {"do": "count"})

    assert json.loads((commands.folder / "kept.json").read_text())["is_trusted"] is is_trusted


@pytest.fixture
def script(monkeypatch):
    """The script that runs in fairseq's interpreter, with modules that only look like fairseq's."""
    for name in (
        "fairseq", "fairseq.data", "fairseq.data.data_utils", "fairseq.dataclass", "fairseq.dataclass.utils",
        "fairseq.ngram_repeat_block", "fairseq.sequence_scorer",
    ):  # fmt: skip
        monkeypatch.setitem(sys.modules, name, MagicMock(NGramRepeatBlock=object))
    return runpy.run_path(str(SCRIPT))


class Attack:
    """Makes a folder when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("is_forced", [True, False])
def test_nothing_in_a_checkpoint_is_run_unless_it_is_trusted(script, tmp_path, monkeypatch, is_forced):
    read, made, path = script["read_checkpoint"], tmp_path / "made", tmp_path / "model.pt"
    torch.save({"model": {"weight": torch.ones(2)}, "cfg": Attack(made)}, path)
    if is_forced:  # as it is for the commands of fairseq itself
        monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")

    with pytest.raises(pickle.UnpicklingError):
        read(str(path), is_trusted=False)
    assert not made.exists()

    assert torch.equal(read(str(path), is_trusted=True)["model"]["weight"], torch.ones(2))
    assert made.exists()


def test_a_checkpoint_of_weights_and_arguments_needs_no_trust(script, tmp_path):
    path = tmp_path / "model.pt"
    torch.save({"model": {"weight": torch.ones(2)}, "args": Namespace(arch="bart_base")}, path)

    assert script["read_checkpoint"](str(path), is_trusted=False)["args"].arch == "bart_base"


@pytest.mark.parametrize(
    ("last_line", "kind", "message"),
    [
        ("ValueError: mutable default", InvalidInput, "fairseq-train ended with an error: ValueError: mutable default"),
        ("CUDA out of memory. Tried to allocate", Stuck, "Memory ran out in fairseq-train"),
    ],
)
def test_a_command_that_fails_is_explained_by_its_last_line(played, last_line, kind, message):
    commands = played(f"echo Traceback '(most recent call last)':; echo '{last_line}'; exit 1")

    with pytest.raises(kind) as error:
        commands.run("-m", "fairseq_cli.train")

    assert message in error.value.message


def test_cancel_ends_the_command(played, monkeypatch, tmp_path):
    monkeypatch.setattr(fairseq_commands, "SECONDS_BETWEEN_LOOKS", 0.01)
    commands = played(f"echo $$ > {tmp_path}/process; exec sleep 600")
    commands.control.folder.ask("cancel")

    with pytest.raises(Cancelled):
        commands.run("-m", "fairseq_cli.train")

    if (tmp_path / "process").exists():  # it may have been ended before it wrote its number
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "process").read_text()), 0)


def test_a_result_for_each_task_is_demanded(played):
    commands = played("""echo '{"scores": []}' > score.results.jsonl""")

    with pytest.raises(InvalidInput, match="1 results for 2 tasks"):
        commands.job("score", {"do": "score"}, [{"text": [4]}, {"text": [5]}])


@pytest.mark.parametrize(
    ("python", "message"),
    [("", "this machine has no fairseq: run make fairseq-env"), ("/nowhere/python", "which is not a Python")],
)
def test_a_run_without_fairseq_is_refused_in_one_sentence(tmp_path, monkeypatch, python, message):
    monkeypatch.setenv("TESA_FAIRSEQ_PYTHON", python)
    folder = toy_folder(tmp_path / "work", "cross-encoder", sizes=(2, 1, 1), backend="fairseq")

    assert run(folder.path) == REFUSED
    assert message in folder.state().sentence
