"""A task type with a form as its only template: every other page shows its answers in one line, or its form again.

Its parts are called like fields that the review has of its own, and one of them has several values.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.test import Client, override_settings
from django.urls import reverse
from playwright.sync_api import expect, sync_playwright

from annotation.models import Annotation, Assignment, Campaign, Participation, Release, Task
from annotation.services import assessing
from annotation.task_types import TASK_TYPES
from annotation.task_types.base import answer_field, chosen, form_of
from corpus.models import Sample
from tests.annotation.small_type.type import news_answer
from tests.make import make_campaign, make_participation
from tests.pages import shown

HERE = Path(__file__).parent / "small_type"
TITLES = ("Rain", "Hail")
GOOD = {"a.verdict": "yes", "a.topics": ["weather", "farming"], "a.why": "it was dry"}
RIGHT = news_answer("yes", ["weather", "farming"], "it was dry")


@pytest.fixture(autouse=True)
def news(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(TASK_TYPES.paths, "news", "tests.annotation.small_type.type:NEWS")
    (engine,) = django_settings.TEMPLATES
    with override_settings(TEMPLATES=[{**engine, "DIRS": [*engine["DIRS"], HERE / "templates"]}]):
        yield


@pytest.fixture
def news_campaign(tmp_path: Path) -> Callable[..., Campaign]:
    def make(redundancy: int = 2, **fields: Any) -> Campaign:
        path = tmp_path / "texts.jsonl"
        path.write_text("\n".join(json.dumps({"title": title, "text": f"{title} fell."}) for title in TITLES))
        call_command("import_instances", path, name="News", item_kind="text", stdout=io.StringIO())
        sample = Sample.objects.get(name="News")
        return make_campaign("News", sample=sample, redundancy=redundancy, task_type="news", **fields)

    return make


def answer(browser: Client, person: Participation, form: dict[str, Any]) -> None:
    browser.get(f"/task/{person.secret}/")
    turn = Assignment.objects.get(participation=person, status="taken")
    browser.post(f"/task/{person.secret}/answer/{turn.pk}/", form)


def is_ticked(page: str, topic: str) -> bool:
    return f'name="a.topics" value="{topic}" checked' in page


def test_several_values_of_an_answers_field_are_kept_and_of_any_other_the_last():
    form = form_of([(answer_field("topics"), ["weather", "traffic"]), ("phrase_1", ["old", "new"]), ("a.why", [""])])

    assert form == {"a.topics": "weather\ntraffic", "phrase_1": "new", "a.why": ""}
    assert chosen(form, "topics") == ["weather", "traffic"]
    assert chosen(form, "why") == chosen({}, "topics") == []


@pytest.mark.django_db
def test_a_draft_and_an_answer_keep_every_box_that_was_ticked(client: Client, news_campaign: Callable[..., Campaign]):
    person = make_participation(news_campaign())
    client.get(f"/task/{person.secret}/")
    turn = Assignment.objects.get()

    client.post(f"/task/{person.secret}/draft/{turn.pk}/", {"a.topics": ["weather", "traffic"]})
    page = shown(client.get(f"/task/{person.secret}/"))
    refused = shown(client.post(f"/task/{person.secret}/answer/{turn.pk}/", {"a.topics": ["farming", "traffic"]}))
    client.post(f"/task/{person.secret}/answer/{turn.pk}/", GOOD)
    mine = shown(client.get(f"/task/{person.secret}/mine/"))
    correcting = shown(client.get(f"/task/{person.secret}/mine/{turn.pk}/"))

    assert [is_ticked(page, topic) for topic in ("weather", "farming", "traffic")] == [True, False, True]
    assert [is_ticked(refused, topic) for topic in ("weather", "farming", "traffic")] == [False, True, True]
    assert "Please choose one." in refused
    assert Annotation.objects.get().answer == RIGHT
    assert "Good news, weather, farming" in mine
    assert [is_ticked(correcting, topic) for topic in ("weather", "farming", "traffic")] == [True, True, False]


@pytest.mark.django_db
def test_practice_and_check_tasks_need_no_templates_of_its_own(
    client: Client, researcher: Client, news_campaign: Callable[..., Campaign]
):
    campaign = news_campaign(practice=1, gold_every=2, is_running=False)
    task = Task.objects.get(position=0)

    refused = shown(researcher.post(f"/campaigns/tasks/{task.pk}/gold/", {"a.topics": "traffic"}))
    researcher.post(f"/campaigns/tasks/{task.pk}/gold/", GOOD)
    page = shown(researcher.get(f"/campaigns/{campaign.pk}/gold/"))
    tried = shown(researcher.post(f"/campaigns/{campaign.pk}/try/0/", GOOD))

    assert "Please choose one." in refused
    assert is_ticked(refused, "traffic")
    task.refresh_from_db()
    assert task.gold
    assert task.gold["accepted"] == [RIGHT]
    assert f'id="a.why-{task.pk}"' in page
    assert is_ticked(page, "farming")
    assert "Good news, weather, farming" in tried
    assert "right for this check task" in tried


@pytest.mark.django_db
def test_feedback_shows_the_answer_and_the_right_one_in_one_line(
    client: Client, news_campaign: Callable[..., Campaign]
):
    person = make_participation(news_campaign(practice=1))

    wrong = {"a.verdict": "no", "a.topics": ["traffic", "weather"]}
    feedback = shown(client.post(f"/task/{person.secret}/practice/0/", wrong, follow=True))

    assert "Compare with ours" in feedback
    assert "Bad news, traffic, weather" in feedback
    assert "Good news, weather, farming" in feedback


@pytest.mark.django_db(transaction=True)
def test_parts_called_like_fields_of_the_review_are_corrected_and_released(
    client: Client, researcher: Client, news_campaign: Callable[..., Campaign]
):
    campaign = news_campaign()
    for name, topics in (("ann", ["weather", "traffic"]), ("bob", [])):
        person = make_participation(campaign, name)
        for _ in TITLES:
            answer(client, person, {"a.verdict": "no", "a.topics": topics, "a.why": "so it seems"})
    list(assessing.assess(campaign))
    first = Annotation.objects.order_by("pk").first()
    assert first

    page = shown(researcher.get(f"/admin/review/{campaign.pk}/?task={first.assignment.task_id}"))
    url = f"/admin/review/{campaign.pk}/answers/{first.pk}/"
    researcher.post(url, {"verdict": "correct", "why": "", **GOOD})
    first.refresh_from_db()
    corrected = shown(researcher.get(f"/admin/review/{campaign.pk}/?task={first.assignment.task_id}"))

    assert "Whether answers are the same" in shown(researcher.get(f"/campaigns/{campaign.pk}/agreement/"))
    assert "Bad news, weather, traffic" in page
    assert "It names no topic." in page
    assert f'id="a.why-{first.pk}"' in page
    assert (first.verdict, first.corrected) == ("correct", RIGHT)
    assert "Corrected answer: <strong>Good news, weather, farming</strong>" in corrected

    call_command("freeze_release", "News", campaign=[campaign.name], least_assignments=1)
    release = Release.objects.get()
    items = shown(researcher.get(f"/releases/{release.pk}/items/"))
    item = shown(researcher.get(f"/releases/{release.pk}/items/0/"))
    overview = shown(researcher.get(f"/releases/{release.pk}/"))
    compared = researcher.get(reverse("release-compare"), {"before": release.pk, "after": release.pk})

    assert "Rain" in items
    assert "Verdict: no × 2" in items
    assert "Bad news, weather, traffic" in item
    assert "fell." in item
    assert "published dataset" not in overview
    assert compared.status_code == 200


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_two_of_three_boxes_come_back_ticked(live_server, chromium: str, news_campaign: Callable[..., Campaign]):
    person = make_participation(news_campaign())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(base_url=live_server.url)
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"/task/{person.secret}/")
        page.get_by_label("Weather").check()
        page.get_by_label("Traffic").check()
        page.get_by_label("Good news").check()
        expect(page.locator("[data-saved]")).to_have_text("Saved")
        page.reload()
        saved = [page.get_by_label(label).is_checked() for label in ("Weather", "Farming", "Traffic", "Good news")]
        page.route("**/draft/**", lambda route: route.abort())  # what the browser alone has kept
        page.get_by_label("Traffic").uncheck()
        page.get_by_label("Farming").check()
        page.reload()
        kept = [page.get_by_label(label).is_checked() for label in ("Weather", "Farming", "Traffic", "Good news")]
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_text("Task 2")).to_be_visible()
        browser.close()

    assert saved == [True, False, True, True]
    assert kept == [True, True, False, True]
    assert problems == []
    assert Annotation.objects.get().answer == news_answer("yes", ["weather", "farming"])
