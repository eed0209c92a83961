"""Raw annotations as rows for files and programs: one at a time, people under their pseudonyms."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.models import Annotation, AssignmentStatus, Campaign, Worker
from annotation.selectors.participants import pseudonym_of
from annotation.task_types import type_of
from annotation.task_types.base import task_key
from kernel import csv_files

CHUNK = 2000
FORMATS = {"csv": csv_files.MIME, "jsonl": "application/x-ndjson"}
SIGNALS = ("pastes", "pasted", "blurs", "keys")
_READ = (
    "pk", "answer", "shown", "seconds", "active_ms", "signals", "warnings", "is_gold_hit", "created_at", "corrected_at",
    "assignment__status", "assignment__taken_at", "assignment__group", "assignment__task__position",
    "assignment__task__question", "assignment__task__is_gold", "assignment__task__member__key",
    "assignment__task__variant",
    "assignment__participation__excluded_at", "assignment__participation__worker__provider",
    "assignment__participation__worker__external_id",
)  # fmt: skip


def columns(campaign: Campaign) -> tuple[str, ...]:
    """Return the columns of a CSV file. New ones go to the end: scripts may count."""
    own = type_of(campaign).raw_columns
    return (
        "campaign", "instance", "group", *own.item, "position", "annotator", "status", "is_excluded",
        "is_gold", "gold_hit", *own.answer, "seconds", "active_ms", *SIGNALS,
        "confirmed", "taken_at", "submitted_at", "corrected_at", *own.texts, "is_simulated",
    )  # fmt: skip


def annotation_rows(campaign: Campaign) -> Any:
    """Return what `row` needs of every answer, late ones included; what somebody withdrew is gone already."""
    statuses = (AssignmentStatus.SUBMITTED, AssignmentStatus.LATE)
    answers = Annotation.objects.filter(assignment__campaign=campaign, assignment__status__in=statuses)
    return answers.order_by("pk").values(*_READ)


def row(campaign: Campaign, values: dict[str, Any]) -> dict[str, Any]:
    """Return one annotation as it leaves the application."""
    worker = Worker(
        provider=values["assignment__participation__worker__provider"],
        external_id=values["assignment__participation__worker__external_id"],
    )
    return {
        "campaign": campaign.name,
        "instance": task_key(values["assignment__task__member__key"], values["assignment__task__variant"]),
        "group": values["assignment__group"],
        **type_of(campaign).item_facts(values["assignment__task__question"]),
        "position": values["assignment__task__position"],
        "annotator": pseudonym_of(campaign, worker),
        "status": values["assignment__status"],
        "is_excluded": values["assignment__participation__excluded_at"] is not None,
        "is_gold": values["assignment__task__is_gold"],
        "gold_hit": values["is_gold_hit"],
        "answer": values["answer"],
        **({"shown": values["shown"]} if values["shown"] else {}),
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
    answers = annotation_rows(campaign)
    if format == "jsonl":
        for values in answers.iterator(chunk_size=CHUNK):
            # Sorted, because each engine stores the keys of an answer in an order of its own.
            yield json.dumps(row(campaign, values), ensure_ascii=False, sort_keys=True) + "\n"
        return
    texts = type_of(campaign).raw_columns.texts
    paths = {column: f"assignment__task__member__value__{name}" for column, name in texts.items()}
    rows = answers.values(*_READ, *paths.values()).iterator(chunk_size=CHUNK)
    cells = (_cells(campaign, values, paths) for values in rows)
    yield from csv_files.csv_lines(columns(campaign), cells, mark=mark)


def _cells(campaign: Campaign, values: dict[str, Any], texts: Mapping[str, str]) -> list[Any]:
    flat = row(campaign, values)
    question = values["assignment__task__question"]
    flat |= {**type_of(campaign).answer_cells(question, flat["answer"]), **(flat["signals"] or {})}
    flat |= {column: values[path] for column, path in texts.items()}
    flat["confirmed"] = " ".join(flat["confirmed"])
    return [_cell(flat.get(column)) for column in columns(campaign)]


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return " | ".join(map(str, value))
    return ("true" if value else "false") if isinstance(value, bool) else value
