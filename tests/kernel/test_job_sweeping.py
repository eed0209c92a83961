"""Jobs whose worker is silent, and clocks that differ."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings

from kernel import clock, selectors
from kernel.clock import now
from kernel.job_kind import MOST_ATTEMPTS
from kernel.models import Job
from kernel.services import heartbeats
from kernel.services import jobs as services
from tesa_site.job_kinds import JOB_KINDS
from tests.make import make_job, make_running_job, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_silent_worker_s_job_is_swept_to_lost():
    silent = make_running_job(heartbeat_at=now() - timedelta(seconds=settings.LOST_AFTER_SECONDS + 1))
    lively = make_running_job()

    assert services.sweep_lost_jobs() == [silent.pk]

    silent.refresh_from_db()
    lively.refresh_from_db()
    assert (silent.status, lively.status) == ("lost", "running")
    assert "Retry" in silent.error


def lost_job(**fields):
    silent = now() - timedelta(seconds=settings.LOST_AFTER_SECONDS + 1)
    return make_running_job(**{"kind": "ingest", "heartbeat_at": silent} | fields)


def test_a_lost_job_that_can_be_repeated_is_started_again(client):
    job = lost_job(done=3, total=9, step="Reading")
    client.force_login(make_user())

    assert services.sweep_lost_jobs() == [job.pk]

    job.refresh_from_db()
    sentence = "Started again after its worker was lost (attempt 2 of 3)."
    assert (job.status, job.attempt, job.losses, job.error, job.worker) == ("queued", 2, 1, "", "")
    assert [line.text for line in job.log_lines.all()] == [sentence]
    assert sentence in client.get(f"/jobs/{job.pk}/").text
    assert sentence in client.get("/jobs/").text


def test_a_job_that_kills_its_worker_each_time_is_given_up():
    job, losses = lost_job(), []

    for _ in range(MOST_ATTEMPTS):
        services.sweep_lost_jobs()
        job.refresh_from_db()
        losses.append((job.status, job.losses))
        Job.objects.filter(status="queued").update(status="running", heartbeat_at=now() - timedelta(hours=1))

    assert losses == [("queued", 1), ("queued", 2), ("lost", 2)]
    assert "lost 3 times in a row" in Job.objects.get().error


def test_a_retry_by_hand_counts_from_the_beginning():
    job = lost_job(status="lost", losses=2)

    services.retry_job(job.pk, by=None)

    job.refresh_from_db()
    assert (job.losses, job.restart) == (0, "")


def test_a_worker_that_comes_back_finds_that_its_job_was_started_again():
    job = lost_job()
    services.sweep_lost_jobs()

    assert not services.beat_job(job)
    assert not services.record_progress(job, done=1, total=2, step="")
    assert Job.objects.get().status == "queued"


@pytest.mark.parametrize(
    "fields", [{"worker": services.terminal_name(1)}, {"kind": "follow_marketplace"}, {"kind": "gone"}]
)
def test_jobs_of_commands_those_that_spend_and_unknown_ones_are_not_started_again(fields):
    job = lost_job(**fields)

    services.sweep_lost_jobs()

    job.refresh_from_db()
    assert (job.status, job.losses) == ("lost", 0)


NOT_REPEATABLE = {"follow_marketplace", "check_worker"}


@pytest.mark.parametrize("name", JOB_KINDS)
def test_every_kind_of_job_says_whether_it_may_be_repeated(name):
    assert selectors.job_kinds()[name].repeatable is (name not in NOT_REPEATABLE)


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_worker_whose_clock_is_wrong_keeps_its_job(hours):
    job = make_job()

    with clock.at(now() + timedelta(hours=hours)):
        claimed = services.claim_job(job.pk, 1, worker="b:2")
        assert claimed is not None
        claimed_at = Job.objects.get().heartbeat_at
        services.beat_job(claimed)
        services.record_progress(claimed, done=1, total=2, step="")

    assert services.sweep_lost_jobs() == []
    assert abs(claimed_at - now()) < timedelta(minutes=1)


def test_a_scheduler_whose_clock_is_ahead_loses_no_job():
    services.claim_job(make_job().pk, 1, worker="b:2")
    heartbeats.beat_worker("b:2", ["default"])

    with clock.at(now() + timedelta(hours=2)):
        assert services.sweep_lost_jobs() == []
        assert [worker.name for worker in selectors.live_workers()] == ["b:2"]
        assert heartbeats.forget_old_heartbeats() == 0


def test_a_heartbeat_of_the_database_s_clock_is_swept_when_it_is_old(settings):
    job = make_job()
    services.claim_job(job.pk, 1, worker="b:2")
    settings.LOST_AFTER_SECONDS = -1

    assert services.sweep_lost_jobs() == [job.pk]


@pytest.mark.parametrize(("seconds", "difference"), [(8, "8 s ahead of"), (-8, "8 s behind"), (2, "")])
def test_the_jobs_page_names_a_machine_whose_clock_differs(client, seconds, difference):
    with clock.at(now() + timedelta(seconds=seconds)):
        heartbeats.beat_worker("far:1", ["default"])
    client.force_login(make_user())

    page = client.get("/jobs/").text

    assert (f"far:1: its clock is {difference} the database" in page) is bool(difference)
    assert ("Clocks differ." in page) is bool(difference)


def test_the_jobs_page_names_this_web_server_s_clock(client):
    client.force_login(make_user())

    with clock.at(now() + timedelta(seconds=20)):
        page = client.get("/jobs/").text

    assert "This web server: its clock is" in page


def test_a_silent_job_that_was_being_cancelled_ends_cancelled():
    job = make_running_job(heartbeat_at=now() - timedelta(hours=1), cancel_requested=True)

    services.sweep_lost_jobs()

    job.refresh_from_db()
    assert (job.status, job.error) == ("cancelled", "")
