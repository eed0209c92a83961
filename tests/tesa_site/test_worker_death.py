"""Jobs survive their workers, over both brokers, with real processes."""

from __future__ import annotations

import os
import signal

import pytest

from tests.product import Product, wait_for

pytestmark = pytest.mark.database  # which product it is shows too late to mark them by themselves


@pytest.fixture(params=["product", "redis_product"])
def running(request) -> Product:
    """The product on the file-system broker, then on Redis."""
    return request.getfixturevalue(request.param)


def test_a_killed_worker_s_job_is_swept_to_lost_and_succeeds_when_retried(running):
    started = running.api("jobs/", {"kind": "check_worker", "seconds": 8})
    job = running.wait_for_job(started["id"], "running")

    os.killpg(int(job["worker"].rpartition(":")[2]), signal.SIGKILL)

    lost = running.wait_for_job(job["id"], "lost")
    assert "stopped answering" in lost["error"]
    running.api(f"jobs/{job['id']}/retry/", {})
    assert running.wait_for_job(job["id"], "succeeded")["attempt"] == 2


def test_a_message_delivered_twice_runs_once(running):
    job_id = int(
        running.python(
            "from tesa_site.kernel import jobs\nfrom tesa_site.kernel.services import jobs as services\n"
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
            "from tesa_site.kernel.services import jobs as services\n"
            "print(services.start_check(queue='corpus', seconds=1, by=None).pk)"
        )
    )

    assert running.wait_for_job(job_id, "succeeded")


def test_cancelling_takes_effect_within_seconds(running):
    job = running.api("jobs/", {"kind": "check_worker", "seconds": 60})
    running.wait_for_job(job["id"], "running")

    running.api(f"jobs/{job['id']}/cancel/", {})

    assert running.wait_for_job(job["id"], "cancelled", seconds=15)  # of its 60


def test_the_installation_is_ready(running):
    import json
    from urllib.request import urlopen

    def ready():
        try:
            with urlopen(running.url + "/readyz", timeout=5) as answer:
                return json.load(answer)["ready"]
        except OSError:
            return False

    assert wait_for(ready)


def test_the_demo_newspaper_is_read_by_the_worker(running):
    corpus, search = running.api("corpora/")["results"][0], running.api("jobs/?kind=find_instances")["results"][0]

    assert (corpus["name"], corpus["articles"]) == ("Demo newspaper", 68)
    number, word, *_ = search["result"].split()
    assert (int(number.replace(",", "")) > 1_000, word) == (True, "instances")
