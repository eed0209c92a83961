"""fairseq's commands, played by a shell script: what they print, how they fail, and that they end with the run."""

from __future__ import annotations

import os

import pytest

from modeling.rankers.neural import fairseq_commands
from modeling.rankers.neural.control import Control
from modeling.rankers.neural.fairseq_commands import Commands
from modeling.rankers.neural.running import run
from modeling.rankers.neural.work_folder import REFUSED, Stuck, WorkFolder
from tesa_site.kernel.errors import Cancelled, InvalidInput
from tests.modeling.neural.torch_values import toy_folder

pytestmark = pytest.mark.neural


@pytest.fixture
def played(tmp_path, monkeypatch):
    """Return a function that makes commands of an interpreter which runs these shell lines."""

    def make(lines: str) -> Commands:
        python = tmp_path / "python"
        python.write_text(f"#!/bin/sh\n{lines}\n")
        python.chmod(0o755)
        monkeypatch.setenv("TESA_FAIRSEQ_PYTHON", str(python))
        return Commands(tmp_path / "fairseq", Control(WorkFolder(tmp_path)))

    return make


def test_every_line_is_passed_on_and_kept_in_the_log(played):
    lines: list[str] = []
    commands = played("echo one; echo two >&2")

    commands.run("-m", "fairseq_cli.train", on_line=lines.append)

    assert lines == ["one", "two"]
    assert (commands.folder / "log.txt").read_text() == "one\ntwo\n"


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
