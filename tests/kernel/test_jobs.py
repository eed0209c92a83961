"""The life of a Job row, step by step."""

from __future__ import annotations

from datetime import timedelta

import pytest

from kernel import jobs, selectors
from kernel.clock import now
from kernel.errors import Cancelled, InvalidInput, NotAllowed, WrongState
from kernel.job_kind import JobKind, JobResult
from kernel.jobs import running
from kernel.models import AuditEntry, Job, JobLog
from kernel.roles import Role
from kernel.services import jobs as services
from tests.make import make_job, make_running_job, make_user, make_worker

pytestmark = pytest.mark.django_db(transaction=True)


def works(parameters, progress):
    progress.log("starting")
    for number in range(3):
        progress.report(number + 1, 3, f"step {number}")
    return JobResult("three steps", "/somewhere/")


def breaks(parameters, progress):
    progress.report(1, 3)
    raise ZeroDivisionError("the unexpected")


def refuses(parameters, progress):
    raise InvalidInput("the year 1985 is missing", where="data/1985.tgz")


def is_cancelled_meanwhile(parameters, progress):
    services.cancel_job(parameters["job"], by=None)
    progress.written_at = float("-inf")
    progress.report(1, 2)
    raise AssertionError("report() must have raised")


def is_swept_meanwhile(parameters, progress):
    Job.objects.update(status="lost")
    progress.written_at = float("-inf")
    progress.report(1, 2)
    raise AssertionError("report() must have raised")


def leads_on(parameters, progress):
    return JobResult("first", then=("works", {"from": "leads_on"}))


def says_the_unsayable(parameters, progress):
    progress.log("half a character: \ud800 and nothing: \x00")
    raise ValueError("half a character: \ud800 and nothing: \x00")


LEADS_ON = JobKind("Leads on", "default", leads_on, repeatable=False)
SAYS = JobKind("Says the unsayable", "default", says_the_unsayable, repeatable=False)
WORKS = JobKind("Works", "default", works, repeatable=False)
BREAKS = JobKind("Breaks", "default", breaks, repeatable=False)
REFUSES = JobKind("Refuses", "default", refuses, repeatable=False)
IS_CANCELLED = JobKind("Is cancelled", "default", is_cancelled_meanwhile, repeatable=False)
IS_SWEPT = JobKind("Is swept", "default", is_swept_meanwhile, repeatable=False)
FOR_OPERATORS = JobKind("For operators", "default", works, permission="kernel.operate", repeatable=False)


@pytest.fixture(autouse=True)
def _kinds(settings):
    names = ("WORKS", "BREAKS", "REFUSES", "IS_CANCELLED", "IS_SWEPT", "FOR_OPERATORS", "LEADS_ON", "SAYS")
    paths = {name.lower(): f"{__name__}:{name}" for name in names}
    settings.TESA_JOB_KINDS = settings.TESA_JOB_KINDS | paths


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """What went to the broker, instead of a broker."""
    messages = []
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda args, queue: messages.append((*args, queue)))
    return messages


def run(kind: str, **fields) -> Job:
    job = services.create_job(kind, **fields)
    jobs.run_job(job.pk, job.attempt)
    job.refresh_from_db()
    return job


def test_a_job_runs_reports_and_succeeds():
    job = run("works", subject="a test")

    assert (job.status, job.done, job.total, job.percent) == ("succeeded", 3, 3, 100)
    assert (job.result, job.result_url) == ("three steps", "/somewhere/")
    assert [line.text for line in job.log_lines.all()] == ["starting"]
    assert job.started_at <= job.finished_at


def test_a_message_delivered_twice_runs_once():
    job = run("works")

    jobs.run_job(job.pk, job.attempt)

    assert JobLog.objects.filter(job=job).count() == 1


def test_only_one_of_two_workers_claims_a_job():
    job = make_job()

    assert services.claim_job(job.pk, 1, worker="first") is not None
    assert services.claim_job(job.pk, 1, worker="second") is None
    job.refresh_from_db()
    assert job.worker == "first"


def test_a_message_for_an_earlier_attempt_finds_nothing():
    job = run("breaks")
    services.retry_job(job.pk, by=None)

    assert services.claim_job(job.pk, 1, worker="late") is None
    assert services.claim_job(job.pk, 2, worker="right") is not None


def test_a_bug_fails_the_job_with_its_traceback():
    job = run("breaks")

    assert job.status == "failed"
    assert job.error == "ZeroDivisionError: the unexpected"
    assert "raise ZeroDivisionError" in job.traceback


def test_bad_input_fails_the_job_with_one_sentence():
    assert run("refuses").error == "data/1985.tgz: the year 1985 is missing"


def test_a_queued_job_is_cancelled_at_once():
    job = make_job()

    services.cancel_job(job.pk, by=None)

    assert services.claim_job(job.pk, 1, worker="late") is None
    job.refresh_from_db()
    assert job.status == "cancelled"


def test_a_running_job_stops_at_its_next_report():
    job = services.create_job("is_cancelled")
    Job.objects.filter(pk=job.pk).update(parameters={"job": job.pk})

    jobs.run_job(job.pk, 1)

    job.refresh_from_db()
    assert (job.status, job.error) == ("cancelled", "")


def test_cancelling_twice_changes_nothing_and_cancelling_an_ended_job_says_so():
    queued, ended = make_job(), make_job(status="succeeded")
    services.cancel_job(queued.pk, by=None)
    services.cancel_job(queued.pk, by=None)

    assert AuditEntry.objects.filter(action="cancel job").count() == 1
    with pytest.raises(WrongState, match="already ended"):
        services.cancel_job(ended.pk, by=None)


@pytest.mark.parametrize("status", ["failed", "cancelled", "lost"])
def test_an_ended_job_is_retried_as_the_next_attempt(status):
    job = make_job(status=status, done=5, total=9, error="broken", cancel_requested=True, finished_at=now())

    services.retry_job(job.pk, by=None)

    job.refresh_from_db()
    assert (job.status, job.attempt, job.done, job.total, job.error) == ("queued", 2, 0, None, "")
    assert not job.cancel_requested


@pytest.mark.parametrize("status", ["queued", "running", "succeeded"])
def test_other_jobs_cannot_be_retried(status):
    job = make_job(status=status)

    with pytest.raises(WrongState):
        services.retry_job(job.pk, by=None)


def test_a_swept_job_that_comes_back_cannot_write_over_what_happened_since():
    job = run("is_swept")

    assert job.status == "lost"
    assert not services.succeed_job(job, JobResult("too late"))
    assert not services.record_progress(job, done=9, total=9, step="too late")


def test_a_worker_stopped_in_good_order_puts_its_jobs_back():
    mine, others = make_running_job(worker="here:1"), make_running_job(worker="there:2")

    assert services.put_back_jobs("here:1") == 1

    mine.refresh_from_db()
    others.refresh_from_db()
    assert (mine.status, mine.attempt) == ("queued", 2)
    assert others.status == "running"


def test_progress_is_written_at_most_once_a_second(django_assert_num_queries):
    job = make_running_job()
    progress = running.JobProgress(job)

    with django_assert_num_queries(1):
        for number in range(1000):
            progress.report(number, 1000)


def test_a_report_raises_once_the_job_is_cancelled():
    job = make_running_job(cancel_requested=True)

    with pytest.raises(Cancelled):
        running.JobProgress(job).report(1)


def test_a_worker_goes_on_with_the_jobs_of_the_same_kind_that_are_next_in_the_queue():
    first, second = make_job(kind="works"), make_job(kind="works")
    other, last = make_job(kind="says"), make_job(kind="works")

    jobs.run_job(first.pk, 1)

    assert {*Job.objects.filter(status="succeeded")} == {first, second}
    assert {*Job.objects.filter(status="queued")} == {other, last}


def test_a_worker_that_is_told_to_stop_does_not_go_on_with_the_next_job(monkeypatch):
    first, second = make_job(kind="works"), make_job(kind="works")
    monkeypatch.setattr(jobs.worker, "is_stopping", iter([False, True]).__next__)

    jobs.run_job(first.pk, 1)

    assert [*Job.objects.filter(status="queued")] == [second]


def test_a_role_starts_only_the_kinds_it_may():
    ben, ada = make_user("ben", Role.RESEARCHER), make_user("ada", Role.ADMINISTRATOR)

    with pytest.raises(NotAllowed):
        services.create_job("for_operators", by=ben)
    assert services.create_job("for_operators", by=ada).created_by == ada
    with pytest.raises(InvalidInput, match="unknown job kind"):
        services.create_job("nonsense", by=ada)


def test_who_cancelled_and_who_retried_is_kept():
    ben = make_user("ben")
    job = make_job()

    services.cancel_job(job.pk, by=ben)
    services.retry_job(job.pk, by=ben)

    assert [(entry.actor_name, entry.action) for entry in AuditEntry.objects.filter(subject_type="kernel.job")] == [
        ("ben", "retry job"),
        ("ben", "cancel job"),
    ]


def test_queues_without_a_worker_are_known(settings):
    settings.REQUIRED_QUEUES = [*settings.QUEUES]
    make_worker("a:1", ("default", "corpus"))
    make_worker("b:2", ("gpu",), beat_at=now() - timedelta(seconds=settings.LOST_AFTER_SECONDS + 1))

    assert selectors.queues_without_worker() == ["gpu"]


def test_of_two_open_jobs_with_one_lock_the_second_is_refused():
    first = services.create_job("works", subject="News", lock="corpus 1")

    with pytest.raises(WrongState, match="working on News"):
        services.create_job("works", subject="News", lock="corpus 1")

    services.create_job("works", subject="Else", lock="corpus 2")
    services.cancel_job(first.pk, by=None)
    second = services.create_job("works", subject="News", lock="corpus 1")
    with pytest.raises(WrongState, match="working on News"):
        services.retry_job(first.pk, by=None)
    assert second.status == "queued"


def test_a_job_that_succeeds_may_lead_to_another_in_the_same_name(sent):
    ben = make_user("ben")
    job = services.create_job("leads_on", subject="News", by=ben, lock="corpus 1")

    jobs.run_job(job.pk, 1)

    follower = Job.objects.get(kind="works")
    assert (follower.created_by, follower.subject, follower.lock) == (ben, "News", "corpus 1")
    assert sent == [(follower.pk, 1, "default")]


def test_a_job_has_not_succeeded_before_what_follows_is_queued(monkeypatch):
    job = make_running_job(kind="leads_on", lock="corpus 1")
    monkeypatch.setattr(services, "create_job", lambda *_, **__: 1 / 0)  # a kill at this moment looks the same

    with pytest.raises(ZeroDivisionError):
        services.succeed_job(job, JobResult(then=("works", {})))

    job.refresh_from_db()
    assert job.status == "running"


def test_where_what_follows_is_refused_the_job_has_succeeded_and_says_so():
    job = make_running_job(kind="leads_on", created_by=make_user("ben"))

    assert services.succeed_job(job, JobResult(then=("for_operators", {}))) is None

    job.refresh_from_db()
    assert job.status == "succeeded"
    assert "(for_operators) was not started: Your role may not" in job.log_lines.get().text


def test_an_error_that_no_database_could_hold_is_still_kept():
    job = run("says")

    assert job.status == "failed"
    assert job.error.startswith("ValueError: half a character: ?")


def test_a_worker_that_is_being_stopped_takes_nothing_more(monkeypatch):
    job = make_job()
    monkeypatch.setattr(jobs.worker, "is_stopping", lambda: True)

    jobs.run_job(job.pk, 1)

    job.refresh_from_db()
    assert job.status == "queued"


def test_a_killed_command_s_job_is_swept_at_once_and_nobody_else_s():
    dead = make_running_job(worker=services.terminal_name(2**22 + 1))
    asleep = make_running_job(heartbeat_at=now() - timedelta(hours=1))

    assert services.sweep_killed_commands() == [dead.pk]
    asleep.refresh_from_db()
    assert asleep.status == "running"
