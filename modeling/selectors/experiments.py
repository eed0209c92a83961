"""The list of experiments."""

from __future__ import annotations

from django.db.models import Count, Max, QuerySet

from modeling.models import Experiment


def all_experiments() -> QuerySet[Experiment]:
    """Return the experiments, newest first, with their number of runs and of finished runs."""
    return (
        Experiment.objects.select_related("release", "split", "task_set", "created_by")
        .defer("split__value", "split__statistics", "task_set__spec", "grid", "release__recipe")
        .annotate(run_count=Count("runs"), whole_count=Count("runs__finished_at"), ended_at=Max("runs__finished_at"))
        .order_by("-id")
    )
