"""One row of our JSONL schema → an article. The README of this folder documents the schema."""

from __future__ import annotations

from datetime import date, datetime

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.sources.texts import clean, clean_all, paragraphs_of
from kernel.errors import InvalidInput
from kernel.json_fields import Row, list_field, not_a_date, object_value, raw_text_field
from kernel.values import Json


def article_of(value: Json, where: str) -> SourceArticle:
    """Return the article of a row, or raise InvalidInput for the first bad field. Unknown fields are ignored."""
    row = object_value(value, "row")
    article = SourceArticle(
        source_id=_id(row),
        title=_text(row, "title"),
        paragraphs=_paragraphs(row),
        abstract=_text(row, "abstract"),
        headline=_text(row, "headline"),
        lead=_text(row, "lead"),
        byline=_text(row, "byline"),
        desk=_text(row, "desk"),
        published=_date(row),
        tags=_tags(row),
        where=where,
    )
    if not (article.title or article.paragraphs):
        raise InvalidInput("the row has neither a title nor text")
    return article


def _id(row: Row) -> str:
    value = row.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not clean(value):
        raise InvalidInput("must be a whole number or text that is not empty", field="id")
    return clean(value)


def _text(row: Row, field: str) -> str:
    return clean(raw_text_field(row, field))


def _paragraphs(row: Row) -> tuple[str, ...]:
    text, paragraphs = row.get("text"), row.get("paragraphs")
    if (text is None) == (paragraphs is None):
        raise InvalidInput("a row needs either text or paragraphs, but not both", field="text")
    if text is not None:
        return paragraphs_of(raw_text_field(row, "text").splitlines())
    items = list_field(row, "paragraphs")
    texts = [item for item in items if isinstance(item, str)]
    if len(texts) != len(items):
        raise InvalidInput("must contain only texts", field="paragraphs")
    return clean_all(texts)


def _date(row: Row) -> date | None:
    value = _text(row, "date")
    try:
        return datetime.fromisoformat(value).date() if value else None
    except ValueError as error:
        raise not_a_date(value, "date") from error


def _tags(row: Row) -> tuple[Tag, ...]:
    if row.get("entities") is None:
        return ()
    entities = list_field(row, "entities")
    return tuple(dict.fromkeys(_tag(entity, f"entities[{number}]") for number, entity in enumerate(entities)))


def _tag(value: Json, field: str) -> Tag:
    entity = object_value(value, field)
    name, type_ = _text(entity, "name"), _text(entity, "type")
    if not name:
        raise InvalidInput("needs a name that is not empty", field=field)
    if type_ not in list(EntityType):
        raise InvalidInput(f"type must be one of {', '.join(EntityType)}, not {type_[:40]!r}", field=field)
    return Tag(name, EntityType(type_), _text(entity, "origin") or "jsonl")
