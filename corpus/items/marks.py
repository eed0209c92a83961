"""Marks that a file suggests in a text of its row: starts, ends, labels and perhaps attributes.

A list of them is kept in a column as JSON text. Offsets count Unicode code points. Where a mark names its words and
they stand elsewhere, the offsets are read as other tools count them (`offsets.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.items.columns import LONGEST_TEXT
from corpus.items.offsets import NamedPlace, Spans, in_code_points
from kernel.errors import InvalidInput
from kernel.json_fields import Row
from kernel.values import Json, canonical_json

MOST_MARKS = 1_000
WORDS = ("words", "text")  # what files call the words of a mark
ATTRIBUTES = "attributes"
STARTS_OF_MARKS = ('[{"end":', '[{"attributes":')  # of the JSON text


def is_marks(value: Json) -> bool:
    """Tell whether a column holds marks, as a file writes them or as they are kept."""
    if isinstance(value, str):
        return value.startswith(STARTS_OF_MARKS)
    return isinstance(value, list) and any(isinstance(mark, dict) and "start" in mark for mark in value)


def with_kept_marks(row: Row) -> Row:
    """Return a row with its lists of marks as JSON text; raise InvalidInput for a mark that cannot be in its texts."""
    texts = {name: value for name, value in row.items() if isinstance(value, str) and not is_marks(value)}
    return {
        name: _kept(value, name, texts) if isinstance(value, list) and (is_marks(value) or not value) else value
        for name, value in row.items()
    }


def _kept(marks: Sequence[Json], column: str, texts: Mapping[str, str]) -> str:
    if len(marks) > MOST_MARKS:
        raise InvalidInput(
            f"has {len(marks):,} marks, and at most {MOST_MARKS:,} are kept: shorten the text", field=column
        )
    if not marks:
        return "[]"
    places = [_place(mark, f"{column}, mark {number}") for number, mark in enumerate(marks, 1)]
    spans = _spans(places, column, texts)
    named = [_named(mark, f"{column}, mark {number}") for number, mark in enumerate(marks, 1)]
    kept = canonical_json([{"start": start, "end": end, **own} for (start, end), own in zip(spans, named, strict=True)])
    if len(kept) > LONGEST_TEXT:
        raise InvalidInput(f"has more marks than fit into {LONGEST_TEXT:,} characters: shorten the text", field=column)
    return kept


def _place(mark: Any, where: str) -> NamedPlace:
    """Return where a mark stands, and its words."""
    if not isinstance(mark, dict) or not {"start", "end", "label"} <= mark.keys():
        raise InvalidInput("must be an object with start, end and label", field=where)
    if not isinstance(mark["label"], str) or not mark["label"].strip():
        raise InvalidInput("label must be a text", field=where)
    return place_of(mark, where)


def _named(mark: Any, where: str) -> dict[str, Json]:
    """Return the label of a mark, and what else it says."""
    values = mark.get(ATTRIBUTES) or {}
    if not (isinstance(values, dict) and all(isinstance(own, str) for own in values.values())):
        raise InvalidInput("attributes must be an object with texts by name", field=where)
    return {"label": mark["label"], **({ATTRIBUTES: {**values}} if values else {})}


def place_of(mark: Mapping[str, Any], where: str) -> NamedPlace:
    """Return where a mark stands, and its words; raise InvalidInput if that cannot be a piece of a text."""
    start, end = mark.get("start"), mark.get("end")
    if type(start) is not int or type(end) is not int:
        raise InvalidInput("start and end must be whole numbers", field=where)
    if not 0 <= start < end:
        raise InvalidInput(f"{start}-{end} is no piece of a text: start must be 0 or more, and end more", field=where)
    words = next((mark[name] for name in WORDS if mark.get(name) is not None), None)
    if words is not None and not isinstance(words, str):
        raise InvalidInput("words must be a text", field=where)
    return NamedPlace(start, end, words)


def _spans(places: Sequence[NamedPlace], column: str, texts: Mapping[str, str]) -> Spans:
    """Return the places in the first text that has all of them; raise InvalidInput if none has."""
    for text in texts.values():
        if (spans := in_code_points(text, places)) is not None:
            return spans
    why, where = why_nowhere(places, column, texts)
    raise InvalidInput(why, field=where)


def why_nowhere(places: Sequence[NamedPlace], column: str, texts: Mapping[str, str]) -> tuple[str, str]:
    """Return what is wrong and where: the first mark that no text of the row has."""
    longest = max(map(len, texts.values()), default=0)
    for number, place in enumerate(places, 1):
        where = f"{column}, mark {number}"
        if place.end > longest:
            return f"{place.span} ends outside the row's texts, of which the longest has {longest:,} characters", where
        if not any(place.stands_in(text, place.start, place.end) for text in texts.values()):
            words = (place.words or "")[:60]
            return f"“{words}” does not stand at {place.span}: correct the offsets or the words", where
    return "the marks belong to different texts: give each text a column of marks of its own", column
