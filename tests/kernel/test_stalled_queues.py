"""A worker that takes no job is not ready: pages and probes say so, and it starts again by itself."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from typing import Any

import pytest

from kernel import selectors
from kernel.clock import now
from kernel.jobs import running, worker
from kernel.models import Job
from modeling import devices
from tests.make import make_job, make_running_job, make_worker

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def make_overdue_job(**fields: Any) -> Job:
    long_ago = now() - timedelta(minutes=2)
    job = make_job(**fields)
    Job.objects.filter(pk=job.pk).update(queued_at=long_ago, nudges=3, nudged_at=long_ago + timedelta(seconds=70))
    return job


@pytest.fixture
def idle_worker() -> str:
    return make_worker("here:1", ("default", "corpus")).name


def test_a_queue_whose_idle_worker_takes_no_job_has_no_worker(client, idle_worker, settings):
    settings.REQUIRED_QUEUES = ["default", "corpus"]
    make_overdue_job()

    assert selectors.queues_without_worker() == ["default"]
    checks = json.loads(client.get("/readyz").content)["checks"]
    assert (checks["worker:default"], checks["worker:corpus"]) == ("takes no jobs", "ok")


def test_jobs_behind_a_busy_worker_only_wait_for_their_turn(idle_worker):
    make_running_job(worker=idle_worker)
    make_overdue_job()

    assert selectors.queues_without_worker(["default"]) == []


def test_a_job_that_waits_for_a_free_device_stalls_no_queue():
    busy = make_worker("gpu:1", ("gpu",), facts={"devices": 1})
    make_worker("gpu:2", ("gpu",), facts={"devices": 1})
    make_running_job(kind="try_run", queue="gpu", worker=busy.name)
    make_overdue_job(kind="run_neural_ranker", queue="gpu")

    assert selectors.queues_without_worker(["gpu"]) == []


def test_a_queue_whose_idle_worker_takes_no_job_although_a_device_is_free_has_no_worker():
    busy = make_worker("gpu:1", ("gpu",), facts={"devices": 2})
    make_worker("gpu:2", ("gpu",), facts={"devices": 2})
    make_running_job(kind="try_run", queue="gpu", worker=busy.name)
    make_overdue_job(kind="run_neural_ranker", queue="gpu")

    assert selectors.queues_without_worker(["gpu"]) == ["gpu"]


def test_a_device_that_another_machine_s_job_holds_is_not_missed_here():
    far = make_worker("far:1", ("gpu",), facts={"devices": 1})
    make_worker("gpu:2", ("gpu",), facts={"devices": 1})
    make_running_job(kind="try_run", queue="gpu", worker=far.name)
    make_overdue_job(kind="run_neural_ranker", queue="gpu")

    assert selectors.queues_without_worker(["gpu"]) == ["gpu"]


def test_a_machine_that_has_not_said_what_it_has_stalls_no_queue():
    make_worker("gpu:2", ("gpu",))
    make_overdue_job(kind="run_neural_ranker", queue="gpu")

    assert selectors.queues_without_worker(["gpu"]) == []


@pytest.mark.parametrize("change", [{"queued_at": 0}, {"nudges": 1}, {"nudged_at": 0}])
def test_a_job_that_a_worker_was_told_about_just_now_is_not_overdue(idle_worker, change):
    job = make_overdue_job()
    Job.objects.filter(pk=job.pk).update(**{name: value or now() for name, value in change.items()})

    assert selectors.queues_without_worker(["default"]) == []


@pytest.fixture
def ended(monkeypatch) -> list[str]:
    calls: list[str] = []
    monkeypatch.setattr(worker, "_end", lambda: calls.append("ended"))
    monkeypatch.setattr(running, "_idle_since", float("-inf"))
    return calls


def test_an_idle_worker_that_takes_no_job_ends_itself(ended):
    make_worker(running.worker_name())
    make_overdue_job()

    worker.end_if_stuck(["default"])

    assert ended == ["ended"]
    assert not selectors.live_workers().exists()


def test_an_idle_worker_ends_itself_only_while_the_device_for_the_job_is_free(ended, monkeypatch, settings, tmp_path):
    settings.VAR = tmp_path
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    make_overdue_job(kind="run_neural_ranker", queue="gpu")

    by_somebody = devices._first_free(tmp_path / "locks")
    assert by_somebody is not None
    worker.end_if_stuck(["gpu"])
    assert not ended

    os.close(by_somebody.handle)
    worker.end_if_stuck(["gpu"])
    assert ended == ["ended"]


def test_a_worker_goes_on_while_nothing_waits_for_it(ended):
    make_overdue_job(queue="corpus")

    worker.end_if_stuck(["default"])

    assert not ended


def test_a_worker_that_has_just_become_idle_goes_on(ended):
    make_overdue_job()
    running.set_idle(True)

    worker.end_if_stuck(["default"])

    assert not ended


def test_a_worker_that_runs_a_job_goes_on(ended):
    make_overdue_job()
    running.set_idle(False)

    worker.end_if_stuck(["default"])

    assert not ended


def test_a_worker_is_replaced_after_a_job_that_made_it_large(monkeypatch, settings):
    monkeypatch.setattr(worker.state, "should_stop", None)
    settings.WORKER_MEMORY_MB = 1_000_000
    worker.end_if_large()
    assert worker.state.should_stop is None

    settings.WORKER_MEMORY_MB = 1
    worker.end_if_large()

    assert worker.state.should_stop == 0
