"""How many empty jobs a second the queue runs, and whether pages stay quick while thousands of jobs wait.

    python -m benchmarks.jobs [--jobs 400] [--queued 10000] [--redis redis://127.0.0.1:6379/14]

The calibration is the same jobs run one after the other in one process, without queue, broker or other processes. Two
worker processes work, as by default; the file-system broker is measured first, then Redis where its address is given.
"""

from __future__ import annotations

import argparse
from contextlib import closing

from benchmarks import memory
from tests.product import Product, wait_for

CREATE = """
import sys
from kernel import jobs
from kernel.services import jobs as services
requests = [services.JobRequest(f"empty {number}", {}, lock="") for number in range(int(sys.argv[1]))]
for job in services.create_jobs("empty", requests, by=None):
    jobs.nudge(job)
"""

ALONE = """
import sys, time
from kernel.jobs import running
from kernel.services import jobs as services
started = time.monotonic()
for number in range(int(sys.argv[1])):
    job = services.create_job("empty", subject=f"alone {number}")
    running.execute(services.claim_job(job.pk, job.attempt, worker="benchmark"))
print(int(sys.argv[1]) / (time.monotonic() - started))
"""

STATE = """
from django.db.models import Count, Max, Min
from kernel.models import Job
mine = Job.objects.filter(kind="empty", subject__startswith="empty")
counts = dict(mine.values_list("status").annotate(Count("pk")))
ends = mine.aggregate(first=Min("started_at"), last=Max("finished_at"))
print(counts.get("succeeded", 0), (ends["last"] - ends["first"]).total_seconds() if counts.get("succeeded") else 0)
"""


def jobs_a_second(product: Product, count: int) -> float:
    product.python(CREATE, str(count))

    def seconds() -> float | None:
        done, lasted = product.python(STATE).split()
        return float(lasted) if int(done) == count else None

    return count / float(wait_for(seconds, seconds=600, every=1))


def slowest_page_ms(product: Product, queued: int) -> float:
    """Queue that many jobs and read thirty pages while the worker goes through them; return the slowest page."""
    memory.tour(product)  # what a process does once, at its first visit, is not the queue's doing
    process = product.start_python(CREATE, str(queued))
    wait_for(lambda: product.api("jobs/?status=queued")["count"] > queued * 0.8, seconds=600)
    slowest = max(memory.tour(product))
    process.kill()
    return slowest


def measure(name: str, redis_url: str, jobs: int, queued: int) -> None:
    product = Product(
        redis_url=redis_url, DJANGO_SETTINGS_MODULE="benchmarks.empty_job_settings", TESA_LOG_LEVEL="WARNING"
    )
    with closing(product.start()):
        product.wait_for_demo()
        alone = float(product.python(ALONE, str(jobs)))
        rate = jobs_a_second(product, jobs)
        print(f"{name}: {rate:.1f} jobs/s, {rate / alone:.2f} of the {alone:.0f}/s of one process alone", flush=True)
        if queued:
            slowest = slowest_page_ms(product, queued)
            print(f"{name}: slowest of {memory.PAGES} pages with {queued:,} jobs queued: {slowest:.0f} ms", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=400)
    parser.add_argument("--queued", type=int, default=10_000)
    parser.add_argument("--redis", default="")
    options = parser.parse_args()
    measure("files", "", options.jobs, options.queued)
    if options.redis:
        measure("Redis", options.redis, options.jobs, options.queued)


if __name__ == "__main__":
    main()
