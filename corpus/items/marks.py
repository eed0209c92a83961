"""Marks that a file suggests in a text of its row: a list of starts, ends and labels, kept in a column as JSON text.

Offsets count Unicode code points. Where a mark names its words and they stand elsewhere, the offsets are read as UTF-16
code units, which tools in JavaScript count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.items.columns import LONGEST_TEXT
from kernel.errors import InvalidInput
from kernel.json_fields import Row
from kernel.values import Json, canonical_json

MOST_MARKS = 1_000
WORDS = ("words", "text")  # what files call the words of a mark
START_OF_MARKS = '[{"end":'  # of the JSON text


def is_marks(value: Json) -> bool:
    """Tell whether a column holds marks, as a file writes them or as they are kept."""
    if isinstance(value, str):
        return value.startswith(START_OF_MARKS)
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
    kept = canonical_json(_in_code_points(places, column, texts))
    if len(kept) > LONGEST_TEXT:
        raise InvalidInput(f"has more marks than fit into {LONGEST_TEXT:,} characters: shorten the text", field=column)
    return kept


def _place(mark: Any, where: str) -> dict[str, Any]:
    """Return the start, end, label and words of a mark."""
    if not isinstance(mark, dict) or not {"start", "end", "label"} <= mark.keys():
        raise InvalidInput("must be an object with start, end and label", field=where)
    start, end, label = mark["start"], mark["end"], mark["label"]
    if type(start) is not int or type(end) is not int:
        raise InvalidInput("start and end must be whole numbers", field=where)
    if not isinstance(label, str) or not label.strip():
        raise InvalidInput("label must be a text", field=where)
    if not 0 <= start < end:
        raise InvalidInput(f"{start}-{end} is no piece of a text: start must be 0 or more, and end more", field=where)
    words = next((mark[name] for name in WORDS if mark.get(name) is not None), None)
    if words is not None and not isinstance(words, str):
        raise InvalidInput("words must be a text", field=where)
    return {"start": start, "end": end, "label": label, "words": words}


def _in_code_points(places: list[dict[str, Any]], column: str, texts: Mapping[str, str]) -> list[Json]:
    """Return the marks as the first text that has all of them counts; raise InvalidInput if none has."""
    for text in texts.values():
        if all(place["end"] <= len(text) and _says(text, place, place["start"], place["end"]) for place in places):
            return [_bare(place, place["start"], place["end"]) for place in places]
    for text in texts.values() if any(place["words"] for place in places) else ():
        points = _points_of_units(text)
        pairs = [(points.get(place["start"]), points.get(place["end"])) for place in places]
        if all(_says(text, place, *pair) for place, pair in zip(places, pairs, strict=True)):
            return [_bare(place, *pair) for place, pair in zip(places, pairs, strict=True)]
    why, where = _why_nowhere(places, column, texts)
    raise InvalidInput(why, field=where)


def _says(text: str, place: Mapping[str, Any], start: int | None, end: int | None) -> bool:
    return start is not None and end is not None and place["words"] in (None, text[start:end])


def _bare(place: Mapping[str, Any], start: int | None, end: int | None) -> Json:
    return {"start": start, "end": end, "label": place["label"]}


def _points_of_units(text: str) -> dict[int, int]:
    """Return the code points before each UTF-16 offset; none inside a character of two units."""
    points, units = {0: 0}, 0
    for number, sign in enumerate(text, 1):
        units += 2 if ord(sign) > 0xFFFF else 1
        points[units] = number
    return points


def _why_nowhere(places: Sequence[Mapping[str, Any]], column: str, texts: Mapping[str, str]) -> tuple[str, str]:
    """Return what is wrong and where: the first mark that no text of the row has."""
    longest = max(map(len, texts.values()), default=0)
    for number, place in enumerate(places, 1):
        where, span = f"{column}, mark {number}", f"{place['start']}-{place['end']}"
        if place["end"] > longest:
            return f"{span} ends outside the row's texts, of which the longest has {longest:,} characters", where
        if not any(_says(text, place, place["start"], place["end"]) for text in texts.values()):
            return f"“{place['words'][:60]}” does not stand at {span}: correct the offsets or the words", where
    return "the marks belong to different texts: give each text a column of marks of its own", column
