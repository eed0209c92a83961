"""A task type that lives in the tests alone goes the whole way: one entry in the dict, one folder, one of templates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.test import Client, override_settings
from django.urls import reverse

import annotation.api.campaign_changes  # noqa: F401 - its choices are fixed by the first import, which must not see ours
from annotation.models import Annotation, Assignment, Campaign, Participation, Release, ReviewItem, Task
from annotation.services import assessing, gold, simulating
from annotation.simulation.comparing import compare
from annotation.simulation.log import Log
from annotation.simulation.people import crowd
from annotation.simulation.working import Shift, work
from annotation.task_types import TASK_TYPES
from modeling.selectors import check_task_type
from tesa_site.kernel.errors import TesaError
from tesa_site.kernel.models import TokenScope
from tesa_site.kernel.services import tokens
from tests.annotation.researching import filled, text
from tests.annotation.second_type.type import TONE, tone_answer
from tests.make import make_campaign, make_participation, make_sample, make_user

HERE = Path(__file__).parent / "second_type"


@pytest.fixture(autouse=True)
def tone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(TASK_TYPES.paths, "tone", "tests.annotation.second_type.type:TONE")
    (engine,) = django_settings.TEMPLATES
    with override_settings(TEMPLATES=[{**engine, "DIRS": [*engine["DIRS"], HERE / "templates"]}]):
        yield


def tone_campaign(size: int = 2, redundancy: int = 2, **fields: Any) -> Campaign:
    return make_campaign("Tones", size=size, redundancy=redundancy, task_type="tone", **fields)


def answer(browser: Client, person: Participation, tone: str, comment: str = "") -> str:
    browser.get(f"/task/{person.secret}/")
    turn = Assignment.objects.get(participation=person, status="taken")
    return text(browser.post(f"/task/{person.secret}/answer/{turn.pk}/", {"tone": tone, "comment": comment}))


def answered(browser: Client) -> Campaign:
    """Return a campaign in which two people agree on the first task and not on the second."""
    campaign = tone_campaign()
    for name, tones in (("ann", ("good", "bad")), ("bob", ("good", "neither"))):
        person = make_participation(campaign, name)
        for tone in tones:
            answer(browser, person, tone, "so it seems")
    return campaign


@pytest.mark.django_db(transaction=True)
def test_the_campaign_form_offers_it_and_makes_its_tasks(researcher: Client):
    page = text(researcher.get("/campaigns/new/"))
    assert '<option value="tone">Tone</option>' in page
    assert "Tone has 1 question." in page

    researcher.post("/campaigns/new/", filled(make_sample()) | {"task_type": "tone", "seen_total": "1.35"})

    campaign = Campaign.objects.get()
    assert campaign.task_type == "tone"
    assert campaign.instructions.name == "Tone instructions"


@pytest.mark.django_db
def test_people_practise_pass_the_quiz_and_answer_in_its_own_form(client: Client):
    campaign = tone_campaign(size=1, practice=1, quiz_pass=1)
    person = make_participation(campaign)

    assert "Rain at last" in text(client.get(f"/task/{person.secret}/"))
    assert client.post(f"/task/{person.secret}/practice/0/", {}).status_code == 422
    wrong = text(client.post(f"/task/{person.secret}/practice/0/", {"tone": "bad"}, follow=True))
    assert "Look again." in wrong
    assert "Rain was needed." in wrong
    assert "1 of 1 right" in text(
        client.post(f"/task/{person.secret}/quiz/", {"question_0": "0", "try": "0"}, follow=True)
    )
    turn_page = text(client.get(f"/task/{person.secret}/"))
    assert "Good news" in turn_page
    turn = Assignment.objects.get()
    client.post(f"/task/{person.secret}/draft/{turn.pk}/", {"tone": "bad", "comment": "half a th"})
    assert 'value="bad" checked' in text(client.get(f"/task/{person.secret}/"))
    assert "Please choose a tone." in text(client.post(f"/task/{person.secret}/answer/{turn.pk}/", {}))
    client.post(f"/task/{person.secret}/answer/{turn.pk}/", {"tone": "good", "comment": " it rained "})

    assert Annotation.objects.get().answer == tone_answer("good", "it rained")


@pytest.mark.django_db
def test_hidden_gold_is_set_in_its_form_and_judged_by_it(researcher: Client, client: Client):
    campaign = tone_campaign(size=2, gold_every=2, is_running=False)
    task = Task.objects.get(position=0)
    assert "Choose the right tone." in text(researcher.post(f"/campaigns/tasks/{task.pk}/gold/", {}))
    gold.set_gold(task.pk, {"tone": "good"}, by=None)

    page = text(researcher.get(f"/campaigns/{campaign.pk}/gold/"))
    tried = text(researcher.post(f"/campaigns/{campaign.pk}/try/0/", {"tone": "bad", "comment": "hm"}))

    assert "<strong>gold</strong>: good" in page
    assert "bad (hm)" in tried
    assert "not what this gold accepts" in tried


@pytest.mark.django_db(transaction=True)
def test_its_answers_are_assessed_reviewed_corrected_released_and_exported(
    researcher: Client, client: Client, tmp_path: Path
):
    campaign = answered(client)
    list(assessing.assess(campaign))

    assert "The tone" in text(researcher.get(f"/agreement/{campaign.pk}/"))
    doubtful, agreed = ReviewItem.objects.order_by("-score")
    assert doubtful.reasons[0] == "People gave different tones."
    assert agreed.is_unanimous
    page = text(researcher.get(f"/admin/review/{campaign.pk}/?task={doubtful.task_id}"))
    assert "“so it seems”" in page
    assert "Not aggregatable" not in page
    wrong = Annotation.objects.get(answer__tone="neither")
    form = {"verdict": "correct", "tone": "bad"}
    researcher.post(f"/admin/review/{campaign.pk}/answers/{wrong.pk}/", form)
    wrong.refresh_from_db()
    assert (wrong.verdict, wrong.corrected) == ("correct", tone_answer("bad"))
    file: Any = researcher.get(reverse("campaign-export", args=[campaign.pk, "csv"]))
    assert b'"so it seems"' in b"".join(file.streaming_content)

    call_command("freeze_release", "Tones", campaign=[campaign.name], least_assignments=1)
    release = Release.objects.get()
    rows = [item.value for item in release.items.order_by("position")]
    assert {(row["tone"], row["support"]) for row in rows} == {("good", 2), ("bad", 2)}
    assert release.statistics["tones"] == {"good": 1, "bad": 1, "neither": 0}
    assert "Tone: good" in text(researcher.get(f"/releases/{release.pk}/"))
    assert "× 2" in text(researcher.get(f"/releases/{release.pk}/items/0/"))
    for name in TONE.release.formats:
        call_command("export_release", "Tones", format=name, out=tmp_path / name)
    assert [json.loads(line)["tone"] for line in (tmp_path / "jsonl").open()] == [row["tone"] for row in rows]
    assert "text-classification" in (tmp_path / "huggingface" / "README.md").read_text()
    with pytest.raises(TesaError, match="tone"):
        check_task_type(release)


@pytest.mark.django_db
def test_the_review_api_takes_and_gives_its_answers(client: Client):
    campaign = answered(client)
    list(assessing.assess(campaign))
    _, key = tokens.create_token(make_user("ada"), "test", scope=TokenScope.WRITE)
    headers = {"Authorization": f"Bearer {key}"}

    item = client.get(f"/api/v1/review/{campaign.pk}/", headers=headers).json()["results"][0]
    given = item["answers"][0]
    verdict = {"annotation": given["annotation"], "verdict": "correct", "correction": {"tone": "neither"}}
    done = client.post(
        f"/api/v1/review/{campaign.pk}/verdicts/", verdict, content_type="application/json", headers=headers
    )

    assert given["cleaned"][0]["unit"] in ("bad", "neither")
    assert done.json()["after"]["tone"] == "neither"


@pytest.mark.django_db(transaction=True)
def test_an_invented_crowd_works_through_its_pages(live_server):
    campaign = tone_campaign(size=3, redundancy=2)
    places = simulating.places(campaign, people=3, seed=3)
    log = Log()

    for person, place in zip(crowd(3, 3), places, strict=True):
        work([(person.steady(), f"/task/{place.secret}/")], Shift(live_server.url, seed=3), TONE, log)

    assert compare(log.events, simulating.stored_of(places), TONE) == []
    assert Annotation.objects.count() == 6


def test_what_it_invents_passes_its_own_checks():
    question = TONE.question(TONE.practice[0].item)
    for person in crowd(5, 1):
        form = TONE.crowd.invent(TONE.crowd.read_item(TONE.practice[0].item), person, Random(1))
        assert TONE.parse(question, form) == TONE.parse(question, TONE.form(TONE.parse(question, form)))
