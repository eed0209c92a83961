"""The review's pages and its API, without JavaScript."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Campaign, Review, ReviewItem
from annotation.services import assessing, doubts
from tesa_site.kernel.models import Job, User
from tesa_site.kernel.services import tokens
from tests.make import make_answer, make_campaign, make_participation, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ben(client: Client) -> User:
    user = make_user("ben")
    client.force_login(user)
    return user


def answered(
    name: str = "Phrases", phrases: tuple[str, ...] = ("The botanists.", "opera singers"), size: int = 1
) -> Campaign:
    campaign = make_campaign(name, size=size, redundancy=len(phrases))
    for number, phrase in enumerate(phrases):
        person = make_participation(campaign, f"worker {number}")
        for _ in range(size):
            make_answer(person, phrase)
    return campaign


def queue(client: Client, campaign: Campaign, query: str = "") -> str:
    return client.get(f"/admin/review/{campaign.pk}/{query}").content.decode()


def decide(client: Client, number: int, **form: str) -> str:
    """Post a verdict on the answer with this number; return the page that follows."""
    row = Annotation.objects.order_by("pk")[number - 1]
    url = reverse("admin:review-decide", args=[row.assignment.campaign_id, row.pk])
    return client.post(url, form, follow=True).content.decode()


def test_the_list_says_what_waits(client: Client, ben: User):
    assert "Nothing to review yet" in client.get("/admin/review/").content.decode()
    campaign = answered()

    assert f"/admin/review/{campaign.pk}/" in client.get("/admin/review/").content.decode()


def test_a_task_shows_passage_answers_rules_workers_and_reasons(client: Client, ben: User):
    text = queue(client, answered())

    assert "Two botanists meet" in text
    assert "typed: “The botanists.”" in text
    assert "stray_signs" in text
    assert "People gave different phrases." in text
    assert "1 answer in this campaign" in text
    assert "worker 0" not in text  # people only under pseudonyms


def test_verdicts_lead_from_answer_to_answer_and_to_the_next_task(client: Client, ben: User):
    campaign = answered(size=2)
    queue(client, campaign)
    first = ReviewItem.objects.order_by("-score", "id")[0].task_id
    mine = [row.pk for row in Annotation.objects.filter(assignment__task_id=first).order_by("pk")]

    url = reverse("admin:review-decide", args=[campaign.pk, mine[0]])
    then = client.post(url, {"verdict": "accept"})
    assert then.headers["Location"].endswith(f"?task={first}")
    url = reverse("admin:review-decide", args=[campaign.pk, mine[1]])
    then = client.post(url, {"verdict": "exclude", "why": "no singers"})

    assert then.headers["Location"] == f"/admin/review/{campaign.pk}/"
    assert "1 task waits for you" in queue(client, campaign)
    assert Annotation.objects.get(pk=mine[1]).verdict == "exclude"


def test_a_correction_and_a_remark_and_undo(client: Client, ben: User):
    campaign = answered(phrases=("botanists",))
    queue(client, campaign)

    assert "corrected" in decide(client, 1, verdict="correct", phrase_1="Nordic botanists", phrase_2="")
    assert "Nothing waits for you" in queue(client, campaign)
    text = client.post(f"/admin/review/{campaign.pk}/undo/", follow=True).content.decode()
    assert "Undone: corrected." in text
    assert "write the remark" in decide(client, 1, verdict="comment")
    assert "remark kept" in decide(client, 1, verdict="comment", why="nice")
    assert [row.verdict for row in Review.objects.all()] == ["correct", "undo", "comment"]


def test_bulk_accept_takes_what_all_agree_on(client: Client, ben: User):
    campaign = answered(phrases=("botanists", "the botanists"), size=3)
    assert "Accept all where everybody agrees (3 tasks)" in queue(client, campaign)

    text = client.post(f"/admin/review/{campaign.pk}/accept/", follow=True).content.decode()

    assert "6 answers of 3 tasks are accepted" in text
    assert "Every answered task is settled" in text


def test_the_number_of_reviewers_is_set_on_the_page(client: Client, ben: User):
    campaign = answered()

    client.post(f"/admin/review/{campaign.pk}/reviewers/", {"reviewers": "2"})

    assert Campaign.objects.get().reviewers == 2
    assert client.post(f"/admin/review/{campaign.pk}/reviewers/", {"reviewers": "3"}).status_code == 422
    assert client.post(f"/admin/review/{campaign.pk}/reviewers/", {"reviewers": "x"}).status_code == 422


def test_lists_by_state_and_the_dry_run(client: Client, ben: User):
    campaign = answered(phrases=("a couple of botanists",))
    queue(client, campaign)

    assert "Ida Lind, Karl Moe" in client.get(f"/admin/review/{campaign.pk}/tasks/?state=waiting").content.decode()
    assert "No task is settled" in client.get(f"/admin/review/{campaign.pk}/tasks/?state=settled").content.decode()
    text = client.get(f"/admin/review/{campaign.pk}/cleaning/").content.decode()
    assert "a couple of botanists" in text
    assert "renamed" in text
    assert "Nothing would change" in client.get(f"/admin/review/{campaign.pk}/cleaning/?from=tesa").content.decode()


def test_another_campaign_s_answers_are_not_found(client: Client, ben: User):
    other, campaign = answered("Other"), answered()
    row = Annotation.objects.filter(assignment__campaign=other)[0]

    url = reverse("admin:review-decide", args=[campaign.pk, row.pk])
    assert client.post(url, {"verdict": "accept"}).status_code == 404


def test_texts_are_escaped(client: Client, ben: User):
    campaign = answered(phrases=("<b>botanists</b>",))
    queue(client, campaign)

    text = decide(client, 1, verdict="comment", why="<i>hm</i>")

    assert "<b>botanists" not in text
    assert "<i>hm" not in text


def test_the_history_can_only_be_looked_at_in_the_admin(client: Client, ben: User):
    answered(phrases=("botanists",))
    doubts.catch_up(Campaign.objects.get(), most=10)
    decide(client, 1, verdict="accept")
    row = Review.objects.get()

    assert client.get("/admin/annotation/review/").status_code == 200
    assert client.post(f"/admin/annotation/review/{row.pk}/change/", {"why": "x"}).status_code == 403
    assert client.post(f"/admin/annotation/review/{row.pk}/delete/", {"post": "yes"}).status_code == 403


def test_assessing_is_a_job(client: Client, ben: User):
    campaign = answered()

    client.post(f"/admin/review/{campaign.pk}/assess/")

    job = Job.objects.get(kind="assess_campaign")
    assert job.parameters == {"campaign": campaign.pk}
    assert "A job is at work" in client.post(f"/admin/review/{campaign.pk}/assess/", follow=True).content.decode()


# ---- Agreement ------------------------------------------------------------------------------------


def test_agreement_says_what_to_do_before_it_is_measured(client: Client, ben: User):
    assert "Nobody has answered yet" in client.get("/agreement/").content.decode()
    campaign = answered()

    assert "not yet" in client.get("/agreement/").content.decode()
    assert "4 answers" not in client.get(f"/agreement/{campaign.pk}/").content.decode()
    assert "2 answers can be measured" in client.get(f"/agreement/{campaign.pk}/").content.decode()


def test_agreement_leads_with_one_number_and_explains_what_is_undefined(client: Client, ben: User):
    campaign = answered(size=3)
    list(assessing.assess(campaign))

    text = client.get(f"/agreement/{campaign.pk}/").content.decode()

    assert re.search(r'class="headline">undefined', text)
    assert "Everybody gave the same label to everything" in text
    assert "nan" not in text.lower().replace("nano", "")
    assert "worker 0" not in text
    csv = client.get(f"/agreement/{campaign.pk}/worker.csv").content.decode()
    assert csv.startswith("name,answers,none,same,")
    assert "worker 0" not in csv
    assert client.get(f"/agreement/{campaign.pk}/day.svg").headers["Content-Type"] == "image/svg+xml"


# ---- API ------------------------------------------------------------------------------------------


def test_the_review_through_the_api(client: Client):
    campaign = answered(phrases=("The botanists.",))
    _, key = tokens.create_token(make_user("ada"), "test")
    headers = {"Authorization": f"Bearer {key}"}

    def post(path: str, data: object = None):
        url = f"/api/v1/review/{campaign.pk}/{path}"
        return client.post(url, data, content_type="application/json", headers=headers)

    (item,) = client.get(f"/api/v1/review/{campaign.pk}/", headers=headers).json()["results"]
    (given,) = item["answers"]
    assert given["cleaned"][0]["raw"] == "The botanists."
    assert given["cleaned"][0]["phrase"] == "botanists"
    assert item["entities"] == ["Ida Lind", "Karl Moe"]

    assert post("verdicts/", {"annotation": given["annotation"], "verdict": "undo"}).status_code == 422
    stale = {"annotation": given["annotation"], "verdict": "accept", "seen": "0"}
    assert post("verdicts/", stale).status_code == 409
    done = post("verdicts/", {**stale, "seen": given["seen"], "why": "fine"})
    assert done.status_code == 201
    assert (done.json()["reviewer_name"], done.json()["after"]) == ("ada", ["botanists"])
    assert client.get(f"/api/v1/review/{campaign.pk}/", headers=headers).json()["results"] == []
    assert post("undo/").json()["undone"][0]["verdict"] == "accept"
    assert post("undo/").status_code == 409
