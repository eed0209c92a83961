"""The storm of jobs and killed processes (benchmarks/storm.py) fails if something hangs."""

from __future__ import annotations

import subprocess

import pytest

from benchmarks import storm
from kernel import jobs
from kernel.models import Job
from tests.tesa_site import every_job

FOR_EVER = ["tail", "-f", "/dev/null"]


def stream(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.django_db
def test_a_job_that_no_worker_takes_ends_the_stream_with_its_name(monkeypatch):
    monkeypatch.setattr(every_job, "parameters_by_kind", lambda name, folder: [("check_worker", {"seconds": 1})])
    monkeypatch.setattr(every_job, "MOST_SECONDS", 0)
    monkeypatch.setattr(jobs, "nudge", lambda job: None)

    with pytest.raises(SystemExit) as ended:
        every_job.by_the_worker("Storm", "/nowhere")

    assert ended.value.code == f"job {Job.objects.get().pk} (check_worker) of Storm is still queued after 0 s"


def test_a_stream_that_never_ends_fails_the_storm_and_is_ended_with_the_others():
    streams = [stream("echo", "ingest succeeded"), stream(*FOR_EVER), stream(*FOR_EVER)]

    with pytest.raises(SystemExit, match="stream 1 did not end within 0 s"):
        storm.lines_of(streams, 0.1)

    assert [endless.wait() for endless in streams[1:]] == [-9, -9]


def test_a_stream_that_fails_fails_the_storm():
    with pytest.raises(SystemExit, match="stream 0 failed; its last line: ingest succeeded"):
        storm.lines_of([stream("sh", "-c", "echo ingest succeeded; exit 1")], 60)


def test_the_lines_of_all_streams_are_returned():
    streams = [stream("echo", "ingest succeeded"), stream("echo", "back_up failed")]

    assert storm.lines_of(streams, 60) == ["ingest succeeded", "back_up failed"]
