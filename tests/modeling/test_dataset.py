from __future__ import annotations

import dataclasses

import pytest

from kernel.errors import InvalidInput
from modeling.dataset import Candidate, Dataset, RankingTask, check_task, read_dataset
from tests.modeling.values import make_item, make_task, synthetic_dataset


def test_a_dataset_comes_back_from_its_lines_with_the_same_hash():
    dataset = synthetic_dataset()

    again = read_dataset(dataset.to_lines())

    assert again.parts == dataset.parts
    assert again.spec == dataset.spec
    assert again.content_hash() == dataset.content_hash()


def test_the_hash_tells_a_changed_label_a_changed_part_and_a_changed_specification():
    task = make_task()
    other = RankingTask(task.item, (Candidate("painters", 1), Candidate("cities", 1), Candidate("banks", 0)))
    base = Dataset({"seed": 1}, {"train": (task,), "valid": (), "test": ()})
    changed = [
        Dataset({"seed": 1}, {"train": (other,), "valid": (), "test": ()}),
        Dataset({"seed": 1}, {"train": (), "valid": (task,), "test": ()}),
        Dataset({"seed": 2}, {"train": (task,), "valid": (), "test": ()}),
    ]

    assert len({base.content_hash(), *(dataset.content_hash() for dataset in changed)}) == 4


def test_a_file_that_was_cut_or_changed_is_refused():
    lines = [*synthetic_dataset().to_lines()]
    changed = [lines[0], *(line.replace('",1]', '",0]', 1) for line in lines[1:2]), *lines[2:-1]]

    with pytest.raises(InvalidInput, match="changed or cut"):
        read_dataset(changed)


@pytest.mark.parametrize(
    ("number", "line", "message"),
    [
        (0, '{"schema": 9}', "schema 9"),
        (2, '{"part": "holdout"}', "'holdout' is not named"),
        (2, '{"part": "train", "candidates": [["a", 7]], "item": {}}', "is not a candidate"),
        (2, "{", "not JSON"),
    ],
)
def test_a_bad_line_is_told_with_its_number(number: int, line: str, message: str):
    lines = [*synthetic_dataset().to_lines()]
    lines[number] = line

    with pytest.raises(InvalidInput, match=f"line {number + 1}") as caught:
        read_dataset(lines, name="tasks.jsonl")

    assert message in str(caught.value)


def test_an_empty_file_and_an_unknown_part_get_a_sentence():
    with pytest.raises(InvalidInput, match="empty"):
        read_dataset([])
    with pytest.raises(InvalidInput, match="no part 'holdout'"):
        synthetic_dataset()["holdout"]


def test_a_task_without_gold_or_with_a_phrase_twice_is_refused():
    task = make_task()

    with pytest.raises(InvalidInput, match="nothing to rank first"):
        check_task(dataclasses.replace(task, candidates=(Candidate("cities", 0),)), "here")
    with pytest.raises(InvalidInput, match="'cities' appears twice"):
        check_task(make_task(make_item(golds=("cities",))), "here")
