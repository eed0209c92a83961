"""Messages that tell workers of queued jobs: sent again when they seem lost, and to nobody in vain."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings

from kernel import jobs, selectors
from kernel.clock import now
from kernel.models import Job
from tests.kernel.test_jobs import sent
from tests.make import make_job, make_running_job, make_worker

pytestmark = pytest.mark.django_db(transaction=True)

__all__ = ["sent"]  # a fixture


def test_a_lost_nudge_is_sent_again_with_growing_waits(sent):
    make_worker(queues=("default",))
    job = make_job(nudges=1, nudged_at=now() - timedelta(seconds=settings.RENUDGE_SECONDS + 1))

    jobs.sweep()
    jobs.sweep()

    assert sent == [(job.pk, 1, "default")]
    Job.objects.update(nudges=3, nudged_at=now() - timedelta(seconds=settings.RENUDGE_SECONDS * 3))
    assert selectors.jobs_to_nudge() == []  # the third wait is four times the first


def test_jobs_that_wait_their_turn_in_a_moving_queue_are_not_nudged_again():
    make_worker(queues=("default",))
    waiting = make_job(nudges=1, nudged_at=now() - timedelta(seconds=settings.RENUDGE_SECONDS + 1))
    running = make_running_job(started_at=now())

    assert selectors.jobs_to_nudge() == []
    Job.objects.filter(pk=running.pk).update(started_at=now() - timedelta(seconds=settings.RENUDGE_SECONDS + 1))
    assert selectors.jobs_to_nudge() == [waiting]


def test_no_nudge_goes_to_a_queue_without_a_worker(sent):
    make_worker(queues=("default",))
    make_job(queue="gpu", queued_at=now() - timedelta(hours=1))

    jobs.sweep()

    assert sent == []


def test_a_broker_that_is_down_does_not_stop_the_page(monkeypatch):
    def down(*args, **kwargs):
        raise ConnectionError("no broker")

    monkeypatch.setattr(jobs.run_job, "apply_async", down)
    job = make_job()

    jobs.send(job)

    job.refresh_from_db()
    assert (job.status, job.nudges) == ("queued", 1)


def test_a_job_that_waited_for_days_is_still_nudged():
    make_worker(queues=("default",))
    job = make_job(nudges=5000, nudged_at=now() - timedelta(hours=1))

    assert selectors.jobs_to_nudge() == [job]


def test_a_hundred_waiting_jobs_hide_nobody_else():
    make_worker(queues=("default", "gpu"))
    for _ in range(101):
        make_job(queue="gpu", nudges=9, nudged_at=now() - timedelta(seconds=60), queued_at=now() - timedelta(hours=1))
    fresh = make_job(queue="default")

    assert selectors.jobs_to_nudge() == [fresh]
