"""Keeping descriptions of own tasks: an edit adds a version, nothing is ever changed."""

from __future__ import annotations

from contextlib import suppress

from django.db import IntegrityError, transaction

from annotation.models import TaskDescription
from kernel.errors import InvalidInput, WrongState
from kernel.models import User
from kernel.services import audit
from kernel.values import storable

TRIES = 5


def keep_description(text: str, *, by: User | None, number: int | None = None) -> TaskDescription:
    """Return the version that says this: the newest one of description `number` if it does, or the next.

    Without a number it becomes a description of its own. Raises InvalidDescription with everything that is wrong.
    """
    from annotation.task_types.own.checking import checked_description  # it loads pydantic, which few requests need

    text = storable(text).replace("\r\n", "\n")
    task = checked_description(text)
    row = TaskDescription(name=task.name, text=text, value=task.model_dump(mode="json"), created_by=by)
    for _ in range(TRIES):
        with suppress(IntegrityError), transaction.atomic():  # somebody else kept one at the same moment
            return _keep(row, number)
    raise WrongState("Many descriptions are being saved at this moment: save yours again.")


def _keep(row: TaskDescription, number: int | None) -> TaskDescription:
    latest = TaskDescription.objects.filter(number=number).order_by("-version").first() if number else None
    if number and latest is None:
        raise InvalidInput(f"there is no description own-{number}")
    if latest and latest.value == row.value:
        return latest
    row.pk = None
    row.number, row.version = (latest.number, latest.version + 1) if latest else (_next_number(), 1)
    row.save(force_insert=True)
    audit.record("keep task description", row, by=row.created_by, after={"version": row.key})
    return row


def _next_number() -> int:
    last = TaskDescription.objects.order_by("-number").values_list("number", flat=True).first()
    return (last or 0) + 1
