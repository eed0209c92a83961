from __future__ import annotations

import pytest

from kernel.models import Job
from kernel.roles import Role
from tests.make import make_job, make_running_job, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def researcher(client):
    client.force_login(make_user("ben", Role.RESEARCHER))
    return client


def text(answer) -> str:
    return answer.content.decode()


def decide(client, action, *jobs, query=""):
    return client.post(f"/jobs/decide/{query}", {"action": action, "job": [job.pk for job in jobs]}, follow=True)


def test_ticked_jobs_are_cancelled_together_and_the_list_keeps_its_filter(researcher):
    queued, running, other = make_job(), make_running_job(), make_job()

    answer = decide(researcher, "cancel", queued, running, query="?status=open")

    assert "2 jobs cancelled." in text(answer)
    assert answer.request["QUERY_STRING"] == "status=open"
    assert Job.objects.get(pk=queued.pk).status == "cancelled"
    assert Job.objects.get(pk=running.pk).cancel_requested
    assert Job.objects.get(pk=other.pk).status == "queued"


def test_ticked_jobs_are_retried_together_and_one_that_cannot_be_is_named(researcher, monkeypatch):
    sent = []
    monkeypatch.setattr("kernel.jobs.nudge", sent.append)
    failed, done = make_job(status="failed"), make_job(status="succeeded")

    page = text(decide(researcher, "retry", failed, done))

    assert "1 job queued again." in page
    assert f"Job {done.pk} is succeeded; only failed, cancelled and lost jobs can be retried." in page
    assert [job.pk for job in sent] == [failed.pk]


def test_a_job_that_ones_role_may_not_run_is_left_alone(researcher):
    mine, theirs = make_job(), make_job(kind="back_up")

    page = text(decide(researcher, "cancel", mine, theirs))

    assert "1 job cancelled." in page
    assert "Your role may not run this kind of job." in page
    assert Job.objects.get(pk=theirs.pk).status == "queued"


def test_each_box_says_what_can_be_done_with_its_job(researcher):
    queued, failed = make_job(), make_job(status="failed")
    make_job(status="succeeded")

    page = text(researcher.get("/jobs/"))

    assert f'value="{queued.pk}" data-can="cancel"' in page
    assert f'value="{failed.pk}" data-can="retry"' in page
    assert page.count("data-can=") == 2


@pytest.mark.parametrize("ids", [[], ["x"], ["9" * 30], ["4711"]])
def test_without_a_job_that_exists_one_sentence_says_so(researcher, ids):
    page = text(researcher.post("/jobs/decide/", {"action": "cancel", "job": ids}, follow=True))

    assert "Tick the jobs first." in page
