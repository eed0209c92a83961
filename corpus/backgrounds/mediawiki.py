"""Parsing answers of the MediaWiki API (format version 2) into pages. The network code is in `live.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias

from corpus.backgrounds.base import Page
from corpus.backgrounds.paragraphs import first_paragraph
from corpus.sources.texts import clean, clean_all

ApiAnswer: TypeAlias = Mapping[str, Any]  # JSON from outside: every access below expects a wrong shape

MOST_TITLES = 20  # a request returns at most this many first sections
MAX_TITLE_BYTES = 255
_FORBIDDEN = frozenset("#<>[]|{}\n\t\0")


def is_title(title: str) -> bool:
    """Return whether the text can be a title; an impossible one would make the whole request fail."""
    return bool(title.strip()) and not _FORBIDDEN & set(title) and len(title.encode()) <= MAX_TITLE_BYTES


def pages_query(titles: Sequence[str]) -> dict[str, str]:
    return {
        "titles": "|".join(titles),
        "redirects": "1",
        "prop": "info|pageprops|revisions|extracts",
        "inprop": "url",
        "ppprop": "disambiguation",
        "rvprop": "ids",
        "exintro": "1",
        "explaintext": "1",
        "exlimit": "max",
    }


def links_query(title: str) -> dict[str, str]:
    return {"titles": title, "prop": "links", "plnamespace": "0", "pllimit": "max"}


def search_query(name: str, limit: int) -> dict[str, str]:
    return {"list": "search", "srsearch": name, "srnamespace": "0", "srlimit": str(limit), "srprop": ""}


def merged(answers: Iterable[ApiAnswer]) -> ApiAnswer:
    """Return the answers that continue each other as one: pages gain properties, lists grow."""
    pages: dict[str, dict[str, Any]] = {}
    lists: dict[str, Any] = {"normalized": [], "redirects": [], "search": []}
    for answer in answers:
        query = _mapping(answer.get("query"))
        for key, items in lists.items():
            items += [item for item in _list(query.get(key)) if item not in items]
        for raw in _list(query.get("pages")):
            page = pages.setdefault(str(_mapping(raw).get("title", "")), {})
            links = [*_list(page.get("links")), *_list(_mapping(raw).get("links"))]
            page.update(_mapping(raw), links=links)
    return {**lists, "pages": pages}


def page_for(answer: ApiAnswer, title: str, *, source: str, licence: str, retrieved: date | None) -> Page | None:
    """Return the page for a title in a merged answer, or None if there is none."""
    final_title, is_redirected = _final_title(answer, title)
    raw = answer["pages"].get(final_title)
    if not raw or "missing" in raw or "invalid" in raw:
        return None
    revisions = [_mapping(item) for item in _list(raw.get("revisions"))]
    return Page(
        title=clean(str(raw.get("title", ""))),
        text=first_paragraph("\n".join(clean_all(_text(raw, "extract").splitlines()))),
        url=clean(_text(raw, "canonicalurl") or _text(raw, "fullurl")),
        page_id=_number(raw.get("pageid")),
        revision_id=_number(revisions[0].get("revid")) if revisions else None,
        retrieved=retrieved,
        licence=licence,
        source=source,
        redirected_from=title if is_redirected else "",
        is_disambiguation="disambiguation" in _mapping(raw.get("pageprops")),
    )


def links_of(answer: ApiAnswer) -> tuple[str, ...]:
    """Return the titles that the only page of a merged answer links to."""
    links = [_mapping(link) for page in answer["pages"].values() for link in page["links"]]
    return tuple(dict.fromkeys(title for link in links if (title := clean(_text(link, "title")))))


def search_results(answer: ApiAnswer) -> list[str]:
    return [title for item in answer["search"] if (title := clean(_text(_mapping(item), "title")))]


def _final_title(answer: ApiAnswer, title: str) -> tuple[str, bool]:
    """Return the title of the page for a title, after normalisation and redirects, and whether there was a redirect."""
    redirects = _steps(answer, "redirects")
    title = _steps(answer, "normalized").get(title, title)
    is_redirected = title in redirects
    for _ in redirects:
        title = redirects.get(title, title)
    return title, is_redirected


def _steps(answer: ApiAnswer, key: str) -> dict[str, str]:
    return {_text(_mapping(step), "from"): _text(_mapping(step), "to") for step in answer[key]}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(mapping: Mapping[str, Any], key: str) -> str:
    value = mapping.get(key)
    return value if isinstance(value, str) else ""


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63 else None
