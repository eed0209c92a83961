"""The assessment of a campaign is a job: started by a button, by the last answer and by closing, once."""

from __future__ import annotations

import pytest
from django.test import Client

from annotation.services import assessing, assigning, people_checks
from kernel.models import Job, User
from kernel.roles import Role
from tests.annotation.answered import in_turn
from tests.make import make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db


def test_assessing_is_a_job(client: Client, ben: User):
    campaign = in_turn()

    client.post(f"/admin/review/{campaign.pk}/assess/")

    job = Job.objects.get(kind="assess_campaign")
    assert job.parameters == {"campaign": campaign.pk}
    again = client.post(f"/admin/review/{campaign.pk}/assess/", follow=True)
    assert again.redirect_chain[-1][0] == f"/jobs/{job.pk}/"
    assert "being measured already" in again.content.decode()
    assert Job.objects.filter(kind="assess_campaign").count() == 1


def test_closing_a_campaign_starts_its_assessment_once(client: Client, ben: User):
    campaign = in_turn()

    text = client.post(f"/campaigns/{campaign.pk}/do/close/", follow=True).content.decode()

    assert "Its answers are being measured for the review" in text
    assert Job.objects.get(kind="assess_campaign").parameters == {"campaign": campaign.pk}
    assert "The campaign is closed." in client.post(f"/campaigns/{campaign.pk}/do/close/", follow=True).content.decode()
    assert Job.objects.filter(kind="assess_campaign").count() == 1


def test_a_campaign_without_new_answers_is_not_assessed_again(client: Client, ben: User):
    campaign = in_turn()
    list(assessing.assess(campaign))

    assert (
        "The campaign is closed.</" in client.post(f"/campaigns/{campaign.pk}/do/close/", follow=True).content.decode()
    )
    assert not Job.objects.filter(kind="assess_campaign").exists()


def test_whoever_may_not_review_starts_no_assessment_and_meets_no_error():
    campaign = in_turn()

    assert assessing.start_due(campaign.pk, by=make_user("dan", role=Role.ANNOTATOR)) is None
    assert not Job.objects.exists()


def test_the_last_answer_starts_the_assessment_and_no_earlier_one(client: Client):
    campaign = make_campaign(size=1, redundancy=2)
    for name, jobs in (("ann", 0), ("bob", 1)):
        person = make_participation(campaign, name)
        turn = assigning.take_turn(person.secret).assignment
        assert turn is not None

        client.post(f"/task/{person.secret}/answer/{turn.pk}/", {"phrase_1": "botanists"})

        assert Job.objects.filter(kind="assess_campaign").count() == jobs


def test_beside_warnings_nothing_says_that_the_quality_checks_have_not_run(client: Client, ben: User):
    campaign = in_turn()
    people_checks.look_at_people(campaign)

    for page in (f"/admin/review/{campaign.pk}/", f"/campaigns/{campaign.pk}/agreement/"):
        text = shown(client.get(page))
        assert "have not run yet" not in text
        assert "Agreement has not been measured yet.</strong> Only participants were checked, <time" in text


def test_pages_of_a_campaign_that_was_not_assessed_say_so_with_one_button(client: Client, ben: User):
    campaign = in_turn()
    pages = (f"/admin/review/{campaign.pk}/", f"/campaigns/{campaign.pk}/agreement/")
    action = f'action="/admin/review/{campaign.pk}/assess/"'

    for page in pages:
        text = client.get(page).content.decode()
        assert "quality checks have not run yet" in text
        assert text.count(action) == 1
    client.post(f"/admin/review/{campaign.pk}/assess/")
    for page in pages:
        text = client.get(page).content.decode()
        assert "are being measured" in text
        assert action not in text
    Job.objects.all().delete()
    list(assessing.assess(campaign))
    for page in pages:
        assert "have not run yet" not in client.get(page).content.decode()
