"""Samples of rows: every column of a line in a CSV or JSON-lines file is kept as it came."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from corpus.item_files import read_items
from corpus.items.rows import ROWS, FrozenRow
from corpus.jobs.samples import import_items
from corpus.models import Sample
from corpus.services import importing
from corpus.services.importing import ImportOrder
from kernel.errors import InvalidInput
from kernel.models import Job
from kernel.progress import Silent
from kernel.values import canonical_json
from tests.make import make_user
from tests.pages import shown

QUESTION: dict[str, Any] = {
    "question": "When did it  rain?\nSay a month.",
    "answer": "April",
    "sure": True,
    "score": 0.5,
}
CSV = """question,answer,facet
"When did it  rain?
Say a month.",April,weather
,,
too,many,cells,here
short
Where is Arden?,"In the  hills, <b>here</b>",
"""
names = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=8).filter(str.strip)
values = (
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"))
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
)
rows = st.dictionaries(names.filter(lambda name: name not in ("key", "group")), values | st.none(), max_size=5)


def write(folder: Path, *lines: Any, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def summaries(path: Path) -> list[str]:
    return [ROWS.title(item) if isinstance(item, FrozenRow) else str(item) for item in read_items(path, "rows")]


def imported(path: Path, name: str = "Rows") -> importing.Imported:
    return importing.import_items(ImportOrder(path, name, "rows"), by=None, report=Silent().report)


def test_json_lines_keep_texts_numbers_and_truths_in_their_order(tmp_path: Path):
    (item,) = read_items(write(tmp_path, {**QUESTION, "nothing": None}), "rows")

    assert isinstance(item, FrozenRow)
    assert [*item.columns.items()] == [*QUESTION.items()]
    assert item.group == item.key == ROWS.from_row(dict(reversed(QUESTION.items()))).key
    assert ROWS.from_row({**QUESTION, "group": "weather"}).group == "weather"
    assert ROWS.from_row({**QUESTION, "group": "weather"}).key == item.key


def test_csv_rows_are_read_and_each_bad_line_is_reported(tmp_path: Path):
    assert summaries(write(tmp_path, CSV, name="rows.csv")) == [
        "When did it rain? Say a month.",
        "line 4: is empty",
        "line 5: has 4 cells, but the first line names 3 columns",
        "line 6: has 1 cell, but the first line names 3 columns",
        "Where is Arden?",
    ]
    first = next(read_items(tmp_path / "rows.csv", "rows"))
    assert isinstance(first, FrozenRow)
    assert first.columns["question"] == "When did it  rain?\nSay a month."


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({}, "is empty"),
        ({"a": " ", "b": None}, "is empty"),
        ({"a": "x", "tags": ["b"]}, "tags: must be text, a number, true or false, not a list"),
        ({"a": "x", "by": {"name": "Ida"}}, "by: must be text, a number, true or false, not an object"),
        ({"a": "x", "": "y"}, "has a column without a name"),
        ('{"a": "x", "a": "y"}', "has the field “a” twice"),
        ({"a": "x" * 50_001}, "a: must have at most 50,000 characters"),
        ({f"c{number}": "x" for number in range(101)}, "has 101 columns; at most 100 are kept"),
        ({"a": "b\x00"}, "a: contains NUL characters"),
        ({"a": "x", "key": "0" * 64}, "key: is not the hash of the row's content: remove the key, or restore the row"),
        ({"a": "x", "group": "g" * 65}, "group: must have at most 64 characters"),
        ({"schema": 2, "columns": {"a": "x"}, "order": ["a"]}, "schema: must be 1, the only one this version reads"),
        ([], "row: must be an object, not a list"),
    ],
)
def test_a_bad_row_is_reported_with_its_line_and_the_others_are_read(tmp_path: Path, row: Any, problem: str):
    assert summaries(write(tmp_path, {"a": "before"}, row, {"a": "after"})) == ["before", f"line 2: {problem}", "after"]


@pytest.mark.parametrize(
    ("line", "problem"), [("a,b,a", "names the column “a” twice"), ("a,,b", "no name for column 2")]
)
def test_a_first_line_that_names_a_column_twice_or_not_at_all_is_refused(tmp_path: Path, line: str, problem: str):
    with pytest.raises(InvalidInput, match=f"line 1 .*{problem}"):
        summaries(write(tmp_path, line, "1,2,3", name="rows.csv"))


def test_a_row_is_called_by_its_title_or_name_or_the_beginning_of_its_first_text():
    assert ROWS.title(ROWS.from_row({"a": "x", "name": "Arden", "title": "The hills"})) == "The hills"
    assert ROWS.title(ROWS.from_row({"a": "x", "name": "Arden"})) == "Arden"
    assert ROWS.title(ROWS.from_row({"n": 3, "a": "word " * 40})) == "word " * 15 + "word…"
    assert ROWS.title(ROWS.from_row({"n": 3})) == "3"


def test_the_html_escapes_every_name_and_text():
    html = ROWS.html(ROWS.from_row({"<i>": "<b>", "sure": False}))

    assert html == (
        '<dl class="named-texts"><dt>&lt;i&gt;</dt><dd class="wraps">&lt;b&gt;</dd>'
        '<dt>sure</dt><dd class="wraps">false</dd></dl>'
    )


def test_a_row_without_its_text_keeps_hashes_and_values():
    bare = ROWS.without_text(ROWS.from_row(QUESTION).to_json())

    assert "April" not in canonical_json(bare)
    assert (bare["columns"]["answer"]["length"], bare["columns"]["score"]) == (5, 0.5)


@given(rows)
def test_any_row_comes_back_from_its_export_or_is_refused_with_a_sentence(row: Any):
    try:
        item = ROWS.from_row(row)
    except InvalidInput:
        return
    stored = json.loads(canonical_json(item.to_json()))  # with its columns sorted, as in an export

    assert [*ROWS.thaw(stored).columns.items()] == [*item.columns.items()]
    assert ROWS.from_row(stored) == item
    assert ROWS.texts(item) == {name: own for name, own in row.items() if isinstance(own, str)}
    assert ROWS.title(item)


# ---- In a sample ----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_command_imports_rows_and_a_second_import_adds_nothing(tmp_path: Path):
    out, errors = io.StringIO(), io.StringIO()
    path = write(tmp_path, CSV, name="rows.csv")

    call_command("import_instances", path, name="Rows", item_kind="rows", stdout=out, stderr=errors)
    again = imported(path)

    sample = Sample.objects.get()
    assert out.getvalue() == "Rows: 2 rows added, 3 rows could not be used.\n"
    assert (again.added, again.known) == (0, 2)
    assert [*sample.members.values_list("type", "size")] == [("weather", 0), ("rows", 0)]


@pytest.mark.django_db
def test_an_exported_sample_of_rows_is_imported_again_key_for_key(tmp_path: Path):
    large = {"b": "x", "a": 1e300, "c": -0.0, "d": 1e16, "e": 1e-7}
    sample, out = imported(write(tmp_path, QUESTION, large)).sample, tmp_path / "out.jsonl"

    call_command("export_instances", sample=sample.name, out=out, stdout=io.StringIO())
    again = imported(out, "Again").sample

    assert (again.content_hash, again.problem_count) == (sample.content_hash, 0)


@pytest.mark.django_db
def test_the_pages_import_list_show_and_delete_rows(client: Client, tmp_path: Path):
    client.force_login(make_user())
    with write(tmp_path, CSV, name="rows.csv").open("rb") as upload:
        client.post("/corpus/samples/import/", {"name": "Rows", "item_kind": "rows", "upload": upload})
    import_items(Job.objects.get().parameters, Silent())

    sample = Sample.objects.get()
    page = " ".join(shown(client.get(f"/corpus/samples/{sample.pk}/")).split())
    member = client.get(f"/corpus/samples/{sample.pk}/1/").content.decode()
    assert "2 rows" in shown(client.get("/corpus/samples/"))
    assert 'aria-label="Rows"' in page
    assert "When did it rain? Say a month." in page
    assert "weather" in page
    assert '<dt>answer</dt><dd class="wraps">In the  hills, &lt;b&gt;here&lt;/b&gt;</dd>' in member
    assert "Its 2 rows are deleted." in " ".join(shown(client.get(f"/corpus/samples/{sample.pk}/delete/")).split())
    assert client.get(f"/corpus/samples/{sample.pk}/plot.svg").status_code == 404


@pytest.mark.django_db
def test_the_api_imports_and_lists_rows(client: Client, settings: Any, tmp_path: Path):
    settings.CORPUS_FOLDER = tmp_path
    write(tmp_path, QUESTION)
    client.force_login(make_user())

    asked = {"name": "Rows", "path": "rows.jsonl", "item_kind": "rows"}
    answer = client.post("/api/v1/samples/import/", asked, content_type="application/json")
    import_items(Job.objects.get().parameters, Silent())

    sample = Sample.objects.get()
    assert answer.status_code == 202
    assert client.get(f"/api/v1/samples/{sample.pk}/").json()["item_kind"] == "rows"
    assert client.get(f"/api/v1/samples/{sample.pk}/instances/").json()["results"] == [
        ROWS.from_row(QUESTION).to_json()
    ]
