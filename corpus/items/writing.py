"""Items that somebody writes in a form, such as the item of a practice question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.items.base import ItemKind
from kernel.errors import InvalidInput
from kernel.values import storable


def written_item(kind: ItemKind, form: Mapping[str, str], columns: Sequence[str], like: Any = None) -> Any:
    """Return the item that a form gives, or raise InvalidInput for its first bad field.

    `like` is the item that the form was filled in from, if there is one. It comes back where nothing was changed.
    """
    fields = kind.written_fields(columns)
    texts = {field.name: _tidy(form.get(field.name, "")) for field in fields}
    for field in fields:
        if len(texts[field.name]) > field.longest:
            raise InvalidInput(f"must have at most {field.longest:,} characters", field=field.name)
    if like is not None and _filled(texts) == _filled(kind.as_written(like)):
        return like
    return kind.from_written(texts, like)


def _filled(form: Mapping[str, str]) -> dict[str, str]:
    tidied = {name: _tidy(text) for name, text in form.items()}
    return {name: text for name, text in tidied.items() if text}


def _tidy(text: str) -> str:
    return storable(text).replace("\r\n", "\n").strip()
