"""A task type that lives in the tests alone goes the whole way: one entry in the dict, one folder, one of templates.

It asks about plain texts, each in two ways.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.test import Client, override_settings
from django.urls import reverse
from rest_framework.exceptions import ValidationError

from annotation.api.campaign_changes import CampaignInput
from annotation.jobs import make_tasks
from annotation.models import Annotation, Assignment, Campaign, Participation, Release, ReviewItem, Task
from annotation.services import assessing, gold, importing, simulating
from annotation.simulation.comparing import compare
from annotation.simulation.invented_people import crowd
from annotation.simulation.visiting import Log, Shift, work
from annotation.task_types import TASK_TYPES
from annotation.task_types.cleaned import CleanedAnswer, CleanedPart
from corpus.jobs.samples import import_items
from corpus.models import Sample
from kernel.errors import TesaError
from kernel.models import Job, TokenScope
from kernel.progress import Silent
from kernel.services import tokens
from modeling.selectors.datasets import check_task_type
from tests.annotation.researching import filled
from tests.annotation.second_type.type import TONE, ToneCleaning, tone_answer
from tests.make import make_campaign, make_participation, make_sample, make_user
from tests.pages import shown

HERE = Path(__file__).parent / "second_type"


@pytest.fixture(autouse=True)
def tone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(TASK_TYPES.paths, "tone", "tests.annotation.second_type.type:TONE")
    (engine,) = django_settings.TEMPLATES
    with override_settings(
        TEMPLATES=[{**engine, "DIRS": [*engine["DIRS"], HERE / "templates"]}],
        STATICFILES_DIRS=[*django_settings.STATICFILES_DIRS, HERE / "static"],
    ):
        yield


def test_the_api_takes_the_task_types_that_are_registered_when_it_is_asked(monkeypatch):
    assert CampaignInput().fields["task_type"].run_validation("tone") == "tone"

    monkeypatch.delitem(TASK_TYPES.paths, "tone")

    with pytest.raises(ValidationError):
        CampaignInput().fields["task_type"].run_validation("tone")


TITLES = ("Rain", "Hail", "Snow")
SAID = {  # by title and variant: what the first says, and the second
    ("Rain", ""): ("good", "good"),
    ("Rain", "farmers"): ("bad", "bad"),
    ("Hail", ""): ("bad", "neither"),
    ("Hail", "farmers"): ("good", "good"),
}


def texts(folder: Path, size: int) -> Path:
    """Return a file of texts."""
    path = folder / "texts.jsonl"
    rows = [{"title": title, "text": f"{title} fell for three days."} for title in TITLES[:size]]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture
def tone_campaign(tmp_path: Path) -> Callable[..., Campaign]:
    """Return what makes a campaign over texts that the product imports."""

    def make(size: int = 2, redundancy: int = 2, **fields: Any) -> Campaign:
        call_command("import_instances", texts(tmp_path, size), name="News", item_kind="text", stdout=io.StringIO())
        sample = Sample.objects.get(name="News")
        return make_campaign("Tones", sample=sample, redundancy=redundancy, task_type="tone", **fields)

    return make


def answer(browser: Client, person: Participation, tone: str, comment: str = "") -> str:
    browser.get(f"/task/{person.secret}/")
    turn = Assignment.objects.get(participation=person, status="taken")
    return shown(browser.post(f"/task/{person.secret}/answer/{turn.pk}/", {"tone": tone, "comment": comment}))


@pytest.fixture
def answered(client: Client, tone_campaign: Callable[..., Campaign]) -> Campaign:
    """Return a campaign that four people have answered, each about both texts, as SAID tells."""
    campaign = tone_campaign()
    for name in ("ann", "bob", "cleo", "dan"):
        person = make_participation(campaign, name)
        for _ in range(2):
            client.get(f"/task/{person.secret}/")
            task = Task.objects.get(assignments__participation=person, assignments__status="taken")
            tones = SAID[task.question["title"], task.variant]
            answer(client, person, tones[task.answers], "so it seems")
    return campaign


@pytest.mark.django_db(transaction=True)
def test_texts_are_uploaded_and_the_campaign_form_makes_its_tasks_over_them(researcher: Client, tmp_path: Path):
    with texts(tmp_path, 3).open("rb") as upload:
        researcher.post("/corpus/samples/import/", {"name": "News", "item_kind": "text", "upload": upload})
    import_items(Job.objects.get().parameters, Silent())
    sample, asked = Sample.objects.get(), {"task_type": "tone"}

    page = shown(researcher.get("/campaigns/new/"))
    refused = shown(researcher.post("/campaigns/new/", filled(make_sample()) | asked))
    researcher.post("/campaigns/new/", filled(sample) | asked)

    assert re.search(r'<option value="tone"[^>]*>Tone</option>', page)
    assert "Tone has 1 question." in page

    assert "News (3 texts)" in page
    assert "holds instances, but the task “tone” asks about texts" in refused
    campaign = Campaign.objects.get()
    assert campaign.task_type == "tone"
    assert campaign.instructions.name == "Tone instructions"
    make_tasks({"campaign": campaign.pk}, Silent())
    assert Task.objects.count() == 6
    assert set(Task.objects.values_list("question__good_for", flat=True)) == {"everybody", "farmers"}


@pytest.mark.django_db
def test_people_practise_pass_the_quiz_and_answer_in_its_own_form(
    client: Client, tone_campaign: Callable[..., Campaign]
):
    campaign = tone_campaign(size=1, practice=1, quiz_pass=1)
    person = make_participation(campaign)

    assert "Rain at last" in shown(client.get(f"/task/{person.secret}/"))
    assert client.post(f"/task/{person.secret}/practice/0/", {}).status_code == 422
    wrong = shown(client.post(f"/task/{person.secret}/practice/0/", {"tone": "bad"}, follow=True))
    assert "Look again." in wrong
    assert "Rain was needed." in wrong
    assert "1 of 1 right" in shown(
        client.post(f"/task/{person.secret}/quiz/", {"question_0": "0", "try": "0"}, follow=True)
    )
    turn_page = shown(client.get(f"/task/{person.secret}/"))
    assert "Good news" in turn_page
    turn = Assignment.objects.get()
    client.post(f"/task/{person.secret}/draft/{turn.pk}/", {"tone": "bad", "comment": "half a th"})
    assert 'value="bad" checked' in shown(client.get(f"/task/{person.secret}/"))
    assert "Please choose a tone." in shown(client.post(f"/task/{person.secret}/answer/{turn.pk}/", {}))
    client.post(f"/task/{person.secret}/answer/{turn.pk}/", {"tone": "good", "comment": " it rained "})

    assert Annotation.objects.get().answer == tone_answer("good", "it rained")


@pytest.mark.django_db
def test_hidden_gold_is_set_in_its_form_and_judged_by_it(researcher: Client, tone_campaign: Callable[..., Campaign]):
    campaign = tone_campaign(size=2, gold_every=2, is_running=False)
    task = Task.objects.get(position=0)
    assert "Choose the right tone." in shown(researcher.post(f"/campaigns/tasks/{task.pk}/gold/", {}))
    gold.set_gold(task.pk, {"tone": "good"}, by=None)

    page = shown(researcher.get(f"/campaigns/{campaign.pk}/gold/"))
    tried = shown(researcher.post(f"/campaigns/{campaign.pk}/try/0/", {"tone": "bad", "comment": "hm"}))

    assert "check task</span></span>" in page
    assert [f"{title}, for {whom}" in page for title in TITLES[:2] for whom in ("everybody", "farmers")] == [True] * 4
    assert "bad (hm)" in tried
    assert "not a known answer of this check task" in tried


@pytest.mark.django_db
def test_result_files_cannot_be_imported_because_it_names_no_columns(
    researcher: Client, tone_campaign: Callable[..., Campaign]
):
    campaign = tone_campaign()

    assert "Answers from MTurk" not in shown(researcher.get(f"/campaigns/{campaign.pk}/answers/"))
    with pytest.raises(TesaError, match="cannot be imported"):
        list(importing.import_results(campaign, "mturk", [], by=None))


@pytest.mark.django_db(transaction=True)
def test_its_answers_are_assessed_reviewed_corrected_released_and_exported(
    researcher: Client, answered: Campaign, tmp_path: Path
):
    campaign = answered
    list(assessing.assess(campaign))

    assert "The tone" in shown(researcher.get(f"/campaigns/{campaign.pk}/agreement/"))
    doubtful, *agreed = ReviewItem.objects.order_by("-score")
    assert doubtful.reasons[0] == "People gave different tones."
    assert [item.is_unanimous for item in agreed] == [True] * 3
    page = shown(researcher.get(f"/admin/review/{campaign.pk}/?task={doubtful.task_id}"))
    assert "“so it seems”" in page
    assert "Not aggregatable" not in page
    wrong = Annotation.objects.get(answer__tone="neither")
    form = {"verdict": "correct", "tone": "bad"}
    researcher.post(f"/admin/review/{campaign.pk}/answers/{wrong.pk}/", form)
    wrong.refresh_from_db()
    assert (wrong.verdict, wrong.corrected) == ("correct", tone_answer("bad"))
    file: Any = researcher.get(reverse("campaign-export", args=[campaign.pk, "csv"]))
    raw = b"".join(file.streaming_content)
    assert raw.count(b'"farmers"') == raw.count(b'"everybody"') == 4
    assert b'"Hail fell for three days."' in raw

    call_command("freeze_release", "Tones", campaign=[campaign.name], least_assignments=1)
    release = Release.objects.get()
    rows = [item.value for item in release.items.order_by("position")]
    assert {(row["title"], row.get("variant", "")): row["consensus"]["tone"]["value"] for row in rows} == {
        ("Rain", ""): "good", ("Rain", "farmers"): "bad", ("Hail", ""): "bad", ("Hail", "farmers"): "good",
    }  # fmt: skip
    assert {row["consensus"]["tone"]["support"] for row in rows} == {2}
    corrected = next(a for row in rows for a in row["annotations"] if a["verdict"] == "correct")
    assert (corrected["answer"]["tone"], corrected["final"], corrected["outcome"]) == (
        "neither",
        {"tone": "bad"},
        "answered",
    )
    assert release.statistics["tones"] == {"good": 2, "bad": 2, "neither": 0}
    assert "Tone: good" in shown(researcher.get(f"/releases/{release.pk}/"))
    assert "× 2" in shown(researcher.get(f"/releases/{release.pk}/items/0/"))
    for name in TONE.release.formats:
        call_command("export_release", "Tones", format=name, out=tmp_path / name)
    assert [json.loads(line) for line in (tmp_path / "jsonl").open()] == rows
    assert "text-classification" in (tmp_path / "huggingface" / "README.md").read_text()
    with pytest.raises(TesaError, match=f"holds answers of the task {TONE.title}: TESA’s models learn"):
        check_task_type(release)
    assert "Train models" not in shown(researcher.get(f"/releases/{release.pk}/"))
    assert researcher.get(reverse("experiment-new")).context["releases"] == []


@pytest.mark.django_db
def test_its_script_and_style_are_loaded_wherever_an_answer_is_shown_or_given(
    client: Client, researcher: Client, answered: Campaign
):
    list(assessing.assess(answered))
    call_command("freeze_release", "Tones", campaign=[answered.name], least_assignments=1)
    release, done = Release.objects.get(), Participation.objects.get(worker__external_id="ann")
    turn = Assignment.objects.filter(participation=done).first()
    assert turn
    again = make_campaign("Tones again", sample=answered.sample, task_type="tone", practice=1)
    person = make_participation(again, "eve")
    team = ("gold/", "try/0/")
    pages = [researcher.get(f"/campaigns/{answered.pk}/{page}") for page in team]
    pages += [researcher.get(f"/admin/review/{answered.pk}/?task={turn.task_id}")]
    pages += [researcher.get(f"/releases/{release.pk}/items/{page}") for page in ("", "0/")]
    pages += [client.get(f"/task/{done.secret}/{page}") for page in ("mine/", f"mine/{turn.pk}/", f"report/{turn.pk}/")]
    pages += [client.get(f"/task/{person.secret}/")]  # practice
    pages += [client.post(f"/task/{person.secret}/practice/0/", {"tone": "bad"}, follow=True)]
    pages += [client.get(f"/task/{person.secret}/")]  # the task

    for page in pages:
        where = page.request["PATH_INFO"]
        assert (where, shown(page).count('<link rel="stylesheet" href="/static/tone/form.css">')) == (where, 1)
        assert (where, shown(page).count('<script type="module" src="/static/tone/form.js"></script>')) == (where, 1)
    assert f"About: {turn.task.question['title']}, for" in shown(pages[7])
    assert "tone/form" not in shown(client.get(f"/task/{person.secret}/instructions/"))


@pytest.mark.django_db
def test_the_review_api_takes_and_gives_its_answers(client: Client, answered: Campaign):
    campaign = answered
    list(assessing.assess(campaign))
    _, key = tokens.create_token(make_user("ada"), "test", scope=TokenScope.WRITE)
    headers = {"Authorization": f"Bearer {key}"}

    item = client.get(f"/api/v1/review/{campaign.pk}/", headers=headers).json()["results"][0]
    first_answer = item["answers"][0]
    assert item["instance"].partition(":")[0] in campaign.sample.members.values_list("key", flat=True)
    verdict = {"annotation": first_answer["annotation"], "verdict": "correct", "correction": {"tone": "neither"}}
    done = client.post(
        f"/api/v1/review/{campaign.pk}/verdicts/", verdict, content_type="application/json", headers=headers
    )

    assert first_answer["cleaned"][0]["unit"] in ("bad", "neither")
    assert done.json()["after"]["tone"] == "neither"


@pytest.mark.django_db(transaction=True)
def test_an_invented_crowd_works_through_its_pages(live_server, tone_campaign):
    campaign = tone_campaign(size=3, redundancy=2)
    places = simulating.places(campaign, people=4, seed=3)
    log = Log()

    for person, place in zip(crowd(4, 3), places, strict=True):
        work([(person.steady(), f"/task/{place.secret}/")], Shift(live_server.url, seed=3), TASK_TYPES["tone"], log)

    assert compare(log.events, simulating.stored_of(places), TASK_TYPES["tone"]) == []
    assert Annotation.objects.count() == 12


def test_what_it_invents_passes_its_own_checks():
    question = TONE.question(TONE.practice[0].item)
    for person in crowd(5, 1):
        form = TONE.crowd.invent(TONE.crowd.read_item(TONE.practice[0].item), person, Random(1))
        assert TONE.parse(question, form) == TONE.parse(question, TONE.form(question, TONE.parse(question, form)))


class Louder(ToneCleaning):
    """Counts good tones under another name, and shows the others in other letters."""

    name = "louder"

    def clean(self, question: Mapping[str, Any], answer: Mapping[str, Any]) -> CleanedAnswer:
        tone = str(answer["tone"])
        return CleanedAnswer({"tone": tone}, parts=(CleanedPart(tone, tone, tone.upper() if tone == "good" else tone),))


@pytest.mark.django_db
def test_the_comparison_of_cleaning_rules_speaks_of_its_answers(researcher: Client, answered: Campaign):
    with patch.dict(TONE.cleanings, {"louder": Louder()}):
        page = shown(researcher.get(f"/admin/review/{answered.pk}/cleaning/?from=plain&to=louder"))

    assert "kept, but counted as another tone" in page
    assert "the same tone, other remarks" in page
    assert "differ only in how the tone is displayed" in page
    assert "phrase" not in page
