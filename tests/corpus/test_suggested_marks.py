"""Marks that files suggest: JSON lines of our own, and tasks with predictions of Label Studio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.item_files import read_items
from corpus.items.rows import ROWS, FrozenRow
from corpus.sources.base import Problem
from kernel.errors import InvalidInput

TEXT = "🌧🌧 Ada Lind met Bo."
ADA = {"start": 3, "end": 11, "label": "person"}
TEXTS = st.text(alphabet="ab 🌧\u0301\u200dن\n\r", min_size=1, max_size=20)


def read(folder: Path, name: str, content: str) -> list[Any]:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return [*read_items(path, "rows")]


def columns_of(folder: Path, *rows: Any, name: str = "rows.jsonl") -> list[Any]:
    items = read(folder, name, "\n".join(map(json.dumps, rows)) if name.endswith("l") else json.dumps(rows))
    return [item.columns if isinstance(item, FrozenRow) else str(item) for item in items]


def task(*results: Any, text: str = TEXT, **fields: Any) -> dict[str, Any]:
    return {"data": {"report": text}, "predictions": [{"result": [*results]}], **fields}


def result(start: Any, end: Any, *labels: str, **value: Any) -> dict[str, Any]:
    return {"type": "labels", "value": {"start": start, "end": end, "labels": [*labels], **value}}


def test_marks_of_a_row_are_kept_as_text_in_their_column(tmp_path: Path):
    marks = [ADA, {"start": 16, "end": 18, "label": "person", "words": "Bo"}]
    [columns] = columns_of(tmp_path, {"report": TEXT, "guesses": marks, "none": []})

    assert json.loads(columns["guesses"]) == [ADA, {"start": 16, "end": 18, "label": "person"}]
    assert columns["none"] == "[]"


def test_marks_keep_what_they_say_beside_their_label(tmp_path: Path):
    marked = {**ADA, "attributes": {"sure": "yes"}}
    marks = [marked, {"start": 16, "end": 18, "label": "person", "attributes": {}}]
    rows = [{"report": TEXT, "guesses": own} for own in (marks, [{**ADA, "attributes": {"sure": 1}}])]
    [item, wrong] = read(tmp_path, "rows.jsonl", "\n".join(map(json.dumps, rows)))
    again = ROWS.from_row(item.to_json())

    assert json.loads(item.columns["guesses"]) == [marked, {"start": 16, "end": 18, "label": "person"}]
    assert "attributes must be an object with texts by name" in str(wrong)
    assert again == item


def test_an_exported_row_with_marks_is_read_as_the_same_row(tmp_path: Path):
    [item] = read(tmp_path, "a.jsonl", json.dumps({"report": TEXT, "guesses": [ADA]}))
    [again] = read(tmp_path, "b.jsonl", json.dumps(item.to_json()))

    assert again == item
    assert ROWS.title(item) == TEXT


def test_rows_of_the_same_words_are_the_same_whatever_is_suggested():
    plain, marked = (ROWS.from_row({"report": TEXT, **more}) for more in ({}, {"guesses": [ADA]}))

    assert ROWS.wording(json.dumps(plain.columns), ()) == ROWS.wording(json.dumps(marked.columns), ())


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        ([{**ADA, "end": 90}], "guesses, mark 1: 3-90 ends outside the row's texts, of which the longest has 19"),
        ([ADA, {**ADA, "start": 11, "end": 3}], "guesses, mark 2: 11-3 is no piece of a text"),
        ([{**ADA, "start": -1}], "guesses, mark 1: -1-11 is no piece of a text"),
        ([{**ADA, "start": 3.0}], "guesses, mark 1: start and end must be whole numbers"),
        ([{**ADA, "start": True}], "guesses, mark 1: start and end must be whole numbers"),
        ([{**ADA, "label": ""}], "guesses, mark 1: label must be a text"),
        ([{**ADA, "words": "Bo"}], "guesses, mark 1: “Bo” does not stand at 3-11"),
        ([{**ADA, "words": 7}], "guesses, mark 1: words must be a text"),
        ([ADA, {"label": "person"}], "guesses, mark 2: must be an object with start, end and label"),
        ([ADA, "Ada"], "guesses, mark 2: must be an object with start, end and label"),
        ([ADA] * 10_000, "guesses: has 10,000 marks, and at most 1,000 are kept"),
    ],
)
def test_a_mark_that_cannot_be_is_reported_with_its_line(tmp_path: Path, marks: list[Any], why: str):
    before, problem, after = columns_of(tmp_path, {"report": "A"}, {"report": TEXT, "guesses": marks}, {"report": "B"})

    assert problem.startswith(f"line 2: {why}")
    assert (before, after) == ({"report": "A"}, {"report": "B"})


@given(TEXTS, st.data())
def test_offsets_in_utf_16_units_are_converted_where_the_words_tell(text: str, data: st.DataObject):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    units = [len(text[:at].encode("utf-16-le")) // 2 for at in (start, end)]
    words = text[start:end]
    row: Any = {"report": f"{text}.", "guesses": [{"start": units[0], "end": units[1], "label": "x", "text": words}]}

    [mark] = json.loads(str(ROWS.from_row(row).columns["guesses"]))

    assert row["report"][mark["start"] : mark["end"]] == words


def test_an_offset_inside_a_character_of_two_units_is_refused(tmp_path: Path):
    marks = [{"start": 1, "end": 4, "label": "x", "text": "🌧"}]

    [problem] = columns_of(tmp_path, {"report": TEXT, "guesses": marks})
    assert problem.startswith("line 1: guesses, mark 1: “🌧” does not stand at 1-4: correct the offsets or the words")


# ---- Label Studio


def test_a_task_of_label_studio_becomes_a_row_with_suggestions(tmp_path: Path):
    rows = task(result(3, 11, "person", text="Ada Lind"), result(16, 18, "person", "place")), task(text="No marks.")
    first, second = columns_of(tmp_path, *rows, name="tasks.json")

    assert [mark["label"] for mark in json.loads(first["suggestions"])] == ["person", "person", "place"]
    assert (first["report"], second) == (TEXT, {"report": "No marks."})


def test_older_tasks_of_label_studio_count_utf_16_units(tmp_path: Path):
    [columns] = columns_of(tmp_path, task(result(5, 13, "person", text="Ada Lind")), name="tasks.json")

    assert json.loads(columns["suggestions"]) == [ADA]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({**task(), "predictions": [{"result": []}] * 2}, "predictions: are 2 predictions: leave only the one"),
        (task({"type": "choices", "value": {"choices": ["a"]}}), "result 1: only results of the type labels"),
        (task(result(3, 11)), "result 1: only results of the type labels"),
        (task(result(None, 11, "person")), "suggestions, mark 1: start and end must be whole numbers"),
        ({**task(), "predictions": [{"result": {}}]}, "predictions: must have a list as its result"),
    ],
)
def test_a_bad_task_is_reported_with_the_line_where_it_begins(tmp_path: Path, bad: Any, why: str):
    content = f"[{json.dumps(task())},\n\n {json.dumps(bad)},\n{json.dumps(task(text='B'))}]"
    first, problem, last = read(tmp_path, "tasks.json", content)

    assert isinstance(problem, Problem)
    assert (problem.where, problem.reason[: len(why)]) == ("line 3", why)
    assert (first.columns, last.columns) == ({"report": TEXT}, {"report": "B"})


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('[{"a": "x"}, {"a": }]', "line 1: from here on, this is not JSON"),
        ('[{"a": "x"}\n{"a": "y"}]', "line 1: behind this, the list goes on without a comma or has no end"),
        ('[{"a": "x"}', "line 1: behind this, the list goes on without a comma or has no end"),
        ('[{"a": "x"},', "line 1: from here on, this is not JSON"),
        ("[" + "[" * 100_000, "line 1: from here on, this is not JSON"),
    ],
)
def test_a_broken_list_says_from_where_on_it_is_not_read(tmp_path: Path, content: str, why: str):
    *_, problem = read(tmp_path, "tasks.json", content)

    assert str(problem).startswith(why)


@pytest.mark.parametrize("content", ["", '{"a": "x"}', '"a"'])
def test_a_json_file_that_holds_no_list_is_refused(tmp_path: Path, content: str):
    with pytest.raises(InvalidInput, match="must hold a list of objects"):
        read(tmp_path, "tasks.json", content)
