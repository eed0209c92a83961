"""The worker filters run by themselves while a campaign is open."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from annotation.jobs import look_at_people
from annotation.models import Campaign, Participation, WorkerVerdict
from annotation.services import campaigns, people_checks
from kernel import clock
from kernel.models import Job
from kernel.progress import Silent
from tesa_site.management.commands import scheduler
from tests.make import make_answer, make_campaign, make_participation, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db
NINE = datetime(2026, 1, 5, 9, tzinfo=UTC)


@pytest.fixture
def campaign() -> Campaign:
    """A campaign that was started at nine."""
    made = make_campaign(size=20, redundancy=3)
    Campaign.objects.update(started_at=NINE)
    return made


def answers(campaign: Campaign, number: int) -> None:
    """Let somebody have given so many answers."""
    person = Participation.objects.filter(campaign=campaign).first() or make_participation(campaign)
    Participation.objects.filter(pk=person.pk).update(answered=number)


def sweep(**passed: int) -> int:
    """Let the scheduler look, so long after nine, and do what it queued; return how many checks it started."""
    with clock.at(NINE + timedelta(**passed)):
        before = Job.objects.count()
        scheduler.start_due_jobs()
        new = Job.objects.order_by("pk")[before:]
        for job in new:
            assert job.kind == "look_at_people"
            look_at_people(job.parameters, Silent())
            Job.objects.filter(pk=job.pk).update(status="succeeded", created_at=clock.now())
        return len(new)


def people_page(client, campaign: Campaign, query: str = "") -> str:
    """Return the page as a browser shows it: a line break is a space."""
    return shown(client.get(f"/campaigns/{campaign.pk}/people/{query}"))


def test_somebody_who_finds_nothing_17_of_17_times_is_there_without_pressing_anything(campaign, client):
    dan, cleo = make_participation(campaign, "dan"), make_participation(campaign, "cleo")
    for number in range(17):
        make_answer(dan, "", impossible="on")
        make_answer(cleo, f"botanists of kind {number}")
    assert sweep(minutes=59) == 0

    assert sweep(minutes=60) == 1

    verdict = WorkerVerdict.objects.get(filter="always_impossible")
    assert verdict.participation == dan
    assert verdict.evidence == "Gave no phrase in 17 of 17 answers; the others in 0% of theirs."
    client.force_login(make_user("ben"))
    page = people_page(client, campaign, "?show=seen")
    assert "Gave no phrase in 17 of 17 answers" in page
    assert "2026-01-05T10:00" in page  # when the filters last ran
    assert "over 34 answers" in page


def test_fifty_new_answers_make_a_check_due_at_once_and_one_after_an_hour(campaign):
    answers(campaign, 49)
    assert sweep(minutes=20) == 0
    answers(campaign, 50)
    assert sweep(minutes=21) == 1

    answers(campaign, 51)
    assert sweep(minutes=80) == 0
    assert sweep(minutes=81) == 1
    assert sweep(hours=9) == 0  # nothing is new


def test_there_are_ten_minutes_between_two_checks(campaign):
    answers(campaign, 50)
    assert sweep(minutes=20) == 1
    answers(campaign, 500)

    assert sweep(minutes=29) == 0
    assert sweep(minutes=30) == 1


def test_a_check_that_failed_is_tried_again_after_ten_minutes_and_not_before(campaign):
    answers(campaign, 50)
    with clock.at(NINE):
        (job,) = people_checks.start_due()
        Job.objects.filter(pk=job.pk).update(status="failed", created_at=NINE)

    assert sweep(minutes=9) == 0
    assert sweep(minutes=10) == 1


def test_only_one_check_of_a_campaign_is_open(campaign):
    answers(campaign, 50)
    (job,) = people_checks.start_due()
    Job.objects.filter(pk=job.pk).update(created_at=NINE - timedelta(hours=1))  # no worker has taken it

    assert people_checks.start_due() == []
    assert people_checks.open_job(campaign) == job


def test_a_check_does_not_keep_other_jobs_of_the_campaign_waiting(campaign):
    people_checks.start(campaign, by=None)

    campaigns.start_job("import_mturk_results", campaign, by=None)


@pytest.mark.parametrize(("status", "checks"), [("draft", 0), ("running", 1), ("paused", 1), ("closed", 0)])
def test_only_open_campaigns_are_checked(campaign, status, checks):
    answers(campaign, 50)
    Campaign.objects.update(status=status)

    assert sweep(hours=2) == checks


def test_the_page_says_that_the_filters_have_not_run_and_opening_it_starts_nothing(campaign, client):
    answers(campaign, 50)
    client.force_login(make_user("ben"))

    page = people_page(client, campaign)

    assert "Quality checks have not run yet" in page
    assert not Job.objects.exists()
    people_checks.start(campaign, by=None)
    assert "running now</a>" in people_page(client, campaign)
