"""Releases of an own task that asks for marks in a text: on pages and in files made by page and by command."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.jobs import export_release
from annotation.models import Campaign, Release, ReleaseExport, Worker
from kernel.models import Job, User
from kernel.progress import Silent
from tests.annotation.describing import in_library, let_people_answer, make_description, make_own_campaign
from tests.pages import shown

pytestmark = pytest.mark.django_db
OF_MARKS = ("marks", "spacy", "label_studio", "conll", "brat", "tokens")


@pytest.fixture(autouse=True)
def _storage(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT, settings.VAR = tmp_path / "files", tmp_path / "var"


def release_of(name: str, folder: Path) -> Release:
    campaign: Campaign = make_own_campaign(make_description(in_library(name)), folder, redundancy=3)
    let_people_answer(campaign, 3)
    options: Any = {"campaign": [campaign.name], "least_assignments": 1, "least_answered": 1, "simulated": True}
    call_command("freeze_release", "Names", stdout=io.StringIO(), **options)
    return Release.objects.get()


def test_a_release_shows_words_with_labels_and_offers_the_files_of_marks(tmp_path: Path, client: Client, ben: User):
    release = release_of("named_things", tmp_path)

    page = shown(client.get(reverse("release-item", args=[release.pk, 0])))
    files = shown(client.get(reverse("release-files", args=[release.pk])))

    agreed = [span for row in release.items.all() for span in row.value["consensus"]["names"]["spans"]]
    first = release.items.order_by("position")[0].value
    for span in first["consensus"]["names"]["spans"]:
        assert f"{first['text'][span['start'] : span['end']]} [{span['label'].title()}]" in page
    assert agreed
    assert all(f'name="format" value="{name}"' in files for name in OF_MARKS)


def test_a_folder_of_marks_is_made_by_page_as_an_archive(tmp_path: Path, client: Client, ben: User):
    release = release_of("named_things", tmp_path)

    client.post(reverse("release-export", args=[release.pk]), {"format": "conll"})
    export_release(Job.objects.get(kind="export_release").parameters, Silent())

    export = ReleaseExport.objects.get()
    with default_storage.open(export.file) as file, zipfile.ZipFile(file) as archive:
        names = [name.partition("/")[2] for name in archive.namelist()]
        columns = archive.read(archive.namelist()[names.index("marks.conll")]).decode()
    assert names == ["left_out.jsonl", "marks.conll"]
    assert "\tB-person\n" in columns


def test_files_made_by_command_agree_about_the_marks(tmp_path: Path):
    release = release_of("named_things", tmp_path)
    for name in OF_MARKS:
        call_command("export_release", "Names", format=name, out=tmp_path / name, stdout=io.StringIO())

    rows = [row.value for row in release.items.order_by("position")]
    lines = [json.loads(line) for line in (tmp_path / "marks").open()]
    places = [[(span["start"], span["end"], span["label"]) for span in line["spans"]] for line in lines]
    prodigy = [json.loads(line)["spans"] for line in (tmp_path / "spacy").open()]
    assert [line["id"] for line in lines] == [row["key"] for row in rows]
    assert [[(own["start"], own["end"], own["label"]) for own in spans] for spans in prodigy] == places
    annotations = sorted(path.read_text() for path in (tmp_path / "brat").glob("*.ann"))
    assert sum(map(len, places)) == sum(text.count("\n") for text in annotations) > 0


def test_a_release_without_marks_has_no_files_of_marks(tmp_path: Path, client: Client, ben: User):
    release = release_of("sentiment", tmp_path)

    assert 'value="brat"' not in shown(client.get(reverse("release-files", args=[release.pk])))
    with pytest.raises(CommandError, match="must be one of jsonl, huggingface, standoff"):
        call_command("export_release", "Names", format="brat", out=tmp_path / "brat", stdout=io.StringIO())


def test_the_card_of_tokens_says_of_simulated_answers_only_what_its_rows_hold(tmp_path: Path):
    campaign: Campaign = make_own_campaign(make_description(in_library("named_things")), tmp_path, redundancy=3)
    let_people_answer(campaign, 3)
    Worker.objects.update(provider="simulation")
    options: Any = {"campaign": [campaign.name], "least_assignments": 1, "least_answered": 1, "simulated": True}
    call_command("freeze_release", "Names", stdout=io.StringIO(), **options)
    cards = []
    for name in ("tokens", "huggingface"):
        call_command("export_release", "Names", format=name, out=tmp_path / name, stdout=io.StringIO())
        cards.append((tmp_path / name / "README.md").read_text())

    assert ["Simulated answers: 3 simulated participants" in card for card in cards] == [True, True]
    assert ["marked `simulated` in every row" in card for card in cards] == [False, True]
