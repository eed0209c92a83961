"""The admin's lists of reviews, agreement and releases: to look at, with a link to each page, nothing to change."""

from __future__ import annotations

import pytest
from django.test import Client

from annotation.models import AgreementReport, Annotation, Release, ReleaseExport, Review, ReviewItem
from annotation.services import assessing, reviewing
from kernel.models import User
from kernel.roles import Role
from tests.make import make_answer, make_campaign, make_participation, make_release, make_user

pytestmark = pytest.mark.django_db

LISTS = {"review": Review, "reviewitem": ReviewItem, "agreementreport": AgreementReport, "release": Release}
LISTS |= {"releaseexport": ReleaseExport}


@pytest.fixture(autouse=True)
def pages(client: Client) -> dict[str, str]:
    """A row of each kind, and the address its list leads to."""
    ben = make_user("ben")
    client.force_login(ben)
    campaign = make_campaign("Phrases", size=1, redundancy=2)
    for name in ("ann", "bob"):
        make_answer(make_participation(campaign, name), "botanists")
    list(assessing.assess(campaign))
    annotation = Annotation.objects.order_by("pk")[0]
    reviewing.decide(annotation.pk, reviewing.Opinion("correct", {"phrase_1": "moss experts"}, "a better word"), by=ben)
    release = make_release("Words")
    ReleaseExport.objects.create(
        release=release, format="jsonl", file="releases/1/x.jsonl", size=2048, sha256="ab" * 32
    )
    task = f"/admin/review/{campaign.pk}/?task={annotation.assignment.task_id}"
    return {
        "review": f"{task}&amp;answer={annotation.pk}",
        "reviewitem": task,
        "agreementreport": f"/campaigns/{campaign.pk}/agreement/",
        "release": f"/releases/{release.pk}/",
        "releaseexport": f"/releases/{release.pk}/files/jsonl/",
    }


@pytest.mark.parametrize("name", LISTS)
def test_a_list_leads_to_the_page(client: Client, pages: dict[str, str], name: str):
    text = client.get(f"/admin/annotation/{name}/").content.decode()

    assert f'href="{pages[name]}"' in text
    row = LISTS[name]._default_manager.get()
    assert client.get(f"/admin/annotation/{name}/{row.pk}/change/").status_code == 200


@pytest.mark.parametrize("name", LISTS)
def test_nothing_is_added_changed_or_deleted_there(client: Client, name: str):
    row = LISTS[name]._default_manager.get()
    there = f"/admin/annotation/{name}"

    assert client.get(f"{there}/add/").status_code == 403
    assert client.post(f"{there}/{row.pk}/change/", {"name": "x", "why": "x"}).status_code == 403
    assert client.post(f"{there}/{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert "delete_selected" not in client.get(f"{there}/").content.decode()


@pytest.mark.parametrize(("name", "wanted", "other"), [
    ("review", "better", "worse"), ("reviewitem", "Phrases", "Names"), ("agreementreport", "Phrases", "Names"),
    ("release", "Words", "Names"), ("releaseexport", "Words", "Names"),
])  # fmt: skip
def test_a_list_can_be_searched(client: Client, pages: dict[str, str], name: str, wanted: str, other: str):
    assert pages[name] in client.get(f"/admin/annotation/{name}/", {"q": wanted}).content.decode()
    assert pages[name] not in client.get(f"/admin/annotation/{name}/", {"q": other}).content.decode()


def test_what_a_reviewer_wrote_is_told_in_words(client: Client):
    text = client.get("/admin/annotation/review/").content.decode()

    assert "moss experts" in text
    assert "[&#x27;" not in text
    assert "2.0" in client.get("/admin/annotation/releaseexport/").content.decode()


def test_annotators_see_none_of_them(client: Client):
    from kernel.roles import Role

    client.force_login(make_user("cleo", role=Role.ANNOTATOR))

    assert {client.get(f"/admin/annotation/{name}/").status_code for name in LISTS} <= {302, 403}


def test_what_waits_for_a_second_reviewer_is_hidden_from_them(client: Client):
    campaign = make_campaign("Twice", size=1, redundancy=1)
    campaign.reviewers = 2
    campaign.save()
    annotation = make_answer(make_participation(campaign, "cid"), "botanists")
    list(assessing.assess(campaign))
    opinion = reviewing.Opinion("exclude", why="too vague")
    reviewing.decide(annotation.pk, opinion, by=User.objects.get(username="ben"))
    dora, admin = make_user("dora"), make_user("ada", Role.ADMINISTRATOR)

    def seen_by(user: User) -> bool:
        client.force_login(user)
        return "too vague" in client.get("/admin/annotation/review/").content.decode()

    assert seen_by(User.objects.get(username="ben"))
    assert not seen_by(dora)
    assert seen_by(admin)
    reviewing.decide(annotation.pk, opinion, by=dora)
    assert seen_by(dora)
    reviewing.undo_last(campaign, by=dora)
    assert not seen_by(dora)
    reviewing.decide(annotation.pk, opinion, by=dora)
    reviewing.decide(annotation.pk, reviewing.Opinion("flag"), by=dora)
    assert not seen_by(dora)
    reviewing.undo_last(campaign, by=dora)
    assert seen_by(dora)
