"""Heartbeats of workers: how the application knows which queues are served."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings

from kernel import selectors
from kernel.models import DatabaseTime, WorkerHeartbeat


def beat_worker(name: str, queues: Sequence[str], facts: Mapping[str, Any] | None = None) -> None:
    """Record that a worker is alive, which queues it serves, and what is known of its machine."""
    WorkerHeartbeat.objects.update_or_create(
        name=name,
        defaults={
            "queues": sorted(queues),
            "beat_at": DatabaseTime(),
            "clock_skew": round(selectors.clock_skew(), 1),
            "version": settings.VERSION,
            "facts": dict(facts or {}),
        },
    )


def forget_worker(name: str) -> None:
    """Remove a worker that stops normally from the list at once."""
    WorkerHeartbeat.objects.filter(name=name).delete()


def forget_old_heartbeats() -> int:
    """Delete workers that have been silent for an hour; return how many."""
    return WorkerHeartbeat.objects.filter(beat_at__lt=DatabaseTime() - timedelta(hours=1)).delete()[0]
