from __future__ import annotations

import ast
import csv
import io

import pytest

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from kernel.csv_files import unguarded
from kernel.errors import InvalidInput
from modeling.dataset import PARTS
from modeling.original_csv import (
    DATASET_COLUMNS,
    RANKING_COLUMNS,
    read_ranking_csv,
    write_dataset_csv,
    write_ranking_csv,
)
from modeling.task_files import CSV_NAMES, read_task_files
from tests.modeling.values import make_item, make_task, synthetic_dataset


def test_ranking_tasks_come_back_from_the_published_columns():
    tasks = synthetic_dataset()["valid"]
    file = io.StringIO(newline="")

    write_ranking_csv(tasks, file)
    file.seek(0)
    again = read_ranking_csv(file)

    assert next(csv.reader(file.getvalue().splitlines())) == [*RANKING_COLUMNS]
    assert [task.candidates for task in again] == [task.candidates for task in tasks]
    for ours, theirs in zip(again, tasks, strict=True):
        same = ("entity_type", "entities", "title", "context", "backgrounds")
        assert [getattr(ours.item, name) for name in same] == [getattr(theirs.item, name) for name in same]
    assert len({task.key for task in again}) == len(tasks)


def test_items_are_written_with_the_published_columns():
    item = make_item(context='She said "1 < 2 & 3".', entity_type=EntityType.ORGANIZATION, kind=ContextKind.ABSTRACT)
    file = io.StringIO(newline="")

    write_dataset_csv([item], file)
    file.seek(0)
    (row,) = csv.DictReader(file)

    assert (*row,) == DATASET_COLUMNS
    assert (row["entities_type"], row["context_type"], row["date"]) == ("org", "summary", "1901/02/03")
    assert row["context"] == 'She said "1 &lt; 2 &amp; 3".'
    assert [ast.literal_eval(row[name]) if row[name] else [] for name in ("answer_0", "answer_1", "answer_2")] == [
        ["Painters"], [], [],
    ]  # fmt: skip
    assert ast.literal_eval(row["summaries"]) == dict(zip(item.entities, item.backgrounds, strict=True))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_texts_that_a_spreadsheet_would_run_come_back_from_files(tmp_path, encoding):
    nasty = {
        "entities": ("=Lind", "x;=Brandt"),
        "title": "=1+1",
        "context": "-2 degrees;=cmd, she said.\n@home",
        "backgrounds": ("+1;-1", 'a;"=b"'),
    }
    tasks = [make_task(make_item(part, ("=painters;-x",), **nasty), (part, "@banks")) for part in PARTS]
    for task, name in zip(tasks, CSV_NAMES, strict=True):
        with (tmp_path / name).open("w", encoding=encoding, newline="") as file:
            write_ranking_csv([task], file)
    with (tmp_path / "dataset.csv").open("w", encoding=encoding, newline="") as file:
        write_dataset_csv([tasks[0].item], file)

    dataset = read_task_files([tmp_path])
    with (tmp_path / "dataset.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)

    for part, task in zip(PARTS, tasks, strict=True):
        (again,) = dataset[part]
        assert again.phrases == task.phrases
        assert {name: getattr(again.item, name) for name in nasty} == nasty
    assert ast.literal_eval(row["entities"]) == [*nasty["entities"]]
    assert unguarded(row["title"]) == nasty["title"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"entities": "__import__('os')"}, "'entities' is not a list as Python writes it"),
        ({"entities": "[]"}, "'entities' is empty"),
        ({"labels": "[1]"}, "one 0 or 1 per candidate"),
        ({"labels": "[0, 0, 0]"}, "nothing to rank first"),
        ({"entities_type": "planet"}, "'entities_type' is 'planet'"),
        ({"wiki_articles": "['']"}, "2 entities but 1 backgrounds"),
        ({"candidates": "[1, 2, 3]"}, "'candidates' is not a list of texts"),
        ({"candidates": r"['\x00', 'b', 'c']"}, "'candidates' holds a NUL"),
    ],
)
def test_a_bad_row_is_told_with_its_line(change: dict[str, str], message: str):
    file = io.StringIO(newline="")
    write_ranking_csv([make_task()], file)
    file.seek(0)
    (row,) = csv.DictReader(file)
    changed = io.StringIO(newline="")
    writer = csv.DictWriter(changed, RANKING_COLUMNS)
    writer.writeheader()
    writer.writerow(row | change)
    changed.seek(0)

    with pytest.raises(InvalidInput, match="line 2") as caught:
        read_ranking_csv(changed, name="ranking_task_train.csv")
    assert message in str(caught.value)


def test_missing_columns_are_named():
    with pytest.raises(InvalidInput, match="nyt_context, candidates, labels are missing"):
        read_ranking_csv(io.StringIO("entities_type,entities,wiki_articles,nyt_title\n"))
