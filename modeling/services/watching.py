"""A training run that people watch: its reports go to its row, and what they ask for comes back."""

from __future__ import annotations

import time

from kernel.errors import WrongState
from kernel.jobs.running import worker_name
from kernel.models import User, WorkerHeartbeat
from kernel.services import audit
from modeling import live
from modeling.models import Run
from modeling.rankers.base import Reports

SECONDS_BETWEEN_WRITES = 2.0


class Watch:
    """Stores the reports in the run's row, at most every two seconds; returns whether to stop after this epoch."""

    def __init__(self, run: Run) -> None:
        self.run, self.written_at, self.shown = run, float("-inf"), -1

    def __call__(self, reports: Reports) -> bool:
        if len(reports) != self.shown and time.monotonic() - self.written_at >= SECONDS_BETWEEN_WRITES:
            self.shown, self.written_at = len(reports), time.monotonic()
            value = {**live.summary(reports), "device": _device()}
            Run.objects.filter(pk=self.run.pk).update(live=value)
        return Run.objects.filter(pk=self.run.pk, stop_requested=True).exists()


def _device() -> str:
    facts = WorkerHeartbeat.objects.filter(name=worker_name()).values_list("facts", flat=True).first() or {}
    return str(facts.get("device", ""))


def stop_after_epoch(run: Run, *, by: User | None) -> None:
    """Ask a running neural run to end its training after this epoch; it then scores and finishes as usual."""
    if not (run.is_neural and run.job and run.job.status == "running"):
        raise WrongState(f"{run} is not training now.")
    if Run.objects.filter(pk=run.pk, stop_requested=False).update(stop_requested=True):
        audit.record("stop after epoch", run, by=by)
