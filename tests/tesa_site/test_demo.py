"""The demo comes and goes without a trace."""

from __future__ import annotations

import sys

import pytest
from django.core.management import call_command

from annotation.models import (
    Annotation,
    Campaign,
    FollowUp,
    FollowUpItem,
    Instructions,
    Release,
    Task,
    TaskDescription,
    Worker,
)
from annotation.quality.confirming import PieceOutcome
from annotation.selectors import piece_votes
from annotation.services import assessing, assigning, demo_votes
from annotation.services import demo as annotation_demo
from annotation.task_types.aggregation.judging_crowd import right_judgement
from annotation.task_types.aggregation.type import AGGREGATION
from corpus.models import Corpus, Sample
from kernel import selectors
from kernel.clock import now
from kernel.models import Job, User
from kernel.progress import Silent
from kernel.services import jobs as job_services
from kernel.services import rows
from tesa_site import demo
from tests.corpus.frozen_instances import make_frozen
from tests.make import make_job, make_sample, make_sample_of, make_user
from tests.product import Product, wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.VAR = tmp_path


def test_the_demo_is_seeded_once_into_an_empty_database():
    assert demo.seed_if_empty()
    first = demo.sign_ins()

    assert not demo.seed_if_empty()

    assert demo.sign_ins() == first
    assert [(name, role) for name, _, role in first] == [
        ("ada", "Administrator"),
        ("ben", "Researcher"),
        ("cleo", "Annotator"),
    ]


def test_the_demo_stays_out_of_a_database_in_use():
    make_user("somebody")

    assert not demo.seed_if_empty()
    assert User.objects.count() == 1


def test_removing_the_demo_leaves_what_is_real():
    demo.seed_if_empty()
    make_user("somebody")

    call_command("demo", "--remove", verbosity=0)

    assert [user.username for user in User.objects.all()] == ["somebody"]
    assert not Job.objects.exists()
    assert not Corpus.objects.exists()
    assert not demo.passwords_path().exists()


def test_the_next_start_goes_on_with_the_demo_s_lost_jobs():
    demo.seed_if_empty()
    ada = User.objects.get(username="ada")
    Job.objects.filter(kind="ingest").update(status="lost", losses=2)
    spends = make_job(kind="follow_marketplace", status="lost", created_by=ada)
    real = make_job(kind="back_up", status="lost", created_by=make_user("somebody"))

    assert demo.go_on() == 1

    read = Job.objects.get(kind="ingest")
    assert (read.status, read.attempt, read.losses) == ("queued", 2, 0)
    assert {Job.objects.get(pk=job.pk).status for job in (spends, real)} == {"lost"}


LONG_AGO = """
from datetime import timedelta
from kernel.clock import now
from kernel.models import Job
Job.objects.filter(status="running").update(heartbeat_at=now() - timedelta(hours=1))
"""


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_demo_is_finished_although_everything_was_killed_in_the_middle():
    running = Product().start()
    try:
        # The demo's check of the worker comes first: one that is killed stays lost.
        wait_for(lambda: running.api("jobs/?kind=check_worker&status=succeeded").get("results"), every=0.05)
        (job,) = wait_for(lambda: running.api("jobs/?kind=demo_campaigns&status=running").get("results"), every=0.05)

        running.kill()
        running.python(LONG_AGO)
        running.start()

        running.wait_for_demo()
        again = running.api(f"jobs/{job['id']}/")
        assert (again["status"], again["attempt"]) == ("succeeded", 2)
        assert "Started again after its worker was lost (attempt 2 of 3)." in [line["text"] for line in again["log"]]
    finally:
        running.close()


@pytest.mark.slow
def test_the_demo_ends_with_a_sample_and_its_campaigns_and_takes_them_out_again():
    demo.seed_if_empty()
    make_sample_of("Mine", make_frozen())

    kinds = selectors.job_kinds()
    kind, parameters = "ingest", Job.objects.get(kind="ingest").parameters
    then = kinds[kind].run(parameters, Silent()).then
    while then:
        kind, parameters = then
        job_services.check_allowed(kind, User.objects.get(username="ada"))  # whose demo it is
        then = kinds[kind].run(parameters, Silent()).then

    sample = Sample.objects.get(name=demo.SAMPLE_NAME)
    assert (sample.size, sample.is_demo, sample.seed) == (demo.SAMPLE_SIZE, True, 1)
    assert sample.created_by is not None
    for campaign, (status, answers) in {
        annotation_demo.FINISHED: ("closed", 3 * demo.SAMPLE_SIZE),
        annotation_demo.RUNNING: ("running", 70),
        annotation_demo.FRESH: ("running", 0),
    }.items():
        made = Campaign.objects.get(name=campaign, is_demo=True)
        annotations = Annotation.objects.filter(assignment__campaign=made)
        assert (made.status, annotations.count(), made.tasks_made) == (status, answers, demo.SAMPLE_SIZE)
        assert all(row.created_at <= now() for row in annotations)
    finished = Annotation.objects.filter(assignment__campaign__name=annotation_demo.FINISHED)
    assert len({row.created_at.date() for row in finished}) > 2  # a past of some days, not of one minute
    assert len({row.assignment.participation_id for row in finished.select_related("assignment")}) >= 8
    assert annotation_demo.seed_campaigns(sample, by=None, report=Silent().report) == 0  # once is enough
    check_the_votes()
    over = Campaign.objects.get(name=annotation_demo.FINISHED)
    list(assessing.assess(over))
    assert over.agreement.value["labels"][0]["low"] > 0  # people, not dice

    demo.remove()
    assert [left.name for left in Sample.objects.all()] == ["Mine"]
    models = (Campaign, Task, Worker, Annotation, Instructions, FollowUp, FollowUpItem, TaskDescription, Release)
    assert [model.__name__ for model in models if model.objects.exists()] == []


def check_the_votes() -> None:
    """Invented judges have confirmed what is true of the phrases, more often than not, and a release keeps that."""
    voting = Campaign.objects.get(name=demo_votes.JUDGED, is_demo=True)
    assert (voting.status, voting.keeps_authors_out, voting.tasks_made) == ("closed", True, voting.sample.size)
    votes = Annotation.objects.filter(assignment__campaign=voting)
    assert votes.count() == 3 * voting.tasks_made
    assert all(row.created_at <= now() for row in votes)
    assert {row.assignment.participation.worker.is_simulated for row in votes} == {True}
    assert demo_votes.seed_votes(by=None, report=Silent().report) == 0  # once is enough

    row = piece_votes.follow_up_of(voting)
    assert row is not None
    voted = piece_votes.votes_in_figures(voting, row)
    assert voted is not None
    items = {task.member.key: AGGREGATION.read(task.member.value) for task in voted.parent.tasks.all()}
    right = [right_judgement(items[piece.item], piece.unit).is_true for piece in voted.pieces]
    called = [piece.outcome == PieceOutcome.CONFIRMED for piece in voted.pieces]
    assert {True, False} == {*right}
    for is_true in (True, False):
        same = [vote == is_true for vote, truth in zip(called, right, strict=True) if truth == is_true]
        assert sum(same) > 0.8 * len(same)

    release = Release.objects.get(name=demo_votes.RELEASE, is_demo=True)
    assert release.recipe["votes"]["campaign"] == demo_votes.JUDGED
    assert release.has_simulated
    phrases = sum(len(item.value["aggregations"]) for item in release.items.all())
    assert 0 < phrases < len(voted.pieces)


@pytest.mark.slow
def test_the_demo_is_the_same_whatever_the_sweep_of_turns_does_meanwhile(monkeypatch):
    def answers() -> list[tuple[int, str, object]]:
        annotation_demo.seed_campaigns(sample, by=None, report=Silent().report)
        rows = Annotation.objects.order_by("id").values_list(
            "assignment__task__position", "assignment__participation__worker__external_id", "answer"
        )
        stored = list(rows)
        annotation_demo.remove()
        return stored

    sample = make_sample(size=20)
    undisturbed = answers()
    swept = []

    def sweep_and_insert(row):
        if isinstance(row, Annotation):
            swept.append(assigning.expire_turns())
        insert(row)

    insert = rows.insert
    monkeypatch.setattr(rows, "insert", sweep_and_insert)
    assert answers() == undisturbed
    assert len(swept) == len(undisturbed)


def test_a_demo_account_with_a_changed_password_is_no_longer_announced():
    demo.seed_if_empty()
    ada = User.objects.get(username="ada")
    ada.set_password("my own")
    ada.save()

    assert [name for name, _, _ in demo.sign_ins()] == ["ben", "cleo"]
