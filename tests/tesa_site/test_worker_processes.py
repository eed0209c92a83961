"""`python -m tesa_site.worker`: the parent ends the processes that run jobs, even if they do not listen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.product import ROOT, wait_for
from tests.tesa_site.test_launch import alive

# A worker whose job processes ignore SIGTERM, as one does that hangs in C; it gives them no time to stop.
DEAF = """
import os, signal, django
django.setup()
from tesa_site import worker

def ignore(queues):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(1, b"%d\\n" % os.getpid())
    while True:
        signal.pause()

worker._run_jobs = ignore
worker.STOP_SECONDS = 0
worker.run("default")
"""


@pytest.mark.processes
def test_a_worker_ends_the_job_processes_that_ignore_sigterm(tmp_path):
    environment = {
        **os.environ,
        "TESA_VAR": str(tmp_path),
        "TESA_WORKER_CONCURRENCY": "2",
        "DJANGO_SETTINGS_MODULE": "tesa_site.settings",
    }
    command = [sys.executable, "-W", "ignore", "-c", DEAF]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as worker:
        try:
            children = [int(worker.stdout.readline()) for _ in range(2)]

            worker.send_signal(signal.SIGTERM)

            assert worker.wait() == 0
            wait_for(lambda: not any(map(alive, children)))
        finally:
            worker.kill()
