"""Agreement as researchers meet it, and the review through the API."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotation.models import Annotation
from annotation.services import assessing, doubts, reviewing
from annotation.services.reviewing import Opinion
from annotation.views import agreement
from kernel.models import TokenScope, User
from kernel.services import tokens
from tests.annotation.answered import in_turn
from tests.make import make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


def test_agreement_says_what_to_do_before_it_is_measured(client: Client, ben: User):
    campaign = in_turn()

    assert "4 answers" not in client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()
    assert "2 answers can be measured" in client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()


def test_agreement_leads_with_one_number_and_explains_what_is_undefined(client: Client, ben: User):
    campaign = in_turn(size=3)
    list(assessing.assess(campaign))

    text = client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()

    assert re.search(r"α</dt>\s*<dd>Not measurable", text)
    assert "Everybody gave the same label to everything" in text
    assert "nan" not in text.lower().replace("nano", "")
    assert "worker 0" not in text
    csv = client.get(f"/agreement/{campaign.pk}/worker.csv?bom=no").content.decode()
    assert csv.startswith('"name","answers","none","same",')
    assert "worker 0" not in csv
    assert client.get(f"/agreement/{campaign.pk}/day.svg").headers["Content-Type"] == "image/svg+xml"


def test_a_long_list_of_people_is_cut_and_says_where_all_of_them_are(
    client: Client, ben: User, monkeypatch: pytest.MonkeyPatch
):
    campaign = in_turn(size=3)
    list(assessing.assess(campaign))
    monkeypatch.setattr(agreement, "MOST_PEOPLE", 1)

    text = shown(client.get(f"/campaigns/{campaign.pk}/agreement/"))

    assert "The file has all 2; here are the first 1." in text
    assert "2 people" in text
    assert len(client.get(f"/agreement/{campaign.pk}/worker.csv?bom=no").content.decode().splitlines()) == 3


def test_instances_on_which_people_agree_least_lead_to_their_review(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists", "opera singers"))
    list(assessing.assess(campaign))
    task = campaign.tasks.get()

    text = client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()
    assert f'/admin/review/{campaign.pk}/?task={task.pk}">Ida Lind, Karl Moe</a>' in text
    csv = client.get(f"/agreement/{campaign.pk}/instance.csv?bom=no").content.decode()
    assert csv.startswith('"instance","type","answers","none","phrases","usual","same cluster",')
    assert f'"{task.member.key}","person","2","0","2","botanists","0.0","0.0","0.0"' in csv
    assert client.get(f"/agreement/{campaign.pk}/instance.svg").status_code == 404


def test_items_on_which_people_agree_are_not_listed_where_they_disagree(client: Client, ben: User):
    campaign = in_turn(phrases=("botanists", "botanists"))
    list(assessing.assess(campaign))

    assert "Where people disagree most" not in client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()


def test_agreement_of_reviewers_is_told_as_of_now_or_why_it_cannot_be(client: Client, ben: User):
    campaign = in_turn(size=2)
    list(assessing.assess(campaign))
    ada, rows = make_user("ada"), [*Annotation.objects.order_by("pk")]

    assert (
        "Only where each answer needs two reviewers"
        in client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()
    )
    reviewing.set_reviewers(campaign.pk, 2, by=ada)
    assert "No answer has been decided on by two" in client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()
    for row, first, second in zip(rows, "aaxx", "axxx", strict=True):  # kappa: (3/4 - 1/2) / (1 - 1/2)
        for by, letter in ((ada, first), (ben, second)):
            reviewing.decide(row.pk, Opinion({"a": "accept", "x": "exclude"}[letter]), by=by)
    text = client.get(f"/campaigns/{campaign.pk}/agreement/").content.decode()

    assert re.search(r"first and second reviewer</td>\s*<td[^>]*>0\.500<", text)
    assert "The same verdict on 3 of 4." in text


# ---- API ------------------------------------------------------------------------------------------


def test_the_review_through_the_api(client: Client):
    campaign = in_turn(phrases=("The botanists.",))
    _, key = tokens.create_token(make_user("ada"), "test", scope=TokenScope.WRITE)
    headers = {"Authorization": f"Bearer {key}"}

    def post(path: str, data: object = None):
        url = f"/api/v1/review/{campaign.pk}/{path}"
        return client.post(url, data, content_type="application/json", headers=headers)

    assert client.get(f"/api/v1/review/{campaign.pk}/", headers=headers).json()["results"] == []
    assert post("score/").json() == {"left": 0}
    (item,) = client.get(f"/api/v1/review/{campaign.pk}/", headers=headers).json()["results"]
    (answer,) = item["answers"]
    assert answer["cleaned"][0]["raw"] == "The botanists."
    assert answer["cleaned"][0]["unit"] == "botanists"
    assert item["headline"] == "Ida Lind, Karl Moe"

    assert post("verdicts/", {"annotation": answer["annotation"], "verdict": "undo"}).status_code == 422
    stale = {"annotation": answer["annotation"], "verdict": "accept", "seen": "0"}
    assert post("verdicts/", stale).status_code == 409
    done = post("verdicts/", {**stale, "seen": answer["seen"], "why": "fine"})
    assert done.status_code == 201
    assert (done.json()["reviewer_name"], done.json()["after"]["phrases"]) == ("ada", ["The botanists."])
    assert client.get(f"/api/v1/review/{campaign.pk}/", headers=headers).json()["results"] == []
    assert post("undo/").json()["undone"][0]["verdict"] == "accept"
    assert post("undo/").status_code == 409
    nothing = post("verdicts/", {"annotation": answer["annotation"], "verdict": "nothing_fits"}).json()
    assert (nothing["verdict"], nothing["after"]["impossible"]) == ("correct", True)
    other = {"annotation": answer["annotation"], "verdict": "correct", "correction": {"phrase_1": "Nordic botanists"}}
    assert post("verdicts/", other).json()["after"]["phrases"] == ["Nordic botanists"]


def test_the_api_too_keeps_what_another_decided_until_one_has_decided(client: Client):
    campaign = in_turn(phrases=("botanists", "experts"))
    ada, ben = make_user("ada"), make_user("ben")
    reviewing.set_reviewers(campaign.pk, 2, by=ada)
    first, second = Annotation.objects.order_by("pk")
    for row in (first, second):
        reviewing.decide(row.pk, Opinion("comment", why="a hard one"), by=ada)
        reviewing.decide(row.pk, Opinion("exclude", why="too vague"), by=ada)
    reviewing.decide(second.pk, Opinion("accept"), by=ben)
    _, key = tokens.create_token(ben, "test")

    (item,) = client.get(f"/api/v1/review/{campaign.pk}/", headers={"Authorization": f"Bearer {key}"}).json()["results"]

    by_annotation = {
        answer["annotation"]: (answer["is_decided_by_others"], len(answer["reviews"])) for answer in item["answers"]
    }
    assert by_annotation == {first.pk: (True, 0), second.pk: (False, 3)}


def test_the_api_accepts_where_all_agree(client: Client):
    campaign = in_turn(phrases=("botanists", "the botanists"), size=2)
    doubts.catch_up(campaign, most=10)
    _, key = tokens.create_token(make_user("ada"), "test", scope=TokenScope.WRITE)

    done = client.post(f"/api/v1/review/{campaign.pk}/accept/", headers={"Authorization": f"Bearer {key}"})

    assert done.json() == {"tasks": 2, "answers": 4}
    assert {row.verdict for row in Annotation.objects.all()} == {"accept"}
