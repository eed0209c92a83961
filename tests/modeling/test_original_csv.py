from __future__ import annotations

import csv
import io

import pytest

from corpus.articles import EntityType
from corpus.contexts import ContextKind
from modeling.dataset import PARTS
from modeling.original_csv import (
    DATASET_COLUMNS,
    RANKING_COLUMNS,
    plain_context,
    read_dataset_csv,
    read_ranking_csv,
    write_dataset_csv,
    write_ranking_csv,
)
from modeling.task_files import CSV_NAMES, read_task_files
from tesa_site.kernel.errors import InvalidInput
from tests.modeling.values import make_item, make_task, synthetic_dataset, synthetic_items

MARKED = (
    "[...] The mayor met <div class=\"popup\" onclick=\"pop(0)\"><color0>Ida Lind</color0>"
    "<span class=\"popuptext\" id=\"0\">Ida Lind</span></div> and said 2 &lt; 3. [...]"
)  # fmt: skip


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


def test_items_come_back_from_the_published_columns():
    items = [
        *synthetic_items()[:20],
        make_item("quote", context='She said "1 < 2 & 3".', entity_type=EntityType.ORGANIZATION),
    ]
    file = io.StringIO(newline="")

    write_dataset_csv(items, file)
    file.seek(0)
    again = read_dataset_csv(file)

    assert next(csv.reader(file.getvalue().splitlines())) == [*DATASET_COLUMNS]
    for ours, theirs in zip(again, items, strict=True):
        same = ("entity_type", "entities", "title", "context", "backgrounds", "kind", "date", "gold_phrases")
        assert [getattr(ours, name) for name in same] == [getattr(theirs, name) for name in same]


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
        (item,) = read_dataset_csv(file)

    for part, task in zip(PARTS, tasks, strict=True):
        (again,) = dataset[part]
        assert again.phrases == task.phrases
        assert {name: getattr(again.item, name) for name in nasty} == nasty
    assert item.gold_phrases == tasks[0].item.gold_phrases
    assert (item.entities, item.title, item.backgrounds) == (nasty["entities"], nasty["title"], nasty["backgrounds"])


def test_a_published_row_is_read_answers_of_absent_annotators_and_mark_up_included():
    row = (
        "entities_type,entities,answer_0,answer_1,answer_2,title,date,urls,summaries,context_type,context\n"
        "org,\"['Aker', 'Bell']\",,\"['The Banks', 'banks']\",\"['the banks']\",A title,2006/12/27,{},"
        "\"{'Aker': 'Aker is a bank.'}\",summary,\"" + MARKED.replace('"', '""') + '"\n'
    )

    (item,) = read_dataset_csv(io.StringIO(row))

    assert (item.entity_type, item.kind, item.date) == (EntityType.ORGANIZATION, ContextKind.ABSTRACT, "2006-12-27")
    assert item.backgrounds == ("Aker is a bank.", "")
    assert {gold.phrase: gold.support for gold in item.golds} == {"the banks": 2, "banks": 1}
    assert item.context == "The mayor met Ida Lind and said 2 < 3."


def test_mark_up_goes_and_the_passage_stays():
    assert plain_context(MARKED) == "The mayor met Ida Lind and said 2 < 3."
    assert plain_context("Prices <of> 3 [sic] rose") == "Prices 3 [sic] rose"


@pytest.mark.parametrize(
    ("change", "said"),
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
def test_a_bad_row_is_told_with_its_line(change: dict[str, str], said: str):
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
    assert said in str(caught.value)


def test_missing_columns_are_named():
    with pytest.raises(InvalidInput, match="nyt_context, candidates, labels are missing"):
        read_ranking_csv(io.StringIO("entities_type,entities,wiki_articles,nyt_title\n"))
