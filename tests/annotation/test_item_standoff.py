"""A release of texts without a word of them, and the way back from somebody's own file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Assignment
from annotation.releasing.rehydrating_items import rehydrate_items
from annotation.services import submitting
from kernel.errors import InvalidInput
from tests.annotation.kinds.registering import TEXTS, make_sample_of_texts, registered
from tests.make import make_campaign, make_participation

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Return a release of ratings as JSON lines and as stand-off, and the file that its texts came from."""
    campaign = make_campaign("Rated", sample=make_sample_of_texts(tmp_path), task_type="stars", redundancy=1)
    person = make_participation(campaign, "ann")
    for _ in TEXTS:
        Client().get(f"/task/{person.secret}/")
        turn = Assignment.objects.get(participation=person, status="taken")
        submitting.submit(person.secret, turn.pk, {"stars": "4"})
    call_command("freeze_release", "Out", campaign=["Rated"], least_assignments=1, least_answered=1)
    for name in ("jsonl", "standoff"):
        call_command("export_release", "Out", format=name, out=tmp_path / f"{name}.jsonl")
    return tmp_path / "jsonl.jsonl", tmp_path / "standoff.jsonl", tmp_path / "texts.jsonl"


def nothing(done: int) -> None: ...


def test_no_word_of_a_text_is_in_the_stand_off_file(files: tuple[Path, Path, Path]):
    _, standoff, _ = files

    assert not any(text in standoff.read_text() for text in TEXTS)
    row = json.loads(standoff.read_text().splitlines()[1])
    assert row["text"].keys() == {"sha256", "length"}
    assert row["annotations"][0]["final"] == {"reason": "", "stars": 4}


def test_what_is_rebuilt_is_byte_identical(files: tuple[Path, Path, Path], tmp_path: Path):
    whole, standoff, texts = files

    call_command("rehydrate", standoff, corpus=texts, out=tmp_path / "again.jsonl")

    assert (tmp_path / "again.jsonl").read_bytes() == whole.read_bytes()


def test_a_file_with_other_words_is_refused_and_nothing_is_written(files: tuple[Path, Path, Path], tmp_path: Path):
    _, standoff, texts = files
    texts.write_text(texts.read_text().replace("Karl", "Carl"))

    with pytest.raises(InvalidInput, match="1 of 3 items are not in this file, or not with the same words"):
        rehydrate_items(standoff, texts, tmp_path / "again.jsonl", nothing)

    assert not [*tmp_path.glob("again*")]


def test_a_row_that_was_touched_is_refused_by_its_line(files: tuple[Path, Path, Path], tmp_path: Path):
    _, standoff, texts = files
    first, second, *others = standoff.read_text().splitlines()
    standoff.write_text("\n".join([first, second.replace('"stars":4', '"stars":5'), *others]) + "\n")

    with pytest.raises(InvalidInput, match="line 2"):
        rehydrate_items(standoff, texts, tmp_path / "again.jsonl", nothing)


def test_a_release_of_articles_asks_for_their_format(tmp_path: Path):
    (tmp_path / "articles.jsonl").write_text('{"standoff":1}\n')

    with pytest.raises(CommandError, match="name the format of your copy with --source"):
        call_command("rehydrate", tmp_path / "articles.jsonl", corpus=tmp_path, out=tmp_path / "again.jsonl")
