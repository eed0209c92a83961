"""Versions of instructions: an edit adds one, nothing is ever changed."""

from __future__ import annotations

from django.db import transaction

from annotation.models import Instructions
from annotation.task_types.base import TaskType
from kernel.errors import InvalidInput
from kernel.models import User
from kernel.services import audit
from kernel.values import storable

PARTS = ("summary", "details", "examples")


def default_instructions(type_: TaskType) -> Instructions:
    """Return the instructions the task type brings along; a changed text in the code becomes their next version."""
    parts = type_.instructions
    return save_version(type_.key, parts.name, by=None, **{part: getattr(parts, part) for part in PARTS})


@transaction.atomic
def save_version(
    task_type: str, name: str, *, by: User | None, summary: str, details: str, examples: str
) -> Instructions:
    """Return the version that says this: the latest one if it does, or the next."""
    raw = {"summary": summary, "details": details, "examples": examples}
    texts = {part: storable(text).replace("\r\n", "\n").strip() for part, text in raw.items()}
    for part, text in texts.items():
        if not text:
            raise InvalidInput("must not be empty", field=part)
    latest = Instructions.objects.filter(task_type=task_type, name=name).order_by("-version").first()
    if latest and all(getattr(latest, part) == text for part, text in texts.items()):
        return latest
    version = latest.version + 1 if latest else 1
    row = Instructions.objects.create(task_type=task_type, name=name, version=version, created_by=by, **texts)
    audit.record("write instructions", row, by=by, after={"version": version})
    return row
