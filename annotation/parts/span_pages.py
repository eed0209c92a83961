"""Pages of Wikipedia that marks are linked to: what people wrote becomes the titles behind all redirects."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

from annotation import lookups
from annotation.parts.base import Prompt
from annotation.parts.span_attributes import SpanAttribute, Value
from annotation.parts.span_marks import MarkedSpan
from annotation.parts.spans_options import SpansOptions
from annotation.parts.words import listed, shortened
from annotation.task_types.base import FieldRemark

if TYPE_CHECKING:
    from corpus.backgrounds.title_lookup import NamedPage

UNKNOWN = "unknown_page"
MOST_NAMED = 3  # pages in a sentence
HALF = 0.5


@dataclass(frozen=True)
class LinkedMarks:
    """Marks with the titles of their pages, and what can be said about these."""

    spans: list[MarkedSpan]
    refused: Sequence[str] = ()  # a sentence for each mark whose page cannot stand
    unknown: Sequence[str] = ()  # titles that the installation does not have


def page_attributes(options: SpansOptions) -> list[SpanAttribute]:
    return [own for own in options.attributes if own.has_pages]


def linked(text: str, spans: Sequence[MarkedSpan], options: SpansOptions) -> LinkedMarks:
    """Look up the pages of all marks at once."""
    names = {own.name for own in page_attributes(options)}
    written = dict.fromkeys(page for span in spans for page in _written(span, names))
    if not written:
        return LinkedMarks([*spans])
    pages = dict(zip(written, lookups.titles().named([*written]), strict=True))
    refused = [
        f"“{shortened(span.words(text))}”, page “{shortened(own)}”: {pages[own].why_not}"
        for span in spans
        for own in _written(span, names)
        if pages[own].why_not
    ]
    unknown = dict.fromkeys(page.title for page in pages.values() if not (page.is_known or page.why_not))
    return LinkedMarks([_with_titles(span, names, pages) for span in spans], refused, [*unknown])


def _written(span: MarkedSpan, names: Collection[str]) -> list[str]:
    return [page for name, value in span.attributes if name in names for page in _pages(value)]


def _pages(value: Value) -> tuple[str, ...]:
    return () if isinstance(value, str) else value


def _with_titles(span: MarkedSpan, names: Collection[str], pages: Mapping[str, NamedPage]) -> MarkedSpan:
    values = ((name, _titles(own, pages) if name in names else own) for name, own in span.attributes)
    return replace(span, attributes=tuple(values))


def _titles(value: Value, pages: Mapping[str, NamedPage]) -> tuple[str, ...]:
    """Return the titles of pages, each once and in one order; what cannot stand stays as it was written."""
    return tuple(sorted({own if pages[own].why_not else pages[own].title for own in _pages(value)}))


def unknown_remark(asked: Prompt, unknown: Sequence[str]) -> FieldRemark:
    """Ask about pages that the installation does not have; other pages are asked about again."""
    names = listed([shortened(title) for title in unknown[:MOST_NAMED]])
    rest = f" and {len(unknown) - MOST_NAMED} more" if len(unknown) > MOST_NAMED else ""
    is_are, what = ("is", "it") if len(unknown) == 1 else ("are", "them")
    why = f"{names}{rest} {is_are} not among the pages of this installation. Keep {what}?"
    digest = zlib.crc32("\n".join(sorted(unknown)).encode())
    return asked.ask(f"{UNKNOWN}_{digest:08x}", why)


def titles_of(span: MarkedSpan, attribute: SpanAttribute) -> tuple[str, ...]:
    return _pages(dict(span.attributes).get(attribute.name, ()))


def links_of(spans: Sequence[MarkedSpan], options: SpansOptions) -> set[tuple[MarkedSpan, str, str]]:
    """Return each mark with each of its pages, or with none: what answers have in common where marks have pages."""
    asked = page_attributes(options)
    links = {(span, own.name, title) for span in spans for own in asked for title in titles_of(span, own)}
    linked_marks = {span for span, _, _ in links}
    return links | {(span, "", "") for span in spans if span not in linked_marks}


def closeness_of_links(left: Sequence[MarkedSpan], right: Sequence[MarkedSpan], options: SpansOptions) -> float:
    """Return the F1 of two answers' marks with their pages."""
    first, second = links_of(left, options), links_of(right, options)
    return 2 * len(first & second) / (len(first) + len(second)) if first or second else 1.0


def other_pages(text: str, ours: Sequence[MarkedSpan], theirs: Sequence[MarkedSpan], options: SpansOptions) -> str:
    """Return a sentence about marks that both made and linked to different pages; "" if there are none."""
    known = {span: span for span in theirs}
    whys = []
    for span in ours:
        for own in page_attributes(options):
            right = titles_of(span, own)
            if span in known and {*right} != {*titles_of(known[span], own)}:
                whys.append(f"“{shortened(span.words(text))}” to {listed(right) if right else 'no page'}")
    rest = f" and {len(whys) - MOST_NAMED} more" if len(whys) > MOST_NAMED else ""
    return f"We would have linked {', '.join(whys[:MOST_NAMED])}{rest}." if whys else ""


def invented_pages(words: str, own: SpanAttribute, is_usual: bool, rng: Random) -> tuple[str, ...]:
    """Return the page that an invented person chooses for these words: the first that fits, or another of them."""
    titles = lookups.titles()
    hits = [hit.title for hit in titles.search(words) if not hit.why_not]
    if not hits:
        hits = [page.title for page in titles.named([words]) if not page.why_not]
    if not hits or (not is_usual and not own.required and rng.random() < HALF):
        return ()
    return (hits[0] if is_usual else rng.choice(hits),)
