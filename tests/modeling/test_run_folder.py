from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernel.atomic_files import read_lines, write_lines
from kernel.errors import InvalidInput, WrongState
from kernel.values import Json, canonical_json
from modeling.run_folder import RunFolder


def test_a_folder_is_taken_up_again_by_its_own_run_and_refused_to_another(tmp_path: Path):
    RunFolder.open(tmp_path / "run", {"seed": 1, "ranker": "random"}).write_metrics([{"epoch": 1}])

    again = RunFolder.open(tmp_path / "run", {"ranker": "random", "seed": 1})

    assert again.metrics() == [{"epoch": 1}]
    with pytest.raises(WrongState, match="another run"):
        RunFolder.open(tmp_path / "run", {"seed": 2, "ranker": "random"})


def test_a_line_of_the_log_torn_by_a_crash_is_dropped_and_the_next_begins_anew(tmp_path: Path):
    folder = RunFolder.open(tmp_path, {})
    folder.log("first")
    with (tmp_path / "log.txt").open("ab") as file:
        file.write(b"seco")

    folder.log("third")

    assert (tmp_path / "log.txt").read_text() == "first\nthird\n"


def test_lines_end_where_the_file_says_and_not_inside_a_text(tmp_path: Path):
    folder = RunFolder.open(tmp_path, {})
    rows: list[dict[str, Json]] = [{"text": "one\u2028two\x85three"}, {"text": "four\u2029five"}]

    write_lines(folder.predictions_path, (canonical_json(row) for row in rows))
    folder.write_metrics(rows)

    assert [json.loads(line) for line in read_lines(folder.predictions_path)] == rows
    assert folder.metrics() == rows


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path):
    def lines():
        yield "first"
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        write_lines(tmp_path / "predictions.jsonl", lines())

    assert [*tmp_path.iterdir()] == []
    write_lines(tmp_path / "predictions.jsonl", ["whole"])
    with pytest.raises(RuntimeError):
        write_lines(tmp_path / "predictions.jsonl", lines())
    assert (tmp_path / "predictions.jsonl").read_text() == "whole\n"


def test_the_model_comes_back_and_a_damaged_one_is_named(tmp_path: Path):
    folder = RunFolder.open(tmp_path, {})
    assert folder.model() is None

    folder.save_model({"weights": [0.1, 1e-300]})

    assert folder.model() == {"weights": [0.1, 1e-300]}
    (tmp_path / "model.json").write_text("{", encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"model\.json"):
        folder.model()


def test_a_log_line_stays_one_line(tmp_path: Path):
    folder = RunFolder.open(tmp_path, {})

    folder.log("first\nsecond")
    folder.log("third")

    assert (tmp_path / "log.txt").read_text() == "first second\nthird\n"
