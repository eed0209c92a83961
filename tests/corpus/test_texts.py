"""Samples of plain texts: reading their files, importing them, showing and exporting them."""

from __future__ import annotations

import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from corpus.item_files import read_items
from corpus.items.texts import TEXT, FrozenText
from corpus.jobs.samples import import_items
from corpus.models import Sample
from corpus.services import importing
from corpus.services.importing import ImportOrder
from corpus.sources.base import Problem
from kernel.errors import InvalidInput
from kernel.models import Job
from kernel.progress import Silent
from tests.make import make_sample, make_user
from tests.pages import shown

RAIN: dict[str, Any] = {"text": "It rained.\n\nAt last.", "title": "Rain", "source": "Our own", "date": "1999-12-31"}


def write(folder: Path, *rows: Any, name: str = "texts.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def imported(folder: Path, *rows: Any) -> Sample:
    path = write(folder, *rows)
    return importing.import_items(ImportOrder(path, "Texts", "text"), by=None, report=Silent().report).sample


def test_a_row_becomes_a_frozen_text_with_a_key_of_its_content():
    text = TEXT.from_row(RAIN)

    assert (text.text, text.title, text.source, text.date) == (*list(RAIN.values())[:3], date(1999, 12, 31))
    assert text.group == text.key == TEXT.from_row({**RAIN, "date": None}).key
    assert TEXT.from_row({**RAIN, "title": "Snow"}).key != text.key
    assert TEXT.from_row({**RAIN, "group": "weather"}).group == "weather"
    assert TEXT.thaw(json.loads(json.dumps(text.to_json()))) == text == TEXT.from_row(text.to_json())


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({}, "text: must not be empty"),
        ({"text": 3}, "text: must be text, not a number"),
        ({"text": "a" * 50_001}, "text: must have at most 50,000 characters"),
        ({"text": "a", "date": "soon"}, "date: must be a date like 1999-12-31, not 'soon'"),
        ({"text": "a", "group": "g" * 65}, "group: must have at most 64 characters"),
        (
            {"text": "a", "key": "0" * 64},
            "key: is not the hash of the row's content: remove the key, or restore the row",
        ),
        ({"text": "a", "schema": 3}, "schema: must be 1 or 2, which this version reads"),
        ({"text": "a", "schema": True}, "schema: must be 1 or 2, which this version reads"),
        ({"text": "a\x00b"}, "text: contains NUL characters"),
        ({"text": "a", "tags": ["b"]}, "tags: must be text, a number, true or false, not a list"),
        ({"text": "a", "score": float("nan")}, "score: must be a finite number"),
        ('{"text": "a", "by": "b", "by": "c"}', "has the field “by” twice"),
        ([], "row: must be an object, not a list"),
    ],
)
def test_a_bad_row_is_reported_with_its_line_and_field(tmp_path: Path, row: Any, problem: str):
    first, second = read_items(write(tmp_path, RAIN, row), "text")

    assert isinstance(first, FrozenText)
    assert second == Problem("line 2", problem)


def test_a_file_of_texts_in_another_format_is_refused_with_those_that_are_read(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"the name must end in .jsonl or .csv or .txt or .ttl, also compressed"):
        list(read_items(write(tmp_path, "text", name="t.pdf"), "text"))


@pytest.mark.django_db
def test_the_command_imports_texts_and_names_file_line_and_field(tmp_path: Path):
    out, errors = io.StringIO(), io.StringIO()
    file = write(tmp_path, RAIN, {"text": "Snow."}, {"title": "Nothing"})

    call_command("import_instances", file, name="Texts", item_kind="text", stdout=out, stderr=errors)

    sample = Sample.objects.get()
    assert (sample.item_kind, sample.size) == ("text", 2)
    assert out.getvalue() == "Texts: 2 texts added, 1 row could not be used.\n"
    assert errors.getvalue() == "texts.jsonl, line 3: text: must not be empty\n"


@pytest.mark.django_db
def test_a_sample_holds_one_kind(tmp_path: Path):
    make_sample("Texts")

    with pytest.raises(InvalidInput, match="a sample with this name holds instances: choose another name"):
        imported(tmp_path, RAIN)


@pytest.mark.django_db
def test_the_pages_import_list_and_show_texts(client: Client, tmp_path: Path):
    client.force_login(make_user())
    with write(tmp_path, RAIN, {"text": "Snow fell on the hills."}).open("rb") as upload:
        client.post("/corpus/samples/import/", {"name": "Texts", "item_kind": "text", "upload": upload})
    import_items(Job.objects.get().parameters, Silent())

    sample = Sample.objects.get()
    pages = (shown(client.get(f"/corpus/samples/{sample.pk}/{part}")) for part in ("", "0/"))
    page, first = (" ".join(html.split()) for html in pages)
    assert "2 texts" in shown(client.get("/corpus/samples/"))
    assert 'aria-label="Texts"' in page
    assert "Snow fell on the hills." in page
    assert "By type and number of entities" not in page
    assert "At last." in first
    assert "Our own" in first
    assert "Background" not in first
    assert "Snow fell" in shown(client.get(f"/corpus/samples/{sample.pk}/1/"))


@pytest.mark.django_db
def test_an_exported_sample_of_texts_is_imported_again_key_for_key(tmp_path: Path):
    sample, out = imported(tmp_path, RAIN, {"text": "Snow."}), tmp_path / "out.jsonl"

    call_command("export_instances", sample=sample.name, out=out, stdout=io.StringIO())
    again = importing.import_items(ImportOrder(out, "Again", "text"), by=None, report=Silent().report).sample

    assert again.content_hash == sample.content_hash


@pytest.mark.django_db
def test_the_api_imports_and_lists_texts(client: Client, settings: Any, tmp_path: Path):
    settings.CORPUS_FOLDER = tmp_path
    write(tmp_path, RAIN)
    client.force_login(make_user())

    asked = {"name": "Texts", "path": "texts.jsonl", "item_kind": "text"}
    answer = client.post("/api/v1/samples/import/", asked, content_type="application/json")
    import_items(Job.objects.get().parameters, Silent())

    sample = Sample.objects.get()
    assert answer.status_code == 202
    assert client.get(f"/api/v1/samples/{sample.pk}/").json()["item_kind"] == "text"
    assert client.get(f"/api/v1/samples/{sample.pk}/instances/").json()["results"] == [TEXT.from_row(RAIN).to_json()]
