"""One row of a file of texts → a frozen text. The corpus README documents the fields; only `text` is required."""

from __future__ import annotations

from corpus.contexts import PARAGRAPH_BREAK
from corpus.frozen import SCHEMA, FrozenText, group_field
from corpus.sources.texts import clean, paragraphs_of
from kernel.errors import InvalidInput
from kernel.json_fields import date_field, object_value, text_field
from kernel.values import Json, content_hash

MAX_TEXT = 50_000  # characters: a passage, not a book


def text_of(value: Json) -> FrozenText:
    """Return the text of a row, or raise InvalidInput for the first bad field. Unknown fields are ignored."""
    row = object_value(value, "row")
    if row.get("schema", SCHEMA) != SCHEMA:
        raise InvalidInput(f"must be {SCHEMA}, the only one this version reads", field="schema")
    text = PARAGRAPH_BREAK.join(paragraphs_of(text_field(row, "text", is_required=True).splitlines()))
    if len(text) > MAX_TEXT:
        raise InvalidInput(f"must have at most {MAX_TEXT:,} characters", field="text")
    title, source = (clean(text_field(row, field)) for field in ("title", "source"))
    key = content_hash({"source": source, "title": title, "text": text})
    if row.get("key") not in (None, key):
        raise InvalidInput("is not the hash of the row's content: remove the key, or restore the row", field="key")
    group = key if row.get("group") is None else group_field(row)
    return FrozenText(key, group, title, text, source, date_field(row, "date"))
