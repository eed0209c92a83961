"""Jobs survive their workers, over both brokers, with real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from urllib.request import urlopen

import pytest

from kernel.services.jobs import MOST_SECONDS
from tests.product import PATIENCE_S, Product, wait_for

# The product is a parameter here, so the tests cannot mark themselves.
pytestmark = [pytest.mark.database, pytest.mark.processes]

# A job whose worker is alive would write its next heartbeat within a second. The retry need not take long.
AN_HOUR_LATER = """
from datetime import timedelta
from kernel.clock import now
from kernel.models import Job
Job.objects.filter(pk={}).update(heartbeat_at=now() - timedelta(hours=1), parameters={{"seconds": 1}})
"""


@pytest.fixture(params=["product", "redis_product"])
def running(request) -> Product:
    """The product on the file-system broker, then on Redis."""
    return request.getfixturevalue(request.param)


def pid_of(worker: str) -> int:
    return int(worker.rpartition(":")[2])


def test_killing_idle_processes_of_a_worker_never_keeps_the_others_from_taking_jobs(running):
    for _ in range(6):
        worker = running.wait_for_job(running.api("jobs/", {"kind": "check_worker", "seconds": 1})["id"], "succeeded")
        siblings = subprocess.run(
            ["pgrep", "--parent", str(parent_of(pid_of(worker["worker"])))], capture_output=True, text=True, check=True
        ).stdout.split()

        for pid in siblings:
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)

    assert running.wait_for_job(running.api("jobs/", {"kind": "check_worker", "seconds": 1})["id"], "succeeded")


def parent_of(pid: int) -> int:
    return int(subprocess.run(["ps", "-o", "ppid=", "-p", str(pid)], capture_output=True, check=True).stdout)


def test_a_killed_worker_s_job_is_swept_to_lost_and_succeeds_when_retried(running):
    started = running.api("jobs/", {"kind": "check_worker", "seconds": MOST_SECONDS})  # still running when it is killed
    job = running.wait_for_job(started["id"], "running")

    os.kill(pid_of(job["worker"]), signal.SIGKILL)
    running.python(AN_HOUR_LATER.format(job["id"]))

    lost = running.wait_for_job(job["id"], "lost")
    assert "stopped answering" in lost["error"]
    running.api(f"jobs/{job['id']}/retry/", {})
    assert running.wait_for_job(job["id"], "succeeded")["attempt"] == 2


def test_a_message_delivered_twice_runs_once(running):
    job_id = int(
        running.python(
            "from kernel import jobs\nfrom kernel.services import jobs as services\n"
            "job = services.start_check(queue='default', seconds=1, by=None)\n"
            "for _ in range(5): jobs.run_job.apply_async((job.pk, job.attempt), queue='default')\n"
            "print(job.pk)"
        )
    )

    job = running.wait_for_job(job_id, "succeeded")

    lines = [line["text"] for line in job["log"] if line["text"].startswith("Python")]
    assert (len(lines), job["attempt"]) == (1, 1)


def test_a_job_whose_nudge_was_lost_is_found_by_the_sweep(running):
    job_id = int(
        running.python(
            "from kernel.services import jobs as services\n"
            "print(services.start_check(queue='corpus', seconds=1, by=None).pk)"
        )
    )

    assert running.wait_for_job(job_id, "succeeded")


def test_cancelling_stops_a_job_long_before_its_end(running):
    job = running.api("jobs/", {"kind": "check_worker", "seconds": MOST_SECONDS})
    running.wait_for_job(job["id"], "running")

    running.api(f"jobs/{job['id']}/cancel/", {})

    assert running.wait_for_job(job["id"], "cancelled")


def test_the_installation_is_ready(running):
    def ready():
        try:
            with urlopen(running.url + "/readyz", timeout=PATIENCE_S) as answer:
                return json.load(answer)["ready"]
        except OSError:
            return False

    assert wait_for(ready)


def test_the_demo_newspaper_is_read_by_the_worker(running):
    corpus, search = running.api("corpora/")["results"][0], running.api("jobs/?kind=find_instances")["results"][0]

    assert (corpus["name"], corpus["articles"]) == ("Demo newspaper", 68)
    number, word, *_ = search["result"].split()
    assert (int(number.replace(",", "")) > 1_000, word) == (True, "instances")
