"""Ranking tasks that came as files are ranked by one command, and a bad file is told in one sentence."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from modeling.dataset import PARTS, Dataset
from modeling.evaluation import evaluate
from modeling.task_files import CSV_NAMES, JSONL, read_task_files, write_task_files
from tests.modeling.recompute import recompute
from tests.modeling.values import make_item, make_task, synthetic_dataset


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.VAR = tmp_path / "var"
    settings.VECTORS_FOLDER = tmp_path / "vectors"


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder with the same tasks as CSV files and, one deeper, as JSON lines."""
    write_task_files(synthetic_dataset(), tmp_path / "tasks", "csv")
    write_task_files(synthetic_dataset(), tmp_path / "tasks" / "ours", "jsonl")
    return tmp_path / "tasks"


def output_of(*arguments: str | Path) -> str:
    out = StringIO()
    call_command("rank_files", *map(str, arguments), stdout=out)
    return out.getvalue()


def refused(*arguments: str | Path) -> str:
    with pytest.raises(CommandError) as caught:
        output_of(*arguments, "--ranker", "frequency")
    return str(caught.value)


def rows(text: str, rankers: int) -> list[dict[str, str]]:
    """Return the lines of a table printed as CSV, without what is said under it."""
    return list(csv.DictReader(text.splitlines()[: 1 + rankers]))


@pytest.mark.parametrize("names", [["ours"], ["ours/tasks.jsonl"], ["."], [*CSV_NAMES]])
def test_our_file_and_the_original_s_are_ranked_and_the_figures_are_those_of_a_run(folder, names):
    text = output_of(
        *(folder / name for name in names), "--ranker", "frequency", "--ranker", "random", "--format", "csv"
    )

    frequency, random = rows(text, 2)
    dataset = read_task_files([folder])
    counts: dict[str, int] = {}
    for task in dataset["train"]:
        for phrase in task.gold_phrases:
            counts[phrase] = counts.get(phrase, 0) + 1
    for part in ("valid", "test"):
        scores = [[float(counts.get(phrase, 0)) for phrase in task.phrases] for task in dataset[part]]
        figure = evaluate(dataset[part], scores).figure("ap")
        assert [float(frequency[f"{part} MAP {name}"]) for name in ("mean", "low", "high")] == [
            figure.mean, figure.low, figure.high,
        ]  # fmt: skip
    best = max((frequency, random), key=lambda row: float(row["valid MAP mean"]))
    assert "60/30/30 tasks (train/valid/test)" in text
    assert f"chosen by validation: {best['method']}\n" in text


def test_files_whose_names_tell_their_parts_may_come_in_any_order(folder):
    original = read_task_files([folder])
    by_folder = {part: [task.key for task in original[part]] for part in PARTS}
    (folder / CSV_NAMES[1]).rename(folder / "Ranking task, Validation.csv")
    names = sorted(path for path in folder.iterdir() if path.suffix == ".csv" and "ask" in path.name)

    dataset = read_task_files(names[::-1])

    assert {part: [task.key for task in dataset[part]] for part in PARTS} == by_folder
    assert "60/30/30 tasks (train/valid/test)" in output_of(*names, "--ranker", "frequency")


def test_files_whose_names_tell_nothing_are_train_valid_and_test_in_this_order(folder):
    for old, new in zip(CSV_NAMES, ("c.csv", "latest.csv", "a.csv"), strict=True):
        (folder / old).rename(folder / new)

    dataset = read_task_files([folder / name for name in ("c.csv", "latest.csv", "a.csv")])

    assert [len(dataset[part]) for part in PARTS] == [60, 30, 30]


@pytest.mark.parametrize("names", [("a.csv", "valid.csv", "test.csv"), ("train1.csv", "train2.csv", "test.csv")])
def test_files_whose_names_tell_only_some_parts_are_refused(folder, names):
    for old, new in zip(CSV_NAMES, names, strict=True):
        (folder / old).rename(folder / new)

    assert refused(*(folder / name for name in names)) == (
        f"which is train, valid and test? Each name should contain one of these words: {', '.join(names)}"
    )


def test_validation_chooses_among_parameters_and_seeds_and_only_the_chosen_leave_files(folder, tmp_path):
    text = output_of(
        folder / "ours", "--ranker", "logistic-tesa penalty=1,100", "--ranker", "random", "--seed", "1", "--seed", "2",
        "--format", "csv", "--out", tmp_path / "out",
    )  # fmt: skip

    assert text.count(" from 2 runs") == 2
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["logistic-tesa", "random"]
    for row in rows(text, 2):
        lines = (tmp_path / "out" / row["method"] / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
        anew = recompute(lines)
        for part in ("valid", "test"):
            assert float(row[f"{part} MAP mean"]) == pytest.approx(anew[part, "MAP"], abs=1e-12)
    alone = [
        rows(output_of(folder / "ours", "--ranker", "random", "--seed", seed, "--format", "csv"), 1)[0]
        for seed in ("1", "2")
    ]
    better = max(alone, key=lambda row: float(row["valid MAP mean"]))
    assert rows(text, 2)[1]["test MAP mean"] == better["test MAP mean"]
    assert "exists and is not an empty folder" in refused(folder, "--out", tmp_path / "out")


def test_a_bad_file_is_told_with_its_name_line_and_field(folder):
    path = folder / CSV_NAMES[1]
    whole = path.read_text(encoding="utf-8")

    path.write_text(whole.replace("\"['", '"[', 1), encoding="utf-8")
    assert refused(folder).startswith("ranking_task_valid.csv, line 2: 'entities' is not a list as Python writes it")
    path.write_text(whole.replace("labels", "label", 1), encoding="utf-8")
    assert refused(folder) == "ranking_task_valid.csv: the columns labels are missing"
    path.write_text(whole.splitlines()[0] + "\n", encoding="utf-8")
    assert refused(folder) == "ranking_task_valid.csv: there is no task for valid"
    path.write_bytes(whole.encode("utf-16"))
    assert refused(folder).startswith("ranking_task_valid.csv: this is not UTF-8 text")
    path.unlink()
    assert "(missing: ranking_task_valid.csv)" in refused(folder)
    assert refused(path).endswith("cannot read the file (No such file or directory)")
    assert "three CSV files" in refused(folder / CSV_NAMES[0], folder / CSV_NAMES[2])
    ours = folder / "ours" / JSONL
    ours.write_text(ours.read_text(encoding="utf-8").replace('"schema":1', '"schema":7', 1), encoding="utf-8")
    assert refused(ours).startswith("tasks.jsonl, line 1: schema 7 is unknown")


def test_a_task_in_two_parts_is_refused(tmp_path):
    same = make_task()
    parts = {"train": (make_task(make_item("k2")), same), "valid": (make_task(make_item("k3")),), "test": (same,)}
    write_task_files(Dataset({}, parts), tmp_path, "jsonl")

    text = refused(tmp_path)

    assert text == "tasks.jsonl, test, task 1: Ida Lind, Olaf Brandt: this task repeats train, task 2"


def test_labels_may_be_written_as_python_writes_truth(folder):
    path = folder / CSV_NAMES[2]
    path.write_text(path.read_text(encoding="utf-8").replace("[1, 0", "[True, 0"), encoding="utf-8")

    dataset = read_task_files([folder])

    assert [len(dataset[part]) for part in PARTS] == [60, 30, 30]
