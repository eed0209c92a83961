"""Descriptions of own tasks: kept in versions, edited on a page, and asked by campaigns that name a version."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Campaign, TaskDescription
from annotation.selectors import descriptions as selectors
from annotation.task_types import TASK_TYPES, type_of
from annotation.task_types.base import InvalidAnswer
from annotation.task_types.own import library
from annotation.task_types.own.reading import InvalidDescription
from corpus.models import Sample
from kernel.errors import InvalidInput
from kernel.models import TokenScope
from kernel.services import tokens
from tests.annotation.describing import SMALLEST, in_library, make_description, make_own_campaign, make_sample_for
from tests.annotation.researching import filled
from tests.make import make_campaign, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
SNOW = SMALLEST.replace("Does it rain?", "Does it snow?")


# ---- Versions


def test_an_edit_makes_the_next_version_and_the_old_one_stays():
    first = make_description()
    second = make_description(SNOW, number=first.number)

    first.refresh_from_db()
    assert (first.key, second.key) == ("own-1@1", "own-1@2")
    assert first.value["parts"][0]["ask"] == "Does it rain?"
    assert [row.key for row in selectors.newest()] == ["own-1@2"]


def test_a_text_that_says_the_same_makes_no_version():
    first = make_description()

    again = make_description(f"# The same, with a remark\n{SMALLEST}", number=first.number)

    assert again == first
    assert TaskDescription.objects.count() == 1


def test_a_description_that_cannot_be_used_is_not_kept():
    with pytest.raises(InvalidDescription, match="Line 3"):
        make_description(SMALLEST.replace("kind: choice", "kind: chance"))

    assert not TaskDescription.objects.exists()


def test_a_version_is_found_by_its_key_and_the_newest_without_a_version():
    make_description()
    second = make_description(SNOW, number=1)

    assert selectors.description_of("own-1") == second
    assert selectors.description_of("own-1@1").version == 1
    for unknown in ("own-1@3", "own-2", "own-", "rain", "own-1@", "own-99999999999"):
        with pytest.raises(InvalidInput, match="there is no task"):
            selectors.description_of(unknown)


# ---- Campaigns


def test_a_campaign_keeps_its_version_while_the_description_goes_on(tmp_path: Path):
    row = make_description()
    campaign = make_own_campaign(row, tmp_path)
    make_description(SNOW, number=row.number)

    type_: Any = type_of(Campaign.objects.get(pk=campaign.pk))
    assert campaign.task_settings["version"] == "own-1@1"
    assert type_.task.parts[0].ask == "Does it rain?"
    assert selectors.campaigns_by_description() == {row.number: 1}


def test_a_campaign_is_made_on_the_form(researcher: Client, tmp_path: Path):
    row = make_description(in_library("pairwise_preference"))
    sample = make_sample_for(row, tmp_path)
    page = shown(researcher.get(f"/campaigns/new/?task_type={row.key}"))
    assert f'<option value="{row.key}" selected' in page
    assert "There are 2 questions." in page

    made = researcher.post("/campaigns/new/", filled(sample, task_type=row.key))

    campaign = Campaign.objects.get()
    assert made.status_code == 302
    assert (campaign.task_type, campaign.task_settings["version"]) == ("own", row.key)
    assert campaign.instructions.task_type == "own-1"
    settings = shown(researcher.get(f"/campaigns/{campaign.pk}/settings/"))
    assert row.name in settings
    assert row.key in settings
    again = shown(researcher.get(f"/campaigns/new/?from={campaign.pk}"))
    assert f'<option value="{row.key}" selected' in again


def test_the_form_takes_the_task_that_asks_about_the_sample(researcher: Client, tmp_path: Path):
    row = make_description(in_library("pairwise_preference"))
    sample = make_sample_for(row, tmp_path)

    page = shown(researcher.get(f"/campaigns/new/?sample={sample.pk}"))

    assert f'<option value="{row.key}" selected' in page


def test_a_sample_that_lacks_a_text_of_the_task_is_refused(tmp_path: Path):
    (tmp_path / "rows.csv").write_text("question,first\nWhat?,This.\n")
    call_command("import_instances", tmp_path / "rows.csv", name="Rows", item_kind="rows", stdout=io.StringIO())
    row = make_description(in_library("pairwise_preference"))

    with pytest.raises(CommandError, match="has no text “second”, which the task shows; it has question, first"):
        call_command("create_campaign", "Which", "Rows", contact="x", task_type=row.key)


def test_a_number_in_a_row_is_a_text_that_people_see(tmp_path: Path):
    text = SMALLEST.replace("kind: choice", "kind: ranking").replace("options: [yes, no]", "targets: [a, b]")
    (tmp_path / "rows.jsonl").write_text('{"a": "6", "b": 7}\n')
    call_command("import_instances", tmp_path / "rows.jsonl", name="Rows", item_kind="rows", stdout=io.StringIO())
    task_type, settings = selectors.chosen_task(make_description(f"items: rows\n{text}").key)
    campaign = make_campaign(sample=Sample.objects.get(), task_type=task_type, task_settings=settings)

    task = campaign.tasks.get()
    assert task.question["texts"] == {"a": "6", "b": "7"}
    with pytest.raises(InvalidAnswer):
        type_of(campaign).parse(task.question, {})


def test_the_task_of_a_draft_stays_what_its_tasks_were_made_from(researcher: Client):
    campaign = make_campaign("Phrases", is_running=False)
    make_description()

    page = researcher.post(
        f"/campaigns/{campaign.pk}/edit/", filled(campaign.sample, task_type="own-1@1", consent=campaign.consent)
    )

    campaign.refresh_from_db()
    assert page.status_code == 302
    assert campaign.task_type == "aggregation"
    assert campaign.consent.split() == TASK_TYPES["aggregation"].consent.split()


# ---- Pages


def test_the_editor_saves_a_description_and_its_next_version(researcher: Client):
    assert "Start from" in shown(researcher.get("/campaigns/tasks/"))
    saved = researcher.post("/campaigns/tasks/new/", {"text": SMALLEST, "save": "1"})
    assert saved.headers["Location"] == "/campaigns/tasks/1/1/"

    edited = researcher.post("/campaigns/tasks/1/1/", {"text": SNOW.replace("\n", "\r\n"), "save": "1"})
    page = shown(researcher.get(edited.headers["Location"]))

    assert edited.headers["Location"] == "/campaigns/tasks/1/2/"
    assert "Save as version 3" in page
    assert "Version 1" in page
    assert researcher.get("/campaigns/tasks/1/2/task.yaml").content.decode() == SNOW


def test_a_refused_description_comes_back_with_every_problem_and_every_word(researcher: Client):
    bad = SMALLEST.replace("kind: choice", "kind: chance") + "<script>\n"
    page = researcher.post("/campaigns/tasks/new/", {"text": bad, "save": "1"})

    assert page.status_code == 422
    assert "&lt;script&gt;" in page.content.decode()
    assert 'data-line="5"' in page.content.decode()
    assert not TaskDescription.objects.exists()


def test_a_file_is_opened_in_the_editor_without_being_kept(researcher: Client):
    file = SimpleUploadedFile("rain.yaml", SNOW.encode())

    page = shown(researcher.post("/campaigns/tasks/new/", {"text": "", "file": file, "look": "1"}))

    assert "ask: Does it snow?" in page
    assert not TaskDescription.objects.exists()


def test_the_preview_is_the_annotators_page_or_what_is_wrong(researcher: Client):
    good = researcher.post("/campaigns/tasks/preview/", {"text": SMALLEST}).json()
    bad = researcher.post("/campaigns/tasks/preview/", {"text": "name: Rain\nname: Snow"}).json()

    assert good["problems"] == []
    assert 'name="a.rain"' in good["html"]
    assert bad == {"html": "", "problems": [{"line": 2, "sentence": "Line 2: “name” is here twice: keep one of them."}]}


@pytest.mark.parametrize("name", library.NAMES)
def test_every_description_of_the_library_opens_with_its_page(researcher: Client, name: str):
    page = researcher.get(f"/campaigns/tasks/new/?from={name}").content.decode()

    assert "&lt;form class=&quot;task__form&quot;" in page
    assert "data-line=" not in page


# ---- Commands and the API


def test_the_command_keeps_lists_and_prints_descriptions(tmp_path: Path):
    def run(*arguments: str) -> str:
        out = io.StringIO()
        call_command("own_task", *arguments, stdout=out)
        return out.getvalue()

    file = tmp_path / "rain.yaml"
    file.write_text(SMALLEST)
    assert run("keep", str(file)) == "own-1@1: Rain\n"
    file.write_text(SNOW)
    assert run("keep", str(file), "--of", "own-1") == "own-1@2: Rain\n"
    assert run("list") == "own-1@2: Rain\n"
    assert run("show", "own-1@1") == SMALLEST
    assert "sentiment" in run("library").split()
    assert run("library", "sentiment") == in_library("sentiment")
    assert "properties" in json.loads(run("schema"))
    file.write_text("name: [")
    with pytest.raises(CommandError, match=r"rain\.yaml: Line 1"):
        run("keep", str(file))
    file.write_bytes("name: Rain".encode("utf-16"))
    with pytest.raises(CommandError, match=r"rain\.yaml is not in UTF-8: save it in this encoding$"):
        run("keep", str(file))
    with pytest.raises(CommandError, match=r"none cannot be read: No such file or directory$"):
        run("keep", str(tmp_path / "none"))
    for wrong in (["show", "own-9"], ["library", "none"]):
        with pytest.raises(CommandError):
            run(*wrong)


def test_programs_keep_descriptions_and_make_campaigns_of_them(client: Client, tmp_path: Path):
    _, token = tokens.create_token(make_user("ben"), "script", scope=TokenScope.WRITE)
    headers = {"Authorization": f"Bearer {token}"}

    def post(address: str, body: dict[str, Any]) -> Any:
        return client.post(f"/api/v1/{address}", body, content_type="application/json", headers=headers)

    made = post("own-tasks/", {"text": SMALLEST})
    again = post("own-tasks/", {"text": SNOW, "number": 1})
    refused = post("own-tasks/", {"text": "name: Rain"})
    sample = make_sample_for(TaskDescription.objects.get(version=1), tmp_path)
    campaign = post("campaigns/", {"name": "Rain", "sample": sample.pk, "contact": "x", "task_type": "own-1@1"})
    unknown = post("campaigns/", {"name": "Fog", "sample": sample.pk, "contact": "x", "task_type": "own-7@1"})

    assert (made.json()["key"], again.json()["key"]) == ("own-1@1", "own-1@2")
    assert refused.json()["error"]["fields"]["text"] == [
        "Line 1: parts: this is missing",
        "Line 1: instructions: this is missing",
    ]
    assert campaign.status_code == 202
    assert "there is no task" in unknown.content.decode()
    assert Campaign.objects.get().task_settings["version"] == "own-1@1"
    whole = client.get("/api/v1/own-tasks/1/versions/1/", headers=headers).json()
    assert whole["text"] == SMALLEST
    assert [row["key"] for row in client.get("/api/v1/own-tasks/", headers=headers).json()["results"]] == ["own-1@2"]
