"""Exports: whole, anonymous, repeatable, and read again by something that is not ours."""

from __future__ import annotations

import ast
import csv
import hashlib
import json
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from annotation.models import Annotation, Campaign, Participation, Release, ReleaseExport
from annotation.releasing import documents
from annotation.releasing.building import STEPS
from annotation.releasing.recipe import make_recipe
from annotation.selectors import releases as selectors
from annotation.services import release_exports, releases, reviewing
from annotation.task_types.aggregation.type import AGGREGATION
from tests.annotation.answered import answer, answered_campaign
from tests.make import make_user

pytestmark = pytest.mark.django_db

NAMES = ("A3WORKERXYZ1", "B7WORKERUVW2", "C9WORKERRST3")
STAFF, CONTACT = ("ada.requester", "ben.reviewer"), "ask cleo@example.org"
SAID = (
    {NAMES[0]: ["The botanists", "two Swedish scientists"], NAMES[1]: ["botanists"], NAMES[2]: None},
    {NAMES[0]: ["=SUM(A1)"], NAMES[1]: ["experts, mostly"], NAMES[2]: ["=sum(A1)"]},
    {NAMES[0]: None, NAMES[1]: None, NAMES[2]: ["people"]},
)


@pytest.fixture(autouse=True)
def _storage(settings, tmp_path):
    settings.MEDIA_ROOT, settings.VAR = tmp_path / "files", tmp_path / "var"


@pytest.fixture
def release() -> Release:
    campaign = answered_campaign(*SAID)
    Participation.objects.update(arrival={"ip": "203.0.113.77", "PROLIFIC_PID": "5f00prolificpid"})
    Campaign.objects.update(contact=CONTACT)
    ada, ben = make_user(STAFF[0]), make_user(STAFF[1])
    opinion = reviewing.Opinion("accept", why=f"{STAFF[1]} says so")
    reviewing.decide(Annotation.objects.earliest("pk").pk, opinion, by=ben)
    recipe = make_recipe(AGGREGATION, [campaign.name], least_assignments=1)
    made = releases.create_release(releases.ReleasePlan("Words", recipe, "A test.", "CC-BY-4.0"), by=ada)
    return releases.freeze_release(made, by=ada, report=lambda *_: None)


def written(release: Release, format_: str, folder: Path) -> Path:
    out = folder / format_
    release_exports.write_export(release, format_, out, lambda done: None)
    return out


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def texts(path: Path) -> str:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return "\n".join(file.read_bytes().decode("utf-8", "replace") for file in files)


@pytest.mark.parametrize("format_", [*AGGREGATION.release.formats])
def test_no_export_names_anybody_or_tells_when_they_worked(release, tmp_path, format_):
    text = texts(written(release, format_, tmp_path))

    assert "otanists" in text
    for identifier in (*NAMES, *STAFF, CONTACT, "203.0.113.77", "5f00prolificpid"):
        assert identifier.lower() not in text.lower()
    assert not re.search(r"\d{1,2}:\d{2}:\d{2}", text), "a time to the second"
    assert not re.search(r"\b\d{1,3}(\.\d{1,3}){3}\b", text), "an address"


@pytest.mark.parametrize("format_", [*AGGREGATION.release.formats])
def test_the_same_release_gives_the_same_bytes(release, format_):
    first = release_exports.export_release(release, format_, lambda done: None)
    digest, name = first.sha256, first.file
    second = release_exports.export_release(release, format_, lambda done: None)

    assert second.sha256 == digest
    with default_storage.open(second.file) as file:
        stored = file.read()
    assert (hashlib.sha256(stored).hexdigest(), len(stored)) == (second.sha256, second.size)
    assert ReleaseExport.objects.count() == 1
    assert name == second.file or not default_storage.exists(name)


@pytest.mark.parametrize("format_", [*AGGREGATION.release.formats])
@pytest.mark.processes
def test_every_format_read_by_a_script_of_its_own_gives_the_same_figures(release, tmp_path, format_):
    out, recipe = written(release, format_, tmp_path), tmp_path / "recipe.json"
    recipe.write_text(json.dumps(release.recipe))
    script = [sys.executable, "-I", Path(__file__).with_name("recompute.py")]

    completed = subprocess.run([*script, format_, out, recipe], capture_output=True, text=True, check=True)

    figures = json.loads(completed.stdout)
    assert figures.pop("content_hash", release.content_hash) == release.content_hash
    assert figures.pop("released").items() <= release.statistics["released"].items()
    assert figures == {name: release.statistics[name] for name in figures}
    assert len(figures) >= 3


def test_the_aggregated_table_has_a_line_for_each_phrase_and_no_formula(release, tmp_path):
    rows = table(written(release, "csv", tmp_path))

    assert {(row["phrase"], row["support"]) for row in rows} >= {("botanists", "2"), ("swedish scientists", "1")}
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())


def test_the_table_of_annotations_has_a_line_for_each_person_and_instance(release, tmp_path):
    rows = table(written(release, "annotations", tmp_path))

    assert len(rows) == 6
    assert ["The botanists", "two Swedish scientists"] in [json.loads(row["answers"]) for row in rows]
    assert {row["not_aggregatable"] for row in rows} == {"0", "1"}


def test_the_originals_columns_hold_python_lists(release, tmp_path):
    rows = table(written(release, "published", tmp_path))

    assert [*rows[0]] == [
        "entities_type", "entities", "answer_0", "answer_1", "answer_2", "title", "date", "urls", "summaries",
        "context_type", "context", "verdicts", "simulated", "not_aggregatable", "rejected",
    ]  # fmt: skip
    assert ast.literal_eval(rows[0]["entities"]) == ["Ida Lind", "Karl Moe"]
    answers = [row[f"answer_{n}"] for row in rows for n in range(3)]
    assert answers.count("") == 1  # the one who found nothing
    assert ["Botanists", "Swedish scientists"] in [ast.literal_eval(cell) for cell in answers if cell]
    assert "<color0>Ida Lind</color0> met <color1>Karl Moe</color1>" in rows[0]["context"]


def test_the_mturk_file_has_its_columns_and_the_raw_answers(release, tmp_path):
    rows = table(written(release, "mturk", tmp_path))

    assert len(rows) == 6
    assert [*rows[0]][:3] == ["HITId", "HITTypeId", "Title"]
    assert len({row["AssignmentId"] for row in rows}) == 6
    assert {row["Answer.utterance_1"] for row in rows} >= {"The botanists", "'=SUM(A1)"}  # the import takes it off
    assert {row["SubmitTime"] + row["AcceptTime"] + row["WorkTimeInSeconds"] for row in rows} == {""}


def test_the_folder_for_hugging_face_is_described_by_its_card_and_croissant(release, tmp_path):
    folder = written(release, "huggingface", tmp_path)

    card = (folder / "README.md").read_text()
    assert card.startswith("---\n")
    assert "config_name: instances" in card
    assert "\nlicense: cc-by-4.0\n" in card
    croissant = json.loads((folder / "croissant.json").read_text())
    for file in croissant["distribution"]:
        assert hashlib.sha256((folder / file["contentUrl"]).read_bytes()).hexdigest() == file["sha256"]
    names = {field["@id"] for records in croissant["recordSet"] for field in records["field"]}
    line = json.loads((folder / "data" / "instances.jsonl").read_text().splitlines()[0])
    assert names >= {f"instances/{name}" for name in line}
    datasheet = (folder / "DATASHEET.md").read_text()
    assert "3 people through local" in datasheet
    assert "CC-BY-4.0" in datasheet
    assert json.loads((folder / "recipe.json").read_text()) == release.recipe


def test_names_descriptions_and_licences_are_no_mark_up_in_card_and_datasheet(release):
    nasty = '<img src=x onerror="alert(1)"> [x](javascript:1) **b** `c`\n\n# Heading'
    facts = release_exports.source_of(release).facts
    campaigns = [{**campaign, "name": nasty, "instructions": nasty} for campaign in facts.statistics["campaigns"]]
    statistics = {**facts.statistics, "campaigns": campaigns, "licences": {nasty: 3}}
    facts = replace(facts, name=nasty, description=nasty, licence=nasty, statistics=statistics)

    for text in (documents.card(facts, "jsonl").split("---\n", 2)[2], documents.datasheet(facts)):
        assert text.count(r"\<img src=x") >= 3
        assert "[x](" not in text.replace(r"\[x\](", "")
        assert "<img" not in text.replace(r"\<img", "")
        assert "**b**" not in text
        assert "\n# Heading" not in text


def test_documents_list_counts_in_one_order_however_an_engine_stores_them(release):
    facts = release_exports.source_of(release).facts
    counts = {"licences": {"b": 1, "a": 2}, "discarded": dict(sorted(facts.statistics["discarded"].items()))}
    shuffled = replace(facts, statistics={**facts.statistics, **counts})
    first = replace(shuffled, recipe={**facts.recipe, "schema": 1})

    steps = re.findall(r"^\| (\w+) \| \d+ \|$", documents.datasheet(shuffled), re.MULTILINE)
    assert steps == [*STEPS]
    assert "a (2), b (1)" in documents.card(shuffled, "jsonl")
    assert "b (1), a (2)" in documents.card(first, "jsonl"), "files of schema 1 keep their bytes"


def test_a_licence_the_hub_does_not_know_is_named_in_the_card(release, tmp_path):
    facts = replace(selectors.facts_of(release), licence="For members: “ours”")

    assert 'license: other\nlicense_name: "For members: “ours”"\n' in documents.card(facts, "jsonl")
    assert "license" not in documents.card(replace(facts, licence=""), "jsonl").split("---")[1]


def test_parquet_holds_what_the_lines_hold(release, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    folder = written(release, "huggingface", tmp_path) / "data"

    for name in ("instances", "annotations"):
        lines = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        assert pq.read_table(folder / f"{name}.parquet").to_pylist() == lines


def test_without_pyarrow_the_folder_has_json_lines_alone(release, tmp_path, monkeypatch):
    monkeypatch.setattr("annotation.releasing.exports.huggingface.is_installed", lambda: False)
    folder = written(release, "huggingface", tmp_path)

    assert not list(folder.rglob("*.parquet"))
    assert "path: data/instances.jsonl" in (folder / "README.md").read_text()


def test_a_stored_folder_is_one_zip_file(release):
    export = release_exports.export_release(release, "huggingface", lambda done: None)

    with default_storage.open(export.file) as file, zipfile.ZipFile(file) as archive:
        assert "words-v1/README.md" in archive.namelist()


def test_files_go_with_their_release(release):
    export = release_exports.export_release(release, "jsonl", lambda done: None)

    releases.delete_release(release, by=None)

    assert not default_storage.exists(export.file)
    assert not ReleaseExport.objects.exists()


def test_the_command_writes_the_newest_version_or_the_one_asked_for(release, tmp_path):
    out = StringIO()

    call_command("export_release", "Words", format="jsonl", out=tmp_path / "a.jsonl", stdout=out)
    assert "Words, version 1, 2 instances as JSON lines" in out.getvalue()
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) == 2
    for arguments in ({"release": "Nothing"}, {"release": "Words", "release_version": 7}):
        with pytest.raises(CommandError, match="there is no such release; known: Words, version 1"):
            call_command("export_release", arguments.pop("release"), out=tmp_path / "b", stdout=out, **arguments)
    with pytest.raises(CommandError, match="No such file or directory"):
        call_command("export_release", "Words", out=tmp_path / "no" / "b", stdout=out)


def test_more_people_than_three_get_their_columns(tmp_path):
    campaign = answered_campaign(SAID[0])
    for name in ("d", "e"):
        answer(campaign.tasks.get(), name, ["botanists"])
    recipe = make_recipe(AGGREGATION, [campaign.name], least_assignments=1)
    made = releases.create_release(releases.ReleasePlan("Words", recipe), by=None)
    release = releases.freeze_release(made, by=None, report=lambda *_: None)

    row: dict[str, Any] = table(written(release, "published", tmp_path))[0]

    assert sum(bool(row[f"answer_{n}"]) for n in range(5)) == 4
