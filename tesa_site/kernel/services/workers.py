"""Heartbeats of workers: how the application knows which queues are served."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings

from tesa_site.kernel import selectors
from tesa_site.kernel.models import DatabaseTime, WorkerHeartbeat


def beat_worker(name: str, queues: Sequence[str]) -> None:
    """Record that a worker is alive and which queues it serves."""
    WorkerHeartbeat.objects.update_or_create(
        name=name,
        defaults={
            "queues": sorted(queues),
            "beat_at": DatabaseTime(),
            "clock_skew": round(selectors.clock_skew(), 1),
            "version": settings.VERSION,
        },
    )


def forget_worker(name: str) -> None:
    """Remove a worker that stops normally from the list at once."""
    WorkerHeartbeat.objects.filter(name=name).delete()


def forget_dead_workers() -> int:
    """Delete workers that have been silent for an hour; return how many."""
    deleted, _ = WorkerHeartbeat.objects.filter(beat_at__lt=DatabaseTime() - timedelta(hours=1)).delete()
    return deleted
