"""A text is stored as it came: character for character, whatever file it came in."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.item_files import read_items
from corpus.items.texts import TEXT, FrozenText
from corpus.models import Sample
from corpus.selectors.samples import member_lines
from corpus.services import importing
from corpus.services.importing import ImportOrder
from corpus.sources.base import Problem
from kernel.errors import InvalidInput
from kernel.progress import Silent
from kernel.values import Json, canonical_json, content_hash

SPACED = "Snow  fell\ton the hills;\t\tthe road  was closed\r\nall  night."
texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=60).filter(str.strip)


def in_json_lines(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "texts.jsonl"
    path.write_bytes("\n".join(map(json.dumps, rows)).encode())
    return path


def in_csv(folder: Path, *rows: list[str]) -> Path:
    path = folder / "texts.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
    return path


def imported(path: Path, name: str = "Texts") -> importing.Imported:
    return importing.import_items(ImportOrder(path, name, "text"), by=None, report=Silent().report)


def text_in(path: Path) -> FrozenText:
    (item,) = read_items(path, "text")
    assert isinstance(item, FrozenText), item
    return item


@given(texts, st.sampled_from(["jsonl", "csv"]))
def test_any_text_comes_back_verbatim(tmp_path_factory: pytest.TempPathFactory, text: str, suffix: str):
    folder = tmp_path_factory.getbasetemp()
    path = in_csv(folder, ["text"], [text]) if suffix == "csv" else in_json_lines(folder, {"text": text})

    item = text_in(path)

    assert item.text == text
    assert TEXT.thaw(json.loads(canonical_json(item.to_json()))) == TEXT.from_row(item.to_json()) == item


@pytest.mark.django_db
def test_double_spaces_and_tabs_keep_their_places_in_a_sample(tmp_path: Path):
    sample = imported(in_json_lines(tmp_path, {"text": SPACED})).sample

    value = sample.members.get().value
    assert len(SPACED) == 59
    assert (value["text"], value["schema"]) == (SPACED, 2)
    assert TEXT.texts(TEXT.thaw(value))["text"][40:44] == SPACED[40:44]


def test_columns_that_a_text_has_no_field_for_are_kept_beside_it(tmp_path: Path):
    item = text_in(
        in_json_lines(tmp_path, {"text": "Rain.", "by": "Ida Lind", "score": 0.5, "is_old": True, "no": None})
    )

    assert item.extra == {"by": "Ida Lind", "score": 0.5, "is_old": True}
    assert item.key == TEXT.from_row({"text": "Rain."}).key
    assert "extra" not in TEXT.from_row({"text": "Rain."}).to_json()
    assert TEXT.from_row(item.to_json()) == item


def test_a_csv_file_names_its_columns_in_any_case_and_is_read_as_it_is(tmp_path: Path):
    path = in_csv(tmp_path, ["Text", "Title", "DATE", "By"], ["'=1, he wrote", "A\u00a0 sum", "1999-12-31", "Ida"])

    item = text_in(path)

    assert (item.text, item.title, item.extra) == (
        "'=1, he wrote",
        "A\u00a0 sum",
        {"By": "Ida"},
    )


def test_each_bad_line_is_reported_and_the_others_are_read(tmp_path: Path):
    path = in_csv(
        tmp_path, ["text", "date"], ["Rain.", ""], ["", ""], ["Hail.", "", "x"], ["Snow.", "soon"], ["Fog.", ""]
    )

    items = [*read_items(path, "text")]

    assert [item.text for item in items if isinstance(item, FrozenText)] == ["Rain.", "Fog."]
    assert [item for item in items if isinstance(item, Problem)] == [
        Problem("line 3", "is empty"),
        Problem("line 4", "has 3 cells, but the first line names 2 columns"),
        Problem("line 5", "date: must be a date like 1999-12-31, not 'soon'"),
    ]


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["text", "By", "By"], "line 1 names the column “By” twice"),
        (["text", " "], "line 1 has no name for column 2"),
        (["title"], "the first line must name the columns; missing: text"),
    ],
)
def test_a_csv_file_whose_first_line_cannot_be_used_is_refused(tmp_path: Path, names: list[str], problem: str):
    with pytest.raises(InvalidInput, match=problem):
        list(read_items(in_csv(tmp_path, names), "text"))


# ---- Samples from before --------------------------------------------------------------------------

FROM_BEFORE: dict[str, Json] = {
    "schema": 1,
    "group": "weather",
    "title": "Rain",
    "text": "It rained.\n\nAt last.",
    "source": "Our own",
    "date": "1999-12-31",
}
KEY = content_hash({"source": "Our own", "title": "Rain", "text": "It rained.\n\nAt last."})


@pytest.mark.django_db
def test_an_export_of_schema_1_keeps_its_bytes_keys_and_hashes(tmp_path: Path):
    row: dict[str, Json] = {**FROM_BEFORE, "key": KEY}

    sample = imported(in_json_lines(tmp_path, row)).sample

    assert [*member_lines(sample)] == [canonical_json(row) + "\n"]
    assert sample.content_hash == "b0d3f957f3efa31987fc5eb1bea7571004b5f94236baba4cf9cd6631afeabd0f"


def test_rows_of_schema_1_are_cleaned_as_they_always_were():
    item = TEXT.from_row(
        {"schema": 1, "text": " It  rained.\n \n\nAt\tlast. ", "title": " Rain ", "source": "Our own", "by": "x"}
    )

    assert (item.text, item.title, item.key, item.extra) == ("It rained.\n\nAt last.", "Rain", KEY, {})


# ---- Imports --------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_second_import_adds_nothing(tmp_path: Path):
    path = in_json_lines(tmp_path, {"text": SPACED, "source": "Our own"}, {"text": "Snow."})
    first = imported(path).sample.content_hash

    again = imported(path)

    assert (again.added, again.known) == (0, 2)
    assert Sample.objects.get().content_hash == first


@pytest.mark.django_db
def test_the_type_of_a_text_is_its_source(tmp_path: Path):
    rows = [
        {"text": "Rain.", "source": "The weather paper of the hills"},
        {"text": "Snow."},
        {"text": "Hail.", "source": "x" * 99},
    ]

    sample = imported(in_json_lines(tmp_path, *rows)).sample

    assert [*sample.members.values_list("type", flat=True)] == ["The weather paper of the hills", "text", "x" * 60]
