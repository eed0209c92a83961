"""Notes on tasks that were ranked badly."""

from __future__ import annotations

from kernel.errors import InvalidInput
from kernel.models import User
from kernel.values import storable
from modeling.models import ErrorKind, ErrorNote, TaskRow

LONGEST = 2_000


def add_note(task: TaskRow, *, kind: str, text: str, by: User | None) -> ErrorNote:
    text = storable(text).strip()
    if kind not in ErrorKind.values:
        raise InvalidInput(f"choose one of {', '.join(ErrorKind.values)}", field="kind")
    if len(text) > LONGEST:
        raise InvalidInput(f"must have at most {LONGEST:,} characters", field="text")
    if kind == ErrorKind.OTHER and not text:
        raise InvalidInput("say what is wrong", field="text")
    name = by.username if by else "the command line"
    return ErrorNote.objects.create(task=task, kind=kind, text=text, author=by, author_name=name)
