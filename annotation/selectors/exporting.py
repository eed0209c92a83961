"""Raw annotations as rows for files and programs: one at a time, people under their pseudonyms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from annotation.models import Annotation, AssignmentStatus, Campaign, Worker
from annotation.selectors.people import pseudonym_of
from annotation.task_types import TASK_TYPES
from tesa_site.kernel import csv_files

CHUNK = 2000
FORMATS = {"csv": csv_files.MIME, "jsonl": "application/x-ndjson"}
SIGNALS = ("pastes", "pasted", "blurs", "keys")
COLUMNS = (
    "campaign", "instance", "group", "entity_type", "entities", "position", "annotator", "status", "is_excluded",
    "is_gold", "gold_hit", "phrase_1", "phrase_2", "impossible", "reason", "seconds", "active_ms", *SIGNALS,
    "confirmed", "taken_at", "submitted_at", "corrected_at", "title", "passage", "is_simulated",
)  # fmt: skip  # new columns go to the end: scripts may count
_READ = (
    "pk", "answer", "seconds", "active_ms", "signals", "warnings", "is_gold_hit", "created_at", "corrected_at",
    "assignment__status", "assignment__taken_at", "assignment__group", "assignment__task__position",
    "assignment__task__question", "assignment__task__is_gold", "assignment__task__member__key",
    "assignment__participation__excluded_at", "assignment__participation__worker__provider",
    "assignment__participation__worker__external_id", "assignment__participation__worker__is_demo",
)  # fmt: skip
_TEXTS = {name: f"assignment__task__member__value__{name}" for name in ("title", "context")}  # frozen with the sample


def annotation_rows(campaign: Campaign) -> Any:
    """Return what `row` needs of every answer, late ones included; what somebody withdrew is gone already."""
    statuses = (AssignmentStatus.SUBMITTED, AssignmentStatus.LATE)
    found = Annotation.objects.filter(assignment__campaign=campaign, assignment__status__in=statuses)
    return found.order_by("pk").values(*_READ)


def row(campaign: Campaign, values: dict[str, Any]) -> dict[str, Any]:
    """Return one annotation as it leaves the application."""
    question = values["assignment__task__question"]
    worker = Worker(
        provider=values["assignment__participation__worker__provider"],
        external_id=values["assignment__participation__worker__external_id"],
        is_demo=values["assignment__participation__worker__is_demo"],
    )
    return {
        "campaign": campaign.name,
        "instance": values["assignment__task__member__key"],
        "group": values["assignment__group"],
        "entity_type": question.get("entity_type", ""),
        "entities": question.get("entities", []),
        "position": values["assignment__task__position"],
        "annotator": pseudonym_of(campaign, worker),
        "status": values["assignment__status"],
        "is_excluded": values["assignment__participation__excluded_at"] is not None,
        "is_gold": values["assignment__task__is_gold"],
        "gold_hit": values["is_gold_hit"],
        "answer": values["answer"],
        "seconds": values["seconds"],
        "active_ms": values["active_ms"],
        "signals": values["signals"],
        "confirmed": values["warnings"],
        "taken_at": values["assignment__taken_at"].isoformat(),
        "submitted_at": values["created_at"].isoformat(),
        "corrected_at": values["corrected_at"].isoformat() if values["corrected_at"] else None,
        "is_simulated": worker.is_simulated,
    }


def lines(campaign: Campaign, format: str, *, mark: bool = True) -> Iterator[str]:
    """Yield a file line by line; memory does not grow with it. `mark`: CSV begins with a byte-order mark."""
    found = annotation_rows(campaign)
    if format == "jsonl":
        for values in found.iterator(chunk_size=CHUNK):
            yield json.dumps(row(campaign, values), ensure_ascii=False) + "\n"
        return
    rows = found.values(*_READ, *_TEXTS.values()).iterator(chunk_size=CHUNK)
    yield from csv_files.csv_lines(COLUMNS, (_cells(campaign, values) for values in rows), mark=mark)


def _cells(campaign: Campaign, values: dict[str, Any]) -> list[Any]:
    one = row(campaign, values)
    flat = {**one, **TASK_TYPES[campaign.task_type].form(one["answer"]), **(one["signals"] or {})}
    flat |= {"title": values[_TEXTS["title"]], "passage": values[_TEXTS["context"]]}
    flat["entities"] = " | ".join(one["entities"])
    flat["confirmed"] = " ".join(one["confirmed"])
    flat["impossible"] = bool(one["answer"].get("impossible"))
    return [_cell(flat.get(column)) for column in COLUMNS]


def _cell(value: Any) -> Any:
    return ("true" if value else "false") if isinstance(value, bool) else value
