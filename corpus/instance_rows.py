"""One row of a file of finished instances → a frozen instance. The corpus README documents the fields.

Only `entities`, `entity_type` and `context` are required. If a row has mentions, its texts are left unchanged, because
the offsets refer to them. Otherwise they are cleaned, and every whole-word occurrence of a name is a mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from corpus.backgrounds.base import BackgroundStatus
from corpus.contexts import PARAGRAPH_BREAK, ContextKind
from corpus.frozen import SCHEMA, SIZES, FrozenInstance, FrozenMention
from corpus.sources.lines import parse_json
from corpus.sources.texts import clean, paragraphs_of
from kernel.csv_files import unguarded
from kernel.errors import InvalidInput
from kernel.json_fields import Row, list_field, object_value, text_field
from kernel.values import Json, content_hash

MAX_CONTEXT = 50_000  # characters: a passage, not a book
TEXTS = ("corpus", "article_id", "title", "context")


def instance_of(value: Json) -> FrozenInstance:
    """Return the instance of a row, or raise InvalidInput for the first bad field. Unknown fields are ignored."""
    row: dict[str, Json] = {"schema": SCHEMA, "kind": ContextKind.CONTENT.value}
    row |= {field: own for field, own in object_value(value, "row").items() if own is not None}
    if isinstance(row.get("article_id"), int) and not isinstance(row["article_id"], bool):
        row["article_id"] = str(row["article_id"])
    row["backgrounds"] = _backgrounds(row)
    row |= {} if "mentions" in row else _cleaned(row)
    if len(text_field(row, "context")) > MAX_CONTEXT:
        raise InvalidInput(f"must have at most {MAX_CONTEXT:,} characters", field="context")
    if "mentions" not in row:
        row["mentions"] = _find_mentions(row)
    claimed_key = row.get("key")
    row["key"] = "0" * 64  # until everything else has been checked
    row.setdefault("group", content_hash([row.get("article_id", ""), row.get("context", "")]))
    ordered = _in_order(FrozenInstance.from_json(row))
    if claimed_key not in (None, ordered.key):
        raise InvalidInput("is not the hash of the row's content: remove the key, or restore the row", field="key")
    return ordered


def _cleaned(row: Row) -> dict[str, Json]:
    """Return the texts single-spaced and in one Unicode form, so that names can be found in them."""
    texts: dict[str, Json] = {field: clean(text_field(row, field)) for field in TEXTS if field in row}
    texts["context"] = cleaned_context(text_field(row, "context"))
    names = list_field(row, "entities")
    texts["entities"] = [clean(name) if isinstance(name, str) else name for name in names]
    return texts


def cleaned_context(text: str) -> str:
    """Return a passage with single spaces and a blank line between its paragraphs."""
    return PARAGRAPH_BREAK.join(paragraphs_of(text.splitlines()))


# ---- Mentions -------------------------------------------------------------------------------------


def _find_mentions(row: Row) -> list[Json]:
    """Return every whole-word occurrence of the names; those inside longer names count only if there are no others."""
    context = text_field(row, "context")
    names = [name if isinstance(name, str) else "" for name in list_field(row, "entities")[: SIZES[-1]]]
    spans = [[*occurrences(name, context)] for name in names]
    free = [[span for span in own if not _is_inside(span, spans)] for own in spans]
    mentions = [
        FrozenMention(number, start, end) for number, own in enumerate(spans) for start, end in (free[number] or own)
    ]
    return [mention.to_json() for mention in sorted(mentions, key=_place)]


def occurrences(name: str, context: str) -> Iterator[tuple[int, int]]:
    """Yield where a name stands in a text as a word, or as several, of its own."""
    if name:
        yield from (match.span() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", context))


def _is_inside(span: tuple[int, int], others: Sequence[Sequence[tuple[int, int]]]) -> bool:
    start, end = span
    return any(a <= start and end <= b and (a, b) != span for own in others for a, b in own)


def _place(mention: FrozenMention) -> tuple[int, int, int]:
    return mention.start, -mention.end, mention.entity


def _in_order(instance: FrozenInstance) -> FrozenInstance:
    """Return the instance with mentions in text order and entities in the order of their first mention."""
    mentions = sorted(instance.mentions, key=_place)
    order = list(dict.fromkeys(mention.entity for mention in mentions))
    ordered = replace(
        instance,
        entities=tuple(instance.entities[number] for number in order),
        mentions=tuple(mention._replace(entity=order.index(mention.entity)) for mention in mentions),
        backgrounds=tuple(instance.backgrounds[number] for number in order),
    )
    return replace(ordered, key=ordered.content_key)


# ---- Backgrounds ----------------------------------------------------------------------------------


def _backgrounds(row: Row) -> list[Json]:
    """Return a background or null for each entity; a plain text counts as written by a person."""
    names = list_field(row, "entities")
    if "backgrounds" not in row:
        return [None] * len(names)
    values = list_field(row, "backgrounds")
    if len(values) != len(names):
        raise InvalidInput(f"must be {len(names)}, one for each entity, not {len(values)}", field="backgrounds")
    return [_background(value, name) for value, name in zip(values, names, strict=True)]


def _background(value: Json, name: Json) -> Json:
    if isinstance(value, str):
        value = {"text": value}
    if not isinstance(value, dict):
        return value
    return {"title": name, "status": BackgroundStatus.BY_HAND.value, **value} if value.get("text") else None


# ---- Lines of a CSV file --------------------------------------------------------------------------


def row_of(cells: Mapping[str, str]) -> Json:
    """Return the row that a line of a CSV file holds, or raise InvalidInput for a cell that is not JSON."""
    whole = {name: cell for name, cell in cells.items() if cell.strip()}
    filled = {name: cell if cell.lstrip().startswith(("[", "{")) else unguarded(cell) for name, cell in whole.items()}
    row: dict[str, Json] = {name: text for name, text in filled.items() if not name.startswith("background_")}
    row["entities"] = names = _names(filled.get("entities", ""))
    row |= {name: _json(filled[name], name) for name in ("mentions", "backgrounds") if name in filled}
    texts: list[Json] = [filled.get(f"background_{number}") for number in range(1, len(names) + 1)]
    if "backgrounds" not in row and any(texts):
        row["backgrounds"] = texts
    return row


def _names(cell: str) -> list[Json]:
    """Return the names in a cell: a JSON list, or names separated by |."""
    if cell.lstrip().startswith("["):
        names = _json(cell, "entities")
        return names if isinstance(names, list) else []
    return [name.strip() for name in cell.split("|") if name.strip()]


def _json(cell: str, name: str) -> Json:
    try:
        return parse_json(cell.encode())
    except InvalidInput as error:
        raise InvalidInput(error.problem, field=name) from error
