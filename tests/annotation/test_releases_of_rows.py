"""A release about rows of a table: every export holds each column, and the stand-off file finds them again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation.models import Assignment, Release
from annotation.services import submitting
from corpus.models import Sample
from tests.annotation.kinds.registering import COLUMN_TYPES, ROWS, make_sample_of_rows, registered
from tests.make import make_campaign, make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """Return a release of what two people prefer."""
    campaign = make_campaign("Preferred", sample=make_sample_of_rows(tmp_path), task_type="preference", redundancy=2)
    for name, better in (("ann", "first"), ("bob", "second")):
        person = make_participation(campaign, name)
        for _ in ROWS:
            Client().get(f"/task/{person.secret}/")
            turn = Assignment.objects.get(participation=person, status="taken")
            submitting.submit(person.secret, turn.pk, {"better": better})
    call_command("freeze_release", "Out", campaign=["Preferred"], least_assignments=1, least_answered=1)
    return Release.objects.get()


def exported(tmp_path: Path, format_: str) -> Path:
    out = tmp_path / format_
    call_command("export_release", "Out", format=format_, out=out)
    return out


def test_the_json_lines_hold_every_row_as_it_was_imported(release: Release, tmp_path: Path):
    rows = [json.loads(line) for line in exported(tmp_path, "jsonl").open()]

    assert {row["title"]: row for row in ROWS} == {row["columns"]["title"]: row["columns"] for row in rows}
    assert [[*row] for row in ROWS] == [
        next(row["order"] for row in rows if row["columns"]["title"] == own["title"]) for own in ROWS
    ]
    assert {row["schema"] for row in rows} == {3}


def test_the_statistics_say_which_columns_there_are_and_what_fits_all_their_values(release: Release):
    assert {column["name"]: column["type"] for column in release.statistics["columns"]} == COLUMN_TYPES


def in_tables(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as a table with one type for each column holds it."""
    rated = row.get("rated")
    return {**dict.fromkeys(COLUMN_TYPES), **row, "rated": None if rated is None else str(rated)}


def test_parquet_has_a_column_for_each_of_them(release: Release, tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(exported(tmp_path, "huggingface") / "data" / "instances.parquet")

    types = {field.name: str(field.type) for field in table.schema.field("columns").type}
    assert types == {name: type_.replace("float64", "double") for name, type_ in COLUMN_TYPES.items()}
    columns = {row["columns"]["title"]: row["columns"] for row in table.to_pylist()}
    assert columns == {row["title"]: in_tables(row) for row in ROWS}


def test_croissant_describes_every_column_with_its_type_and_its_place(release: Release, tmp_path: Path):
    described = json.loads((exported(tmp_path, "huggingface") / "croissant.json").read_text())
    (instances,) = [records for records in described["recordSet"] if records["@id"] == "instances"]
    (columns,) = [field for field in instances["field"] if field["name"] == "instances/columns"]
    columns_by_id = {
        field["@id"]: (field["dataType"], field["source"]["transform"]["jsonPath"]) for field in columns["subField"]
    }

    assert columns_by_id["instances/columns/title"] == ("sc:Text", "title")
    assert columns_by_id["instances/columns/year"] == ("sc:Integer", "year")
    assert columns_by_id["instances/columns/words%3A%20all"] == ("sc:Float", "$['words: all']")
    assert columns_by_id["instances/columns/a.b"] == ("sc:Boolean", "$['a.b']")


def test_the_card_lists_the_columns_and_nothing_that_rows_do_not_have(release: Release, tmp_path: Path):
    card = (exported(tmp_path, "huggingface") / "README.md").read_text()

    assert "  - `words: all`: column of the imported file" in card
    assert '    - name: "words: all"\n      dtype: float64' in card
    assert "character for character" not in card


def test_no_word_of_a_row_is_in_the_stand_off_file(release: Release, tmp_path: Path):
    standoff = exported(tmp_path, "standoff").read_text()

    texts = [own for row in ROWS for own in row.values() if isinstance(own, str)]
    assert not any(text in standoff for text in texts)
    assert '"year":1999' in standoff


@pytest.mark.parametrize("order", [1, -1], ids=["as imported", "columns in another order"])
def test_the_stand_off_file_is_put_together_from_somebody_s_own_rows(release: Release, tmp_path: Path, order: int):
    whole, standoff = exported(tmp_path, "jsonl"), exported(tmp_path, "standoff")
    own = tmp_path / "own.jsonl"
    own.write_text("\n".join(json.dumps(dict([*row.items()][::order])) for row in ROWS))

    call_command("rehydrate", standoff, corpus=own, out=tmp_path / "again.jsonl")

    assert (tmp_path / "again.jsonl").read_bytes() == whole.read_bytes()


def test_pages_call_a_row_by_its_title_and_show_its_columns(researcher: Client, release: Release):
    listed = shown(researcher.get(reverse("release-items", args=[release.pk])))
    urls = [reverse("release-item", args=[release.pk, position]) for position in range(len(ROWS))]
    pages = [shown(researcher.get(url)) for url in urls]

    for row in ROWS:
        assert str(row["title"]) in listed
        assert any(str(row["second"]) in page for page in pages)


def test_pages_of_a_release_speak_of_its_rows(researcher: Client, release: Release):
    names = ("release", "release-items", "release-discarded", "release-recipe", "release-delete")
    urls = [reverse(name, args=[release.pk]) for name in names]
    urls += [reverse("releases"), reverse("release-item", args=[release.pk, 0])]
    preview = f"{reverse('release-new')}?campaigns={release.campaigns.get().pk}&cleaning=plain&least_assignments=1"
    pages = {url: shown(researcher.get(url)) for url in [*urls, f"{preview}&least_answered=1"]}
    words = {url: strip_tags(page.partition("<main")[2]).lower() for url, page in pages.items()}
    recipe = "&quot;instances&quot;"  # its own name in JSON

    assert [text for text in words.values() if "instance" in text.replace(recipe, "")] == []
    assert {url for url, text in words.items() if "row" not in text} == set()


def test_other_columns_of_texts_are_in_its_tables_too(tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "It rained.", "stars": 4}\n{"text": "It snowed.", "by": "Ida"}')
    call_command("import_instances", path, name="Texts", item_kind="text")
    sample = Sample.objects.get()
    campaign = make_campaign("Rated", sample=sample, task_type="stars", redundancy=1)
    person = make_participation(campaign, "ann")
    for _ in range(2):
        Client().get(f"/task/{person.secret}/")
        turn = Assignment.objects.get(participation=person, status="taken")
        submitting.submit(person.secret, turn.pk, {"stars": "4"})
    call_command("freeze_release", "Out", campaign=["Rated"], least_assignments=1, least_answered=1)

    table = parquet.read_table(exported(tmp_path, "huggingface") / "data" / "instances.parquet").to_pylist()

    assert {row["text"]: row["extra"] for row in table} == {
        "It rained.": {"stars": 4, "by": None},
        "It snowed.": {"stars": None, "by": "Ida"},
    }
