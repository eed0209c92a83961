"""Follow-ups from the page, the command line and the API."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation.models import Campaign, FollowUp, Task
from annotation.services import campaigns
from kernel import jobs
from kernel.models import AuditEntry, Job, User
from kernel.progress import Silent
from kernel.roles import Role
from tests.annotation.following_up import follow_up, written_campaign
from tests.make import make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
FORM = {
    "kind": "rate-text", "name": "Judged", "redundancy": "3", "reward": "0.05", "estimated_s": "30",
    "contact": "ben@tesa.invalid", "keeps_authors_out": "on",
}  # fmt: skip


@pytest.fixture
def ben() -> Client:
    client = Client()
    client.force_login(make_user())
    return client


@pytest.fixture
def campaign() -> Campaign:
    return written_campaign({"ann": "It rained.", "bob": "Rain."}, {"ann": "Wet."})


def words(response: Any) -> str:
    return " ".join(strip_tags(shown(response)).split())


def address(campaign: Campaign) -> str:
    return reverse("campaign-follow-up", args=[campaign.pk])


def run_jobs() -> None:
    for job in Job.objects.filter(kind="make_follow_up", status="queued"):
        Job.objects.filter(pk=job.pk).delete()
        jobs.run_here(job.kind, subject=job.subject, parameters=job.parameters, beside=Silent(), lock=job.lock)


def test_a_campaign_with_answers_leads_on_with_one_button(ben: Client, campaign: Campaign):
    page = ben.get(reverse("campaign", args=[campaign.pk])).content.decode()

    assert "Create a follow-up…" in page
    assert address(campaign) in page


def test_the_form_shows_what_this_stage_and_all_stages_cost(ben: Client, campaign: Campaign):
    page = words(ben.get(address(campaign)))
    assert "Items3 Answers9" in page

    page = words(ben.post(address(campaign), FORM | {"price": "1"}))
    assert "This stage$0.45" in page
    assert "All stages$0.45" in page
    assert not FollowUp.objects.exists()


def test_the_form_makes_sample_and_draft(ben: Client, campaign: Campaign):
    response = ben.post(address(campaign), FORM | {"save": "1"})
    assert response.status_code == 302
    run_jobs()

    draft = Campaign.objects.get(name="Judged")
    assert (draft.status, draft.tasks_made, str(draft.reward), draft.keeps_authors_out) == ("draft", 3, "0.05", True)
    assert AuditEntry.objects.filter(action="create follow-up").exists()
    page = words(ben.get(reverse("campaign", args=[draft.pk])))
    assert "1. Written First stage 2 3 of" in page
    assert "2. Judged Rate each text" in page


def test_a_draft_leads_to_practice_and_a_quiz_which_it_can_be_given(ben: Client, campaign: Campaign):
    draft = follow_up(campaign, "rate-text").campaign
    assert draft is not None
    lessons = reverse("campaign-lessons", args=[draft.pk])
    page = shown(ben.get(reverse("campaign", args=[draft.pk])))
    ben.post(reverse("lessons-change", args=[draft.pk]), {"action": "copy"})
    quiz = {"text": "What is rated?", "choices": "The text\nIts author", "right": "1"}
    ben.post(reverse("lessons-quiz", args=[draft.pk]), quiz)

    assert "Write practice questions and a quiz, if you like" in page
    assert f'href="{lessons}"' in page
    assert "What is rated?" in shown(ben.get(lessons))


def test_a_wrong_field_is_named_and_nothing_is_made(ben: Client, campaign: Campaign):
    response = ben.post(address(campaign), FORM | {"save": "1", "name": campaign.name})

    assert response.status_code == 422
    assert "cannot be a follow-up of itself" in shown(response)
    assert not FollowUp.objects.exists()


def test_a_campaign_without_answers_gives_an_estimate_and_no_button(ben: Client):
    campaign = written_campaign({}, {}, name="Empty")

    page = shown(ben.get(address(campaign)))

    assert "about 6" in page  # two items, three expected texts each
    assert "Create the follow-up when there are answers" in page
    assert ben.post(address(campaign), FORM | {"save": "1", "expected": "2"}).status_code == 422
    assert not FollowUp.objects.exists()


def test_a_rehearsal_says_why_it_has_none(ben: Client, campaign: Campaign):
    Campaign.objects.filter(pk=campaign.pk).update(provider_settings={"rehearsal": True})

    response = ben.get(address(campaign))

    assert response.status_code == 409
    assert "This is a rehearsal" in shown(response)


def test_the_page_says_that_nobody_else_may_judge_a_text(ben: Client, campaign: Campaign):
    make_user("ann", Role.ANNOTATOR)
    draft = follow_up(campaign, "rate-text").campaign
    assert draft is not None
    make_participation(campaigns.start(draft.pk, by=None), "ann")
    Task.objects.filter(campaign=draft).exclude(member__value__columns__answer="Wet.").update(free=0)
    User.objects.filter(username="ann").update(is_active=False)

    assert "Nobody here may answer 1 task." in shown(ben.get(reverse("campaign", args=[draft.pk])))


# ---- Command and API --------------------------------------------------------------------------------


def printed(*arguments: str, **options: object) -> str:
    out = io.StringIO()
    call_command("create_follow_up", *arguments, stdout=out, **options)
    return out.getvalue()


def test_the_command_makes_the_same_and_may_be_repeated(campaign: Campaign):
    first = printed("Written", "Judged", kind="rate-text", reward="0.05")
    second = printed("Written", "Judged", kind="rate-text", reward="0.05")

    assert "3 items are ready" in first
    assert "Judged is a draft: all its answers come to $0.45." in first
    assert "3 items are ready" in second
    assert FollowUp.objects.count() == 1


@pytest.mark.parametrize(
    ("arguments", "options", "why"),
    [
        (("Written", "Judged"), {}, "there are rate-text, choose-text"),
        (("Written", "Written"), {"kind": "rate-text"}, "cannot be a follow-up of itself"),
        (("Written", "Judged"), {"kind": "rate-text", "reward": "much"}, "is not an amount"),
        (("Writen", "Judged"), {"kind": "rate-text"}, "there is no campaign 'Writen'; known: Written"),
    ],
)
def test_the_command_refuses_in_one_sentence(
    campaign: Campaign, arguments: tuple[str, ...], options: dict[str, str], why: str
):
    with pytest.raises(CommandError, match=why):
        printed(*arguments, **options)


def test_the_api_makes_the_same_and_lists_it(ben: Client, campaign: Campaign):
    url = reverse("api-follow-ups", args=[campaign.pk])

    made = ben.post(url, {"name": "Judged", "kind": "rate-text"}, content_type="application/json")
    assert made.status_code == 202
    run_jobs()
    (row,) = ben.get(url).json()["results"]
    assert (row["name"], row["kind"], row["stage"], row["items"]) == ("Judged", "rate-text", 2, 3)
    assert row["campaign"] == Campaign.objects.get(name="Judged").pk

    again = ben.post(url, {"name": "Judged", "kind": "rate-text"}, content_type="application/json")
    assert (again.status_code, again.json()["job"]) == (202, None)


def test_the_api_answers_what_cannot_be_with_409(ben: Client, campaign: Campaign):
    url = reverse("api-follow-ups", args=[campaign.pk])

    refused = ben.post(url, {"name": "Judged", "kind": "confirm"}, content_type="application/json")

    assert refused.status_code == 409
    assert "there is no follow-up “confirm”" in refused.content.decode()
