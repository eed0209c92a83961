"""What annotators look up: the addresses, how often they answer, and marks that are linked to pages."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.lookups import NoTitles, RateLimit
from annotation.models import Annotation, Assignment, Campaign
from annotation.services import submitting
from annotation.task_types.base import InvalidAnswer
from annotation.views import lookups as views
from kernel.clock import at, now
from kernel.logs import TextFormatter
from tests.annotation.describing import let_people_answer
from tests.annotation.linking import make_linking_campaign
from tests.make import make_campaign, make_participation

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return make_linking_campaign(tmp_path)


@pytest.fixture
def address(campaign: Campaign) -> str:
    return reverse("work-lookup", args=[make_participation(campaign, "cleo").secret, "pages"])


def asked(address: str, words: str) -> Any:
    return Client().get(address, {"q": words}, headers=JSON).json()


# ---- The address


def test_a_look_up_answers_with_titles_and_first_sentences(address: str):
    answer = asked(address, "arden")
    hits = {hit["title"]: hit for hit in answer["hits"]}

    assert [*hits] == ["Arden", "Arden Hill", "Arden (town)"]
    assert hits["Arden (town)"]["opening"] == "Arden is a town on a river."
    assert "called alike" in hits["Arden"]["why_not"]
    assert asked(address, "old ard")["hits"][0]["redirected_from"] == "Old Arden"


def test_a_pasted_address_names_its_page(address: str):
    assert asked(address, "https://en.m.wikipedia.org/wiki/Old_Arden")["named"]["title"] == "Arden (town)"
    assert "section" in asked(address, "https://en.wikipedia.org/wiki/Arden_Hill#Views")["named"]["why_not"]
    assert asked(address, "javascript:alert(1)")["named"]["why_not"]


def test_a_search_that_is_too_long_or_empty_brings_nothing(address: str):
    assert "longer than 300" in asked(address, "x" * 301)["problem"]
    assert asked(address, " ")["hits"] == asked(address, "\x07")["hits"] == []


def test_without_a_script_the_same_address_is_a_page(address: str):
    page = Client().get(address, {"q": "is"}).content.decode()

    assert "<h1>Titles of Wikipedia pages</h1>" in page
    assert "Is &lt;b&gt;Dun&lt;/b&gt;" in page
    assert "<script>alert" not in page
    assert "Cannot be chosen" in Client().get(address, {"q": "arden"}).content.decode()
    assert "has no page with these words" in Client().get(address, {"q": "zzz"}).content.decode()


def test_only_tasks_that_ask_for_pages_have_a_look_up(address: str):
    other = make_participation(make_campaign("Another"), "ben")

    assert Client().get(reverse("work-lookup", args=[other.secret, "pages"])).status_code == 404
    assert Client().get(address.replace("pages", "people")).status_code == 404
    assert Client().get(reverse("work-lookup", args=["nobody", "pages"])).status_code == 404


def test_the_team_looks_up_too(researcher: Client, campaign: Campaign):
    address = reverse("lookup", args=["pages"])

    assert researcher.get(address, {"q": "mira"}, headers=JSON).json()["hits"][0]["title"] == "Mira Holt"
    assert "Mira Holt" in researcher.get(address, {"q": "mira"}).content.decode()
    assert researcher.get(reverse("lookup", args=["people"])).status_code == 404


def test_no_log_holds_the_secret_or_the_words(address: str):
    line = TextFormatter().format(logging.LogRecord("a", 20, "", 0, f"GET {address}?q=arden", (), None))

    assert address.split("/")[2] not in line
    assert "arden" not in line


# ---- How often


def test_somebody_who_asks_too_often_is_told_to_wait(address: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(views, "LIMIT", RateLimit(most=3, seconds=60))
    begun = now()
    with at(begun):
        statuses = [Client().get(address, {"q": "arden"}, headers=JSON).status_code for _ in range(4)]
    with at(begun + timedelta(seconds=20)):
        refused = Client().get(address, {"q": "arden"}, headers=JSON)
        page = Client().get(address, {"q": "arden"})
    with at(begun + timedelta(seconds=61)):
        later = Client().get(address, {"q": "arden"}, headers=JSON)

    assert statuses == [200, 200, 200, 429]
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "40")
    assert "Wait 40 seconds" in refused.json()["problem"]
    assert "Wait 40 seconds" in page.content.decode()
    assert later.json()["hits"]


def test_one_persons_look_ups_do_not_count_for_another():
    limit = RateLimit(most=1, seconds=10)

    assert [limit.wait("ada"), limit.wait("ben"), limit.wait("ada") > 0] == [0, 0, True]


def test_a_process_without_titles_keeps_what_people_write():
    [title, section] = NoTitles().named(["arden", "Arden#Hill"])

    assert (title.title, title.why_not) == ("Arden", "")
    assert "section" in section.why_not
    assert not NoTitles().search("arden")


# ---- Answers


def submitted(campaign: Campaign, form: dict[str, str], name: str = "ben") -> Any:
    person = make_participation(campaign, name)
    Client().get(f"/task/{person.secret}/")
    turn = Assignment.objects.get(participation=person, status="taken")
    submitting.submit(person.secret, turn.pk, form)
    return Annotation.objects.get(assignment=turn).answer["names"]


def test_lines_become_marks_with_canonical_pages(campaign: Campaign):
    old = "https://en.wikipedia.org/wiki/Old_Arden"
    lines = f"Mira Holt # Name # page=mira holt\nArden # Name # page={old} # page=Arden Hill"
    answer = submitted(campaign, {"a.names": lines})

    assert [mark["attributes"] for mark in answer] == [
        {"page": ["Mira Holt"]}, {"page": ["Arden (town)", "Arden Hill"]},
    ]  # fmt: skip


def test_a_page_without_an_article_is_refused_and_an_unknown_one_is_asked_about(campaign: Campaign):
    with pytest.raises(InvalidAnswer, match="“Arden”, page “Arden”: This page only lists"):
        submitted(campaign, {"a.names": "Arden # Name # page=Arden"})
    with pytest.raises(InvalidAnswer, match="“A Film” is not among the pages") as refused:
        submitted(campaign, {"a.names": "Arden # Name # page=a Film"}, "ada")
    [remark] = refused.value.remarks
    confirmed = f"{remark.field}:{remark.remark.code}"
    answer = submitted(campaign, {"a.names": "Arden # Name # page=a Film", "confirmed": confirmed}, "cleo")

    assert answer[0]["attributes"] == {"page": ["A Film"]}


def test_the_page_knows_where_to_look_up(campaign: Campaign, researcher: Client):
    person = make_participation(campaign, "cleo")
    page = Client().get(f"/task/{person.secret}/").content.decode()
    tried = researcher.get(reverse("campaign-try", args=[campaign.pk, 0])).content.decode()

    assert f'data-lookup="/task/{person.secret}/lookup/pages/"' in page
    assert f'href="/task/{person.secret}/lookup/pages/"' in page
    assert "span_pages.js" in page
    assert 'data-lookup="/campaigns/lookup/pages/"' in tried


def test_invented_people_link_their_marks_to_pages_that_exist(campaign: Campaign):
    let_people_answer(campaign, 3)
    answers: list[Any] = [own.answer["names"] or [] for own in Annotation.objects.all()]
    pages = {page for answer in answers for mark in answer for page in mark.get("attributes", {}).get("page", [])}

    assert pages & {"Mira Holt", "Arden Hill", "Arden (town)"}
    assert json.dumps(answers)
