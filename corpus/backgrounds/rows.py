"""One row of a dump ⇄ a page. The README of this folder documents the schema."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.articles import EntityType
from corpus.backgrounds.base import Page
from corpus.backgrounds.paragraphs import first_paragraph
from corpus.sources.texts import clean, clean_all
from kernel.errors import InvalidInput
from kernel.json_fields import (
    Row,
    choice_field,
    date_field,
    kind_of,
    number_field,
    object_value,
    raw_text_field,
    url_field,
)
from kernel.values import Json

MAX_TITLE = 300  # characters
MAX_LICENCE = 200  # as the database holds it
_REFERS = re.compile(r"\b(?:may|can) (?:also )?refer to(?: [^.]{0,80})?:?$|\b(?:may|can) (?:also )?refer to:")
_ENTRY = re.compile(r"(?:[*•-] ?)?([^,:(–]+(?:\((?!\d|born)[^()]*\))?)")  # "Ida Lind (botanist) (1861–1939), …"


@dataclass(frozen=True)
class DumpRow:
    """One line of a dump: a page with the titles that redirect to it, or only a redirect."""

    title: str
    page: Page | None = None
    redirects: tuple[str, ...] = ()
    target: str = ""  # of a redirect


def row_of(value: Json) -> DumpRow:
    """Return the row, or raise InvalidInput for the first bad field. Unknown fields are ignored."""
    row = object_value(value, "row")
    title = _title(row)
    if target := clean(raw_text_field(row, "redirect")):
        return DumpRow(title, target=target)
    return DumpRow(title, page_of(row), _texts(row, "redirects"))


def page_of(row: Row) -> Page:
    """Return the page of a row, or raise InvalidInput for the first bad field."""
    text = "\n".join(clean_all(raw_text_field(row, "text").splitlines()))
    first = first_paragraph(text)
    return Page(
        title=_title(row),
        text=first,
        url=url_field({"url": clean(raw_text_field(row, "url"))}, "url"),
        page_id=number_field(row, "page_id"),
        revision_id=number_field(row, "revision_id"),
        retrieved=date_field(row, "retrieved"),
        licence=_licence(row),
        is_disambiguation=_flag(row, "disambiguation") or _is_listing(first),
        candidates=_texts(row, "candidates") or _listed(text),
        type=EntityType(choice_field(row, "type", list(EntityType))) if raw_text_field(row, "type") else None,
        aliases=_texts(row, "aliases"),
    )


def row_from(page: Page) -> dict[str, Json]:
    """Return the row that `page_of` reads back; empty fields are left out."""
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


def _title(row: Row) -> str:
    title = clean(raw_text_field(row, "title").replace("_", " "))
    if not title:
        raise InvalidInput("must not be empty", field="title")
    if len(title) > MAX_TITLE:
        raise InvalidInput(f"must have at most {MAX_TITLE} characters", field="title")
    return title


def _licence(row: Row) -> str:
    licence = clean(raw_text_field(row, "licence"))
    if len(licence) > MAX_LICENCE:
        raise InvalidInput(f"must have at most {MAX_LICENCE} characters: a name or an address", field="licence")
    return licence


def _is_listing(line: str) -> bool:
    return "refer to" in line and _REFERS.search(line) is not None


def _listed(text: str) -> tuple[str, ...]:
    """Return the names at the start of a disambiguation page's lines, for dumps that do not list its candidates."""
    opening, _, rest = text.partition("\n")
    if not _is_listing(opening):
        return ()
    titles = (_ENTRY.match(line) for line in rest.split("\n"))
    return tuple(dict.fromkeys(match[1].strip() for match in titles if match))


def _texts(row: Row, field: str) -> tuple[str, ...]:
    value = row.get(field)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidInput("must be a list of texts", field=field)
    return tuple(dict.fromkeys(clean_all(str(item) for item in value)))


def _flag(row: Row, field: str) -> bool:
    value = row.get(field)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise InvalidInput(f"must be true or false, not {kind_of(value)}", field=field)
