"""One row of a dump ⇄ a page. The README of this folder documents the schema."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from corpus.articles import EntityType
from corpus.backgrounds.base import Page
from corpus.backgrounds.cleaning import first_paragraph
from corpus.sources.texts import clean, clean_all
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import Json

MAX_TITLE = 300  # characters
MAX_LICENCE = 200  # as the database holds it
_REFERS = re.compile(r"\b(?:may|can) (?:also )?refer to(?: [^.]{0,80})?:?$|\b(?:may|can) (?:also )?refer to:")
_ENTRY = re.compile(r"(?:[*•-] ?)?([^,:(–]+(?:\((?!\d|born)[^()]*\))?)")  # "Ida Lind (botanist) (1861–1939), …"
_KINDS = {bool: "true or false", str: "text", int: "a number", float: "a number", list: "a list", dict: "an object"}


@dataclass(frozen=True)
class Row:
    """What one line of a dump says: a page with the titles that lead to it, or a mere redirect."""

    title: str
    page: Page | None = None
    redirects: tuple[str, ...] = ()
    target: str = ""  # of a redirect


def row_of(value: Json) -> Row:
    """Return the row, or raise InvalidInput that names the field. Unknown fields are ignored."""
    if not isinstance(value, dict):
        raise InvalidInput(f"a row must be an object, not {_kind(value)}")
    title = _title(value)
    target = clean(_text(value, "redirect"))
    if target:
        return Row(title, target=target)
    return Row(title, page_of(value), _texts(value, "redirects"))


def page_of(value: Json) -> Page:
    """Return the page of a row, or raise InvalidInput that names the field."""
    if not isinstance(value, dict):
        raise InvalidInput(f"a page must be an object, not {_kind(value)}")
    text = _lines(value)
    first = first_paragraph(text)
    return Page(
        title=_title(value),
        text=first,
        url=_url(value),
        page_id=_number(value, "page_id"),
        revision_id=_number(value, "revision_id"),
        retrieved=_date(value),
        licence=_licence(value),
        is_disambiguation=_flag(value, "disambiguation") or _is_listing(first),
        candidates=_texts(value, "candidates") or _listed(text),
        type=_type(value),
        aliases=_texts(value, "aliases"),
    )


def row_from(page: Page) -> dict[str, Json]:
    """Return the row that `page_of` reads back, without what is empty."""
    row: dict[str, Json] = {
        "title": page.title,
        "text": page.text,
        "url": page.url,
        "page_id": page.page_id,
        "revision_id": page.revision_id,
        "retrieved": page.retrieved.isoformat() if page.retrieved else None,
        "licence": page.licence,
        "disambiguation": page.is_disambiguation,
        "candidates": list(page.candidates),
        "type": page.type.value if page.type else None,
        "aliases": list(page.aliases),
    }
    return {key: value for key, value in row.items() if key in {"title", "text"} or value}


def _title(row: dict[str, Json]) -> str:
    title = clean(_text(row, "title").replace("_", " "))
    if not title:
        raise InvalidInput("must be a text that is not empty", field="title")
    if len(title) > MAX_TITLE:
        raise InvalidInput(f"must have at most {MAX_TITLE} characters", field="title")
    return title


def _licence(row: dict[str, Json]) -> str:
    licence = clean(_text(row, "licence"))
    if len(licence) > MAX_LICENCE:
        raise InvalidInput(f"must have at most {MAX_LICENCE} characters: a name or an address", field="licence")
    return licence


def _lines(row: dict[str, Json]) -> str:
    """Return the text with its line breaks, each line clean."""
    return "\n".join(clean_all(_text(row, "text").splitlines()))


def _is_listing(line: str) -> bool:
    return "refer to" in line and _REFERS.search(line) is not None


def _listed(text: str) -> tuple[str, ...]:
    """Return what the lines of a disambiguation page begin with, for dumps that do not name the candidates."""
    opening, _, rest = text.partition("\n")
    if not _is_listing(opening):
        return ()
    titles = (_ENTRY.match(line) for line in rest.split("\n"))
    return tuple(dict.fromkeys(match[1].strip() for match in titles if match))


def _url(row: dict[str, Json]) -> str:
    url = clean(_text(row, "url"))
    if url and not url.lower().startswith(("https://", "http://")):
        raise InvalidInput("must begin with http:// or https://", field="url")
    return url


def _text(row: dict[str, Json], field: str) -> str:
    value = row.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidInput(f"must be text, not {_kind(value)}", field=field)
    return value


def _texts(row: dict[str, Json], field: str) -> tuple[str, ...]:
    value = row.get(field)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidInput("must be a list of texts", field=field)
    return tuple(dict.fromkeys(clean_all(str(item) for item in value)))


def _number(row: dict[str, Json], field: str) -> int | None:
    value = row.get(field)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63):
        return value
    raise InvalidInput("must be a whole number that is not negative", field=field)


def _flag(row: dict[str, Json], field: str) -> bool:
    value = row.get(field)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise InvalidInput(f"must be true or false, not {_kind(value)}", field=field)


def _date(row: dict[str, Json]) -> date | None:
    value = _text(row, "retrieved")
    try:
        return date.fromisoformat(value) if value else None
    except ValueError as error:
        raise InvalidInput(f"must be a date like 1999-12-31, not {value[:40]!r}", field="retrieved") from error


def _type(row: dict[str, Json]) -> EntityType | None:
    value = _text(row, "type")
    if not value:
        return None
    if value not in list(EntityType):
        raise InvalidInput(f"must be one of {', '.join(EntityType)}, not {value[:40]!r}", field="type")
    return EntityType(value)


def _kind(value: Json) -> str:
    return _KINDS.get(type(value), "null")
