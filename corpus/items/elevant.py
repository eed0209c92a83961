"""Texts as the benchmarks of ELEVANT write them: labels with their spans, names and ids of Wikidata."""

from __future__ import annotations

from typing import Any

from corpus.items.mentions import WIKIDATA, page_title
from kernel.errors import InvalidInput
from kernel.json_fields import Row
from kernel.values import Json


def is_labelled(row: Row) -> bool:
    labels = row.get("labels")
    return isinstance(labels, list) and "mentions" not in row and ("evaluation_span" in row or _has_spans(labels))


def _has_spans(labels: list[Json]) -> bool:
    return any(isinstance(label, dict) and "span" in label for label in labels)


def row_of_labelled(row: Row) -> dict[str, Json]:
    """Return the row with its labels as mentions; a label without an id of Wikidata has no page.

    Other lists, such as the links of a page of Wikipedia, are left out.
    """
    labels: Any = row["labels"]
    mentions = [_mention(label, f"labels, label {number}") for number, label in enumerate(labels, 1)]
    kept = {name: value for name, value in row.items() if not isinstance(value, (list, dict))}
    return {**kept, "mentions": mentions}


def _mention(label: Any, where: str) -> Json:
    span = label.get("span") if isinstance(label, dict) else None
    if not isinstance(span, list) or len(span) != 2:
        raise InvalidInput("must be an object whose span is a start and an end", field=where)
    entity = label.get("entity_id")
    is_known = isinstance(entity, str) and WIKIDATA.fullmatch(entity)
    page = _title(label.get("name")) if is_known else ""
    ids: dict[str, Json] = {"ids": [entity]} if is_known else {}
    return {"start": span[0], "end": span[1], "pages": [page] if page else [], **ids}


def _title(name: Any) -> str:
    """Return the name of an entity as a title of a page; "" where it cannot be one."""
    try:
        return page_title(name) if isinstance(name, str) and name != "Unknown" else ""
    except InvalidInput:
        return ""
