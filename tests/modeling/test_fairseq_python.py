"""The interpreter with fairseq: what is wrong with it is said in one sentence, and what it has is reported."""

from __future__ import annotations

import pytest

from kernel.errors import InvalidInput
from modeling.rankers.neural import fairseq_python
from modeling.rankers.neural.checkpoint_folders import PRESETS
from modeling.rankers.neural.fairseq_arguments import base_arguments, batch_arguments
from modeling.rankers.neural.fairseq_data import dictionary, line_of
from modeling.rankers.neural.settings import SETTINGS
from modeling.selectors import this_machine


def play(folder, monkeypatch, lines: str) -> None:
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{lines}\n")
    python.chmod(0o755)
    monkeypatch.setenv(fairseq_python.VARIABLE, str(python))
    this_machine._fairseq.cache_clear()


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("echo Traceback >&2; echo 'ModuleNotFoundError: fairseq' >&2; exit 1", "(ModuleNotFoundError: fairseq)"),
        ("true", "(it printed nothing)"),
        ("echo 3.11", "(3.11)"),
    ],
)
def test_an_interpreter_where_fairseq_does_not_start_is_explained_with_the_command(
    tmp_path, monkeypatch, lines, reason
):
    play(tmp_path, monkeypatch, lines)

    with pytest.raises(InvalidInput) as error:
        fairseq_python.ask()

    assert reason in error.value.message
    assert "make fairseq-env" in error.value.message
    assert this_machine._fairseq() == {"problem": error.value.message}


def test_a_worker_reports_the_versions_of_its_interpreter_and_nothing_without_one(tmp_path, monkeypatch):
    play(tmp_path, monkeypatch, """echo noise; echo '{"versions": {"fairseq": "0.12.3"}}'""")
    assert this_machine._fairseq() == {"versions": {"fairseq": "0.12.3"}}

    this_machine._fairseq.cache_clear()
    monkeypatch.delenv(fairseq_python.VARIABLE)
    assert this_machine._fairseq() == {}


def test_every_token_is_its_own_number_in_the_dictionary():
    words = ["<s>", "<pad>", "</s>", "<unk>", *(line.split()[0] for line in dictionary(12))]

    assert len(words) == 12
    assert [words.index(word) for word in line_of([0, 4, 2, 10, 11], 12).split()] == [0, 4, 2, 10, 11]


@pytest.mark.parametrize("name", SETTINGS)
def test_no_sentence_is_dropped_because_batches_have_no_multiple(name, tmp_path):
    arguments = [*base_arguments(PRESETS["tiny"], SETTINGS[name](), tmp_path, is_cpu=True)]
    arguments += batch_arguments(SETTINGS[name](), seed=1)

    assert arguments[arguments.index("--required-batch-size-multiple") + 1] == "1"
    assert "--cpu" in arguments
