"""What a run can be tried on: whether it has its weights, instances to begin with, usual answers to rank."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.core.files.storage import default_storage
from django.db.models import QuerySet

from annotation.models import ReleaseItem
from kernel.errors import WrongState
from modeling.items import item_from_release
from modeling.models import Run, TaskRow
from modeling.selectors import results

USUAL = 24  # phrases to rank if nobody says which


def check_can_be_tried(run: Run) -> None:
    """Raise WrongState with the reason if the run cannot rank or generate anything."""
    if not run.is_neural:
        raise WrongState("Only neural runs can be tried: choose one of a BART method.")
    if not run.finished_at:
        raise WrongState("This run has not finished yet: try it later.")
    if not run.weight_names or not all(default_storage.exists(f"{run.folder}/{name}") for name in run.weight_names):
        raise WrongState("The weights of this run are gone, or it was never trained: train it again to try it.")


def instances(run: Run) -> QuerySet[TaskRow]:
    """Return the instances whose answers may be shown, to begin with."""
    rows = TaskRow.objects.filter(task_set=run.experiment.task_set_id, part__in=results.shown_parts(run))
    return rows.order_by("-part", "position")


def typed(run: Run, key: str) -> dict[str, Any]:
    """Return an instance of the release as somebody would type it; empty if there is none with this key."""
    task = instances(run).filter(key=key).first()
    row = ReleaseItem.objects.filter(release=run.experiment.release_id, key=key).first() if task else None
    if task is None or row is None:
        return {}
    item = item_from_release(row.value, f"instance {key}")
    return {
        "entity_type": item.entity_type.value,
        "entities": "\n".join(item.entities),
        "backgrounds": "\n".join(" ".join(text.split()) for text in item.backgrounds),
        "title": item.title,
        "text": item.context,
        "candidates": "\n".join(task.phrases),
    }


def usual_answers(run: Run, entity_type: str) -> list[str]:
    """Return the most frequent accepted answers for entities of a type, to be ranked; other types fill up."""
    counts: Counter[tuple[bool, str]] = Counter()
    for type_, phrases, labels in instances(run).values_list("type", "phrases", "labels"):
        golds = [phrase for phrase, label in zip(phrases, labels, strict=True) if label]
        counts.update((type_ != entity_type, phrase) for phrase in golds)
    ranked = sorted(counts, key=lambda pair: (pair[0], -counts[pair], pair[1]))
    return list(dict.fromkeys(phrase for _, phrase in ranked))[:USUAL]
