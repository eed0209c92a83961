"""Runs a job of every kind in this installation, and prints a line for each: its kind, its status and its error.

`beside_a_writer` runs them here while somebody else commits before each of their writes. On SQLite this is the worst
that can happen to a connection that still reads: its snapshot is out of date, so each write in it would be refused.
`by_the_worker` queues them one after the other, and retries those whose worker was lost. It gives up on a job that has
not ended after ten minutes.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, connections
from django.db.models import QuerySet

from annotation.models import Campaign, Release, Task
from annotation.releasing.recipe import make_recipe
from annotation.services import assessing, campaigns, follow_ups, releases
from annotation.services.follow_ups import FollowUpOrder
from annotation.services.market import rehearsing
from annotation.task_types import DEFAULT_TASK_TYPE, TASK_TYPES
from corpus.models import Corpus, Sample
from corpus.services import corpora
from kernel import jobs
from kernel.errors import WrongState
from kernel.jobs import running
from kernel.models import Job, JobStatus, User
from kernel.progress import Silent
from kernel.services import jobs as services
from modeling.grids import Grid, parse_entries
from modeling.models import Run, Split
from modeling.services import experiments
from tests.make import make_trial

MOST_SECONDS = 600  # for one job, its retries included
WRITES = ("BEGIN", "INSERT", "UPDATE", "DELETE")
HITS = {"title": "Name them all", "description": "One phrase for several people"}


def commit_before_writes() -> None:
    other = connections.create_connection("default")

    def beside(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(WRITES) and not connection.in_atomic_block:
            other.cursor().execute("UPDATE kernel_workerheartbeat SET version = version")
        return execute(sql, params, many, context)

    connection.execute_wrappers.insert(0, beside)


def read_row_by_row() -> None:
    """Keep the cursors of iterator() open, which a chunk that holds all rows would close, and report after each."""
    assessing.EVERY = 1
    untyped: Any = QuerySet
    iterator = untyped._iterator
    untyped._iterator = lambda rows, is_chunked, chunk: iterator(rows, is_chunked, 1)


def parameters_by_kind(name: str, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what each kind of job is started with, in an order in which each finds what it needs."""
    ada = User.objects.get(username="ada")
    demo = Path(settings.BASE_DIR) / "corpus" / "demo"
    corpus = corpora.open_corpus(name, source="nitf", path=str(demo / "nitf"), by=ada)
    yield "ingest", {"corpus": corpus.pk}
    yield "find_instances", {"corpus": corpus.pk}
    yield "find_backgrounds", {"corpus": corpus.pk, "source": "dump", "path": str(demo / "backgrounds.jsonl")}
    yield "draw_sample", {"corpus": corpus.pk, "name": name, "n": 5, "seed": 1}
    texts = folder / "texts.jsonl"
    texts.write_text("".join(json.dumps({"text": f"Text number {number}."}) + "\n" for number in range(3)))
    yield "import_instances", {"path": str(texts), "name": f"{name} texts", "item_kind": "text"}
    yield from of_campaigns(name, ada, folder)
    yield from of_releases(name, ada)
    run = own_run(name, ada)
    yield "run_ranker", {"run": run.pk}
    Run.objects.filter(pk=run.pk).update(finished_at=None)
    yield "run_neural_ranker", {"run": run.pk}
    yield "try_run", {"trial": make_trial(run).pk}
    yield "delete_corpus", {"corpus": Corpus.objects.get(name=name).pk}
    yield "check_worker", {"seconds": 1}
    for kind in ("send_notices", "back_up", "clean_up", "expire_everything"):
        yield kind, {}


def of_campaigns(name: str, by: User, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    sample = Sample.objects.get(name=name)
    more: dict[str, Any] = {"reward": Decimal("0.20"), "redundancy": 2, "contact": "ada@example.org"}
    plan = campaigns.CampaignPlan(name, sample, provider="mturk", provider_settings=HITS, **more)
    campaign = campaigns.create_campaign(plan, by=by)
    yield "make_tasks", {"campaign": campaign.pk}
    job = when_free(lambda: rehearsing.start(Campaign.objects.get(pk=campaign.pk), by=by))
    job.delete()  # it is run here, not by a worker
    yield "rehearse_campaign", job.parameters
    yield "follow_marketplace", {"campaign": campaign.pk, "compare": True}
    results = folder / "results.csv"
    keys = Task.objects.filter(campaign=campaign).values_list("member__key", flat=True)
    results.write_text("WorkerId,Input.id_,Answer.utterance_1\n" + "".join(f"A1,{key},botanists\n" for key in keys))
    yield "import_mturk_results", {"campaign": campaign.pk, "path": str(results)}
    answered = Campaign.objects.filter(is_demo=True).order_by("pk")[0]
    yield "look_at_people", {"campaign": answered.pk}
    order = FollowUpOrder(f"{name} judged", "judge", simulated=True)
    yield "make_follow_up", follow_ups.parameters_of(follow_ups.open_follow_up(answered, order, by=by), by)
    yield "assess_campaign", {"campaign": answered.pk}
    yield "demo_campaigns", {"sample": "Demo sample", "by": by.pk}


def own_run(name: str, by: User) -> Run:
    """Make a run that no job of the demo executes."""
    split = Split.objects.filter(is_demo=True).earliest("pk")
    plan = experiments.ExperimentPlan(name=name, split=split, grid=Grid(parse_entries(["random"])))
    return experiments.create_experiment(plan, by=by, is_queued=False).runs.get()


def when_free(start: Callable[[], Job]) -> Job:
    """Start a rehearsal: one at a time, so that another stream may be in the way for a moment."""
    deadline = time.monotonic() + MOST_SECONDS
    while True:
        try:
            return start()
        except WrongState:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.2)


def of_releases(name: str, by: User) -> Iterator[tuple[str, dict[str, Any]]]:
    demo = Release.objects.filter(is_demo=True).earliest("pk")
    yield "demo_models", {"release": demo.pk, "by": by.pk}
    yield "export_release", {"release": demo.pk, "format": "jsonl"}
    names = [campaign.name for campaign in demo.campaigns.all()]
    recipe = make_recipe(TASK_TYPES[DEFAULT_TASK_TYPE], names, simulated=True)
    release = releases.create_release(releases.ReleasePlan(name, recipe), by=by)
    yield "freeze_release", {"release": release.pk, "by": by.pk}


def beside_a_writer(name: str, folder: str) -> None:
    running.SECONDS_BETWEEN_WRITES = 0.0  # each report is written, not one a second
    commit_before_writes()
    read_row_by_row()
    for kind, parameters in parameters_by_kind(name, Path(folder)):
        job = jobs.run_here(kind, subject=name, parameters=parameters, beside=Silent())
        print(kind, job.status, job.error, flush=True)


def by_the_worker(name: str, folder: str) -> None:
    for kind, parameters in parameters_by_kind(name, Path(folder)):
        queue = "default" if kind in ("run_neural_ranker", "try_run") else ""  # nobody serves theirs without torch
        job = services.create_job(kind, subject=name, parameters=parameters, queue=queue)
        jobs.nudge(job)
        deadline = time.monotonic() + MOST_SECONDS
        while job.is_open or job.status == JobStatus.LOST:
            if job.status == JobStatus.LOST:
                jobs.nudge(services.retry_job(job.pk, by=None))
            if time.monotonic() >= deadline:
                sys.exit(f"job {job.pk} ({kind}) of {name} is still {job.status} after {MOST_SECONDS} s")
            time.sleep(0.2)
            job.refresh_from_db()
        print(kind, job.status, job.error, flush=True)
