"""One row of our JSONL schema → an article. The README of this folder documents the schema."""

from __future__ import annotations

from datetime import date, datetime

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.sources.texts import clean, clean_all, paragraphs_of
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import Json


def article_of(row: Json, where: str) -> SourceArticle:
    """Return the article of a row, or raise InvalidInput that names the field. Unknown fields are ignored."""
    if not isinstance(row, dict):
        raise InvalidInput(f"a row must be an object, not {_kind(row)}")
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


def _id(row: dict[str, Json]) -> str:
    value = row.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not clean(value):
        raise InvalidInput("must be a text that is not empty, or a whole number", field="id")
    return clean(value)


def _text(row: dict[str, Json], field: str) -> str:
    value = row.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput(f"must be text, not {_kind(value)}", field=field)
    return clean(value)


def _paragraphs(row: dict[str, Json]) -> tuple[str, ...]:
    text, paragraphs = row.get("text"), row.get("paragraphs")
    if (text is None) == (paragraphs is None):
        raise InvalidInput("a row needs either text or paragraphs, and not both", field="text")
    if isinstance(text, str):
        return paragraphs_of(text.splitlines())
    if text is not None:
        raise InvalidInput(f"must be text, not {_kind(text)}", field="text")
    if not isinstance(paragraphs, list):
        raise InvalidInput(f"must be a list of texts, not {_kind(paragraphs)}", field="paragraphs")
    texts = [item for item in paragraphs if isinstance(item, str)]
    if len(texts) != len(paragraphs):
        raise InvalidInput("must hold texts only", field="paragraphs")
    return clean_all(texts)


def _date(row: dict[str, Json]) -> date | None:
    value = _text(row, "date")
    try:
        return datetime.fromisoformat(value).date() if value else None
    except ValueError as error:
        raise InvalidInput(f"must be a date like 1999-12-31, not {value[:40]!r}", field="date") from error


def _tags(row: dict[str, Json]) -> tuple[Tag, ...]:
    entities = row.get("entities")
    if entities is None:
        return ()
    if not isinstance(entities, list):
        raise InvalidInput(f"must be a list of objects, not {_kind(entities)}", field="entities")
    return tuple(dict.fromkeys(_tag(entity, f"entities[{number}]") for number, entity in enumerate(entities)))


def _tag(entity: Json, field: str) -> Tag:
    if not isinstance(entity, dict):
        raise InvalidInput(f"must be an object, not {_kind(entity)}", field=field)
    name, kind = _text(entity, "name"), _text(entity, "type")
    if not name:
        raise InvalidInput("needs a name that is not empty", field=field)
    if kind not in list(EntityType):
        raise InvalidInput(f"type must be one of {', '.join(EntityType)}, not {kind[:40]!r}", field=field)
    return Tag(name, EntityType(kind), _text(entity, "origin") or "jsonl")


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "true or false"
    names = {str: "text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), "null")
