"""Mentions that a file says are in a text, each with the pages that it is linked to; kept in a column as JSON text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from corpus.items.columns import LONGEST_TEXT
from corpus.items.marks import place_of, why_nowhere
from corpus.items.offsets import in_code_points
from kernel.errors import InvalidInput
from kernel.json_fields import text_field
from kernel.values import Json, canonical_json

MOST_MENTIONS = 1_000
LONGEST_PAGE = 300  # characters of a title
MOST_PAGES = 20
WIKIDATA = re.compile(r"Q[1-9][0-9]{0,11}")
_ADDRESS = re.compile(
    r"https?://(?:(?P<language>[a-z]{2,3}(?:-[a-z]{2,10})*)\.)?(?:m\.)?"
    r"(?:dbpedia\.org/(?:resource|page)|wikipedia\.org/wiki)/(?P<title>[^?#]+)(?:\?[^#]*)?",
    re.IGNORECASE,
)
_NO_PAGE = re.compile(r"https?://aksw\.org/notInWiki\b", re.IGNORECASE)  # how NIF files say that there is none
_OTHER_ADDRESS = re.compile(r"(?:https?|javascript|vbscript|data|file|mailto):", re.IGNORECASE)
_REFUSED = re.compile(r"[<>\[\]{}|#\x00-\x1f]")


@dataclass(frozen=True, order=True)
class KnownMention:
    """A piece of a text, and the titles of the pages that it names; none if it is known to have no page.

    Some benchmarks name the entities by their ids in Wikidata too.
    """

    start: int
    end: int
    pages: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Json]:
        mention: dict[str, Json] = {"start": self.start, "end": self.end, "pages": [*self.pages]}
        return mention | ({"ids": [*self.ids]} if self.ids else {})


def known_mentions(values: Sequence[Json], text: str, column: str = "mentions") -> tuple[KnownMention, ...]:
    """Return the mentions of a text in its order; raise InvalidInput for the first that cannot stand in it."""
    if len(values) > MOST_MENTIONS:
        raise InvalidInput(
            f"has {len(values):,} mentions, and at most {MOST_MENTIONS:,} are kept: split the text", field=column
        )
    objects = [_object(value, f"{column}, mark {number}") for number, value in enumerate(values, 1)]
    places = [place_of(own, f"{column}, mark {number}") for number, own in enumerate(objects, 1)]
    pages = [_pages(own, f"{column}, mark {number}") for number, own in enumerate(objects, 1)]
    ids = [_ids(own, f"{column}, mark {number}") for number, own in enumerate(objects, 1)]
    spans = in_code_points(text, places)
    if spans is None:
        why, where = why_nowhere(places, column, {"text": text})
        raise InvalidInput(why, field=where)
    named = zip(spans, pages, ids, strict=True)
    return joined_mentions(KnownMention(start, end, own, wikidata) for (start, end), own, wikidata in named)


def joined_mentions(mentions: Iterable[KnownMention]) -> tuple[KnownMention, ...]:
    """Return each piece of a text once, with all its pages, in text order."""
    by_span: dict[tuple[int, int], tuple[dict[str, None], dict[str, None]]] = {}
    for mention in mentions:
        pages, ids = by_span.setdefault((mention.start, mention.end), ({}, {}))
        pages.update(dict.fromkeys(mention.pages))
        ids.update(dict.fromkeys(mention.ids))
    return tuple(KnownMention(*span, tuple(pages), tuple(ids)) for span, (pages, ids) in sorted(by_span.items()))


def mentions_text(mentions: Sequence[KnownMention], column: str = "mentions") -> str:
    """Return mentions as their column keeps them."""
    kept = canonical_json([mention.to_json() for mention in mentions])
    if len(kept) > LONGEST_TEXT:
        raise InvalidInput(f"has more mentions than fit into {LONGEST_TEXT:,} characters: split the text", field=column)
    return kept


def mentions_in(kept: str) -> tuple[KnownMention, ...]:
    """Return the mentions that a column keeps."""
    return tuple(
        KnownMention(own["start"], own["end"], tuple(own["pages"]), tuple(own.get("ids", ())))
        for own in json.loads(kept)
    )


def page_title(written: str) -> str:
    """Return the title of the page that a file names by title or address; "" if it says that there is no page.

    Pages of another Wikipedia than the English one begin with its language (“de:Arden”).
    """
    named = " ".join(written.split())
    if not named or _NO_PAGE.match(named):
        return ""
    address = _ADDRESS.fullmatch(named)
    if not address and _OTHER_ADDRESS.match(named):
        raise InvalidInput(f"“{named[:60]}” is no page of Wikipedia or DBpedia: write its title")
    language = (address["language"] or "en").lower() if address else "en"
    title = " ".join((unquote(address["title"]) if address else named).replace("_", " ").split())
    if sign := _REFUSED.search(title):
        raise InvalidInput(f"no title of a page has a “{sign[0]}”: “{title[:60]}”")
    if len(title) > LONGEST_PAGE:
        raise InvalidInput(f"no title of a page is longer than {LONGEST_PAGE} characters")
    title = title[:1].upper() + title[1:]
    return title if language in ("en", "www") else f"{language}:{title}"


def _object(value: Json, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput("must be an object with start, end and page", field=where)
    return value


def _pages(mention: Mapping[str, Any], where: str) -> tuple[str, ...]:
    pages = mention.get("pages", mention.get("page"))
    listed = [] if pages is None else pages if isinstance(pages, list) else [pages]
    if not all(isinstance(page, str) for page in listed):
        raise InvalidInput("page must be a title or an address", field=where)
    if len(listed) > MOST_PAGES:
        raise InvalidInput(f"has {len(listed)} pages; at most {MOST_PAGES} are kept", field=where)
    try:
        titles = [page_title(text_field({"page": page}, "page")) for page in listed]
    except InvalidInput as error:
        raise InvalidInput(error.problem, field=where) from error
    return tuple(dict.fromkeys(title for title in titles if title))


def _ids(mention: Mapping[str, Any], where: str) -> tuple[str, ...]:
    ids = mention.get("ids")
    listed = [] if ids is None else ids
    if not isinstance(listed, list) or len(listed) > MOST_PAGES or not all(map(_is_id, listed)):
        raise InvalidInput("ids must be a list of ids in Wikidata, such as Q42", field=where)
    return tuple(dict.fromkeys(listed))


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and WIKIDATA.fullmatch(value) is not None
