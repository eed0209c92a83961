"""Campaigns whose items suggest marks: the annotator's page, what is refused, the report and the release."""

from __future__ import annotations

import html
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.models import AgreementReport, Annotation, Assignment, Campaign, Release, Task
from annotation.selectors.descriptions import chosen_task
from annotation.services import assessing, submitting
from annotation.services import campaigns as campaign_services
from annotation.task_types import type_of
from annotation.task_types.own.checking import type_of_description
from corpus.models import Sample
from kernel.errors import InvalidInput
from kernel.models import User
from tests.annotation.describing import make_description
from tests.make import make_campaign, make_participation
from tests.pages import shown

pytestmark = pytest.mark.django_db

NAMES = """\
name: Names
items: rows
show: [title]
parts:
  - name: names
    kind: spans
    ask: Mark every name.
    text: report
    labels: [person, place]
    suggestions: guesses
instructions: {summary: Read., details: Mark., examples: + Ada}
"""
ADA = "🌧 Ada Lind met Bo in Arden."
GUESSES = [{"start": 2, "end": 10, "label": "person", "words": "Ada Lind"}, {"start": 18, "end": 20, "label": "place"}]
LINES = "Ada Lind # person\nin # place"


def imported(folder: Path, *rows: Any) -> Sample:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    call_command("import_instances", path, name="Reports", item_kind="rows", stdout=io.StringIO())
    return Sample.objects.get(name="Reports")


def campaign_with(folder: Path, *rows: Any, described: str = NAMES) -> Campaign:
    row, sample = make_description(described), imported(folder, *rows)
    task_type, settings = chosen_task(row.key)
    return make_campaign("Names", sample=sample, task_type=task_type, task_settings=settings, redundancy=2)


def row_of(text: str = ADA, guesses: Any = GUESSES, title: str = "Rain") -> dict[str, Any]:
    return {"title": title, "report": text, "guesses": guesses}


def marks_on(page: str) -> Any:
    return json.loads(html.unescape(re.findall(r'data-marks="([^"]*)"', page)[0]))


def answered(campaign: Campaign, *answers: str) -> None:
    for number, lines in enumerate(answers):
        entry = make_participation(campaign, f"person {number}")
        Client().get(f"/task/{entry.secret}/")
        turn = Assignment.objects.get(participation=entry, status="taken")
        submitting.submit(entry.secret, turn.pk, {"a.names": lines})


def test_the_page_starts_with_the_suggested_marks_until_something_is_saved(tmp_path: Path):
    campaign = campaign_with(tmp_path, row_of())
    entry = make_participation(campaign, "cleo")

    page = Client().get(f"/task/{entry.secret}/").content.decode()
    turn = Assignment.objects.get()
    submitting.save_draft(entry.secret, turn.pk, {"a.names": ""})
    emptied = Client().get(f"/task/{entry.secret}/").content.decode()

    assert [(mark["start"], mark["label"]) for mark in marks_on(page)] == [(2, "person"), (18, "place")]
    assert f">\n{LINES}</textarea>" in page
    assert "Some marks are suggestions" in page
    assert 'name="a.names.suggested" value="2-10:person 18-20:place"' in page
    assert 'data-text="guesses"' not in page
    assert marks_on(emptied) == []


def test_practice_starts_with_suggestions_and_names_bad_ones_with_their_line():
    practised = """practice:
  - item: {title: Dun, report: Ada came, guesses: '[{"start": 0, "end": END, "label": "person"}]'}
    answers: {names: ["Ada # person"]}
"""
    with pytest.raises(InvalidInput, match=r"Line 13: practice 1, item: guesses: Mark 1: 0-2 begins or ends inside"):
        make_description(NAMES + practised.replace("END", "2"))

    made = type_of_description(make_description(NAMES + practised.replace("END", "3")).value)
    assert made.starting_form(made.question(made.practice[0].item)) == {
        "a.names": "Ada # person",
        "a.names.suggested": "0-3:person",
    }


def test_whoever_has_touched_no_suggestion_is_not_asked_before_the_task_goes_back(tmp_path: Path):
    entry = make_participation(campaign_with(tmp_path, row_of()), "cleo")
    page = Client().get(f"/task/{entry.secret}/").content.decode()
    turn = Assignment.objects.get()
    back, start = f"/task/{entry.secret}/back/{turn.pk}/", {"a.names.suggested": "2-10:person 18-20:place"}

    changed = Client().post(back, {**start, "a.names": LINES.partition("\n")[0]}).content.decode()
    untouched = Client().post(back, {**start, "a.names": LINES.replace("\n", "\r\n"), "signals": "{}"})

    assert "Skip this task?" in changed
    assert LINES in page
    assert untouched.status_code == 302


def test_a_draft_of_the_script_is_a_field_of_lines_until_the_script_takes_its_offsets(tmp_path: Path):
    entry = make_participation(campaign_with(tmp_path, row_of()), "cleo")
    Client().get(f"/task/{entry.secret}/")
    sent = '[{"start": 2, "end": 10, "label": "person"}]'
    submitting.save_draft(entry.secret, Assignment.objects.get().pk, {"a.names": sent, "a.names.suggested": ""})

    page = Client().get(f"/task/{entry.secret}/").content.decode()

    assert f'data-sent="{html.escape(sent)}"' in page
    assert f">\n{LINES.partition(chr(10))[0]}</textarea>" in page
    assert 'name="a.names.suggested" value=""' in page


def test_suggestions_sent_as_they_are_count_as_kept(tmp_path: Path):
    campaign = campaign_with(tmp_path, row_of())
    answered(campaign, LINES)

    task, annotation = Task.objects.get(), Annotation.objects.get()
    changes = type_of(campaign).suggestion_changes(task.question, annotation.answer)
    assert changes["names"] == {"suggested": 2, "kept": 2, "changed": 0, "deleted": 0, "added": 0}


def test_hidden_suggestions_leave_the_page_empty_but_are_compared(tmp_path: Path):
    hidden = NAMES.replace("    suggestions: guesses\n", "    suggestions: guesses\n    show_suggestions: false\n")
    campaign = campaign_with(tmp_path, row_of(), described=hidden)
    entry = make_participation(campaign, "cleo")

    page = Client().get(f"/task/{entry.secret}/").content.decode()

    assert marks_on(page) == []
    assert "suggest" not in page
    question = Task.objects.get().question
    assert type_of(campaign).suggestion_changes(question, {"names": []})["names"]["deleted"] == 2


def test_the_agreement_page_and_the_release_say_what_became_of_suggestions(
    tmp_path: Path, client: Client, ben: User, settings: Any
):
    settings.MEDIA_ROOT, settings.VAR = tmp_path / "files", tmp_path / "var"
    dry = {**row_of("It rained.", None, "Dry"), "facet": "weather"}
    campaign = campaign_with(tmp_path, {**row_of(), "facet": "towns"}, dry)
    by_text = {task.question["texts"]["report"]: task for task in Task.objects.all()}
    assert by_text.keys() == {ADA, "It rained."}
    for number, lines in enumerate((LINES, "Ada Lind # person\nBo # person\nArden # place")):
        entry = make_participation(campaign, f"person {number}")
        for _ in range(2):
            Client().get(f"/task/{entry.secret}/")
            turn = Assignment.objects.get(participation=entry, status="taken")
            is_ada = turn.task == by_text[ADA]
            submitting.submit(entry.secret, turn.pk, {"a.names": lines} if is_ada else {"a.names.none": "yes"})

    for _ in assessing.assess(campaign):
        pass
    counts = {"part": "names", "suggested": 4, "kept": 3, "changed": 0, "deleted": 1, "added": 2, "answers": 2}
    page = shown(client.get(f"/campaigns/{campaign.pk}/agreement/"))
    options = {"least_assignments": 1, "least_answered": 1, "simulated": True}
    call_command("freeze_release", "Names", campaign=[campaign.name], stdout=io.StringIO(), **options)
    release = Release.objects.get()
    call_command("export_release", "Names", format="huggingface", out=tmp_path / "hf", stdout=io.StringIO())

    assert AgreementReport.objects.get().value["suggestions"] == [counts]
    assert "Suggested marks" in page
    assert "By type of row, most marks first" in page
    # Of four pieces, both say the same of one: person 3, place 2 and no label 3 of eight times.
    assert re.search(r"towns</bdi></td>.*?>1<.*?>5<.*?>-0\.14<.*?>0\.40<.*?>0\.40<", page)
    assert release.statistics["suggestions"] == [counts]
    assert "Marks of “names”: kept" in shown(client.get(reverse("release", args=[release.pk])))
    assert "| Marks of “names”: added | 2 |" in (tmp_path / "hf" / "README.md").read_text()
    assert json.loads(release.items.all()[0].value["columns"].get("guesses", "[]")) is not None


@pytest.mark.parametrize(
    ("guesses", "why"),
    [
        ([{"start": 2, "end": 10, "label": "animal"}], "Mark 1: “animal” is not one of the labels"),
        ([{"start": 2, "end": 8, "label": "person"}], "Mark 1: 2-8 begins or ends inside a word"),
        (json.dumps([{"start": 2, "end": 900, "label": "person"}]), "Mark 1: 2-900 is no piece of the text"),
        ("Ada", "this is no JSON list of marks"),
    ],
)
def test_a_campaign_on_suggestions_that_cannot_be_is_refused_with_the_row(tmp_path: Path, guesses: Any, why: str):
    make_description(NAMES)
    imported(tmp_path, row_of(title="First"), row_of(guesses=guesses, title="Second"))

    with pytest.raises(CommandError) as refused:
        call_command("create_campaign", "Names", "Reports", task_type="own-1", contact="x", stdout=io.StringIO())

    assert f"row 2 of the sample (“Second”) suggests what cannot be: guesses: {why}" in str(refused.value)
    assert str(refused.value).endswith("correct the file and import its rows as another sample")
    assert not Campaign.objects.exists()


def test_a_bad_suggestion_far_behind_stops_the_making_of_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(campaign_services, "LOOKED_AT", 1)

    with pytest.raises(InvalidInput, match=r"“Second”\) suggests what cannot be"):
        campaign_with(tmp_path, row_of(title="First"), row_of(guesses="Ada", title="Second"))

    assert not Task.objects.exists()


def test_a_task_of_label_studio_is_asked_with_its_prediction(tmp_path: Path):
    result = {"type": "labels", "value": {"start": 3, "end": 11, "text": "Ada Lind", "labels": ["person"]}}
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([{"data": {"report": ADA}, "predictions": [{"result": [result]}]}]))
    call_command("import_instances", path, name="Reports", item_kind="rows", stdout=io.StringIO())
    described = NAMES.replace("guesses", "suggestions").replace("show: [title]\n", "")
    row = make_description(described)
    task_type, settings = chosen_task(row.key)
    sample = Sample.objects.get()
    campaign = make_campaign("Names", sample=sample, task_type=task_type, task_settings=settings, redundancy=1)
    entry = make_participation(campaign, "cleo")

    page = Client().get(f"/task/{entry.secret}/").content.decode()

    assert marks_on(page) == [{"start": 2, "end": 10, "label": "person"}]
    assert page.count("Ada") == page.count(">Ada<") + page.count("\nAda Lind # person")
