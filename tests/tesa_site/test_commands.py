"""Commands: what they print and how they refuse."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from kernel import jobs
from kernel.models import Job, User
from tests.make import make_job

pytestmark = pytest.mark.django_db(transaction=True)


def printed(*arguments, **options) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=out, **options)
    return out.getvalue()


@pytest.fixture
def password(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("a very good secret\n"))


@pytest.mark.usefixtures("password")
def test_create_user_adds_the_first_administrator():
    assert printed("create_user", "ada", "--role", "administrator") == "ada: added as administrator\n"
    assert User.objects.get().has_perm("kernel.operate")


def test_create_user_refuses_a_name_that_is_taken(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("a very good secret\na very good secret\n"))
    printed("create_user", "ada")

    with pytest.raises(CommandError, match="already in use"):
        printed("create_user", "ada")


def test_create_user_refuses_a_weak_password(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("123\n"))

    with pytest.raises(CommandError, match="too short"):
        printed("create_user", "ada")


@pytest.fixture
def at_once(monkeypatch):
    """Run a nudged job on the spot."""
    monkeypatch.setattr(jobs.run_job, "apply_async", lambda args, queue: jobs.run_job(*args))


@pytest.mark.usefixtures("at_once")
def test_jobs_check_runs_a_check_and_shows_its_result():
    out = printed("jobs", "check", "--seconds", "1")

    assert "succeeded. 4 rounds without a fault" in out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--queue", "defualt"], "invalid choice: 'defualt'"),
        (["--seconds", "0"], "from 1 to 600, not 0"),
        (["--seconds", "601"], "from 1 to 600, not 601"),
        (["--seconds", "ten"], "from 1 to 600, not ten"),
    ],
)
def test_jobs_check_refuses_what_nobody_could_do(options, sentence):
    with pytest.raises(CommandError, match=sentence):
        printed("jobs", "check", *options)
    assert not Job.objects.exists()


def test_jobs_cancel_and_retry_work_from_the_terminal():
    job = make_job()

    assert "cancelled" in printed("jobs", "cancel", str(job.pk))
    assert "queued again" in printed("jobs", "retry", str(job.pk))
    assert Job.objects.get().attempt == 2


def test_an_unknown_job_is_told_in_one_sentence():
    with pytest.raises(CommandError, match="there is no job 77"):
        printed("jobs", "watch", "77")


def test_jobs_list_shows_the_newest(capsys):
    make_job(subject="the one")
    call_command("jobs", "list")

    assert "the one" in capsys.readouterr().out
