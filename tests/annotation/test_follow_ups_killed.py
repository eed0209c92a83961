"""A worker that is killed (SIGKILL) while it makes a follow-up: the next one finishes it, with nothing twice."""

from __future__ import annotations

import json
import signal

import pytest

from tests.product import Filled, Product

pytestmark = [pytest.mark.database, pytest.mark.processes]

HERE = """
import json, os, signal, sys
from datetime import timedelta
from annotation.models import Campaign, FollowUp, FollowUpAuthor, FollowUpItem, Task, TaskDescription
from annotation.services import campaigns, follow_ups
from annotation.services.follow_ups import FollowUpOrder
from corpus.models import Sample
from kernel import jobs
from kernel.clock import now
from kernel.models import Job
from kernel.services import jobs as job_services
from tests.annotation.following_up import follow_up, written_campaign

follow_ups.CHUNK, campaigns.CHUNK = 2, 3  # several transactions each

def die_after(module, name, times):
    original, left = getattr(module, name), [times]

    def wrapped(*arguments, **named):
        result = original(*arguments, **named)
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(module, name, wrapped)

def state(name):
    sample = Sample.objects.get(name=name)
    items = FollowUpItem.objects.filter(member__sample=sample).order_by("member__position")
    units = items.values_list("units", flat=True)
    authors = FollowUpAuthor.objects.filter(member__sample=sample).values_list("member__position", "participation")
    tasks = Task.objects.filter(campaign__sample=sample).values_list("member__position", flat=True)
    return [sample.content_hash, sample.size, [*units], sorted(authors), sorted(tasks)]

def work():
    job = Job.objects.get(kind="make_follow_up")
    jobs.run_job(job.pk, job.attempt)
"""
MADE = (
    HERE
    + """
campaign = written_campaign(*({"ann": f"It rained {n}.", "bob": "Rain."} for n in range(5)))
follow_up(campaign, "rate-text", "Whole")
follow_ups.start_follow_up(campaign, FollowUpOrder("Judged", "rate-text"), by=None)
"""
)
# What the worker has just done when it is killed.
MOMENTS = {
    "second portion of items stored": "die_after(follow_ups, '_store', 2)",
    "second portion of tasks not yet committed": "die_after(campaigns, 'insert_rows', 2)",
    "sample closed": "die_after(follow_ups.samples, 'close_sample', 1)",
    "draft made": "die_after(follow_ups, '_draft', 1)",
}
AFTERWARDS = (
    HERE
    + """
job = Job.objects.get(kind="make_follow_up")
assert job.status == "running", job.status
Job.objects.update(heartbeat_at=now() - timedelta(hours=1))
job_services.sweep_lost_jobs()
work()
job.refresh_from_db()
print(json.dumps({
    "job": [job.status, job.attempt], "same": state("Judged") == state("Whole"),
    "campaigns": Campaign.objects.filter(sample__name="Judged").count(),
    "follow_ups": FollowUp.objects.filter(sample__name="Judged").count(),
    "descriptions": TaskDescription.objects.filter(name__startswith="Rate").count(),
}))
"""
)


@pytest.mark.parametrize(
    "moment", [*[*MOMENTS][:2], *(pytest.param(moment, marks=pytest.mark.thorough) for moment in [*MOMENTS][2:])]
)
def test_a_killed_worker_s_follow_up_is_finished_with_nothing_twice(moment: str, migrated: Filled):
    installation = Product(like=migrated)
    try:
        installation.python(MADE)
        worker = installation.start_python(f"{HERE}\n{MOMENTS[moment]}\nwork()")
        worker.communicate()
        assert worker.returncode == -signal.SIGKILL

        done = json.loads(installation.python(AFTERWARDS).splitlines()[-1])
    finally:
        installation.close()

    assert done == {
        "job": ["succeeded", 2],
        "same": True,
        "campaigns": 1,
        "follow_ups": 1,
        "descriptions": 2,  # one of each of the two follow-ups
    }
