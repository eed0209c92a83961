"""The best model of all experiments that can be compared with each other."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from annotation.models import Release
from modeling.models import Experiment, Run
from modeling.selectors.results import whole_runs_best_first


@dataclass(frozen=True)
class BestModel:
    release: Release
    run: Run | None  # None if the experiments on this release cannot be compared


def best_model() -> BestModel | None:
    """Return the run with the best validation MAP on the newest release with finished runs; None if no run finished.

    Figures can be compared if they come from one task set: the same release, the same parts, the same candidates. Of
    several groups of comparable experiments, those on the newest release count, because an older release is what the
    newest one replaced. If they use several task sets, no run is the best. The demo's experiments choose the release
    only while there are no others.
    """
    finished = Exists(Run.objects.filter(experiment=OuterRef("pk"), finished_at__isnull=False, share=100))
    rows = Experiment.objects.filter(finished).order_by("is_demo", "-release").select_related("release")
    experiments = [*rows.only("task_set", "release__name", "release__version")]
    if not experiments:
        return None
    release = experiments[0].release
    task_sets = {experiment.task_set_id for experiment in experiments if experiment.release_id == release.pk}
    if len(task_sets) > 1:
        return BestModel(release, None)
    runs = whole_runs_best_first().filter(experiment__task_set=task_sets.pop()).select_related("experiment")
    fields = ("ranker", "parameters", "seed", "share", "metrics", "experiment__opened_at")
    return BestModel(release, runs.only(*fields).first())
