"""Which page is the entity's.

A page is accepted when its title names the entity, its first sentence does not speak of another type, and, unless it
is the only page of exactly this name, the articles and the page share enough telling words. That a page merely
mentions the entity counts for nothing. The same query and source always give the same choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.articles import EntityType
from corpus.backgrounds.assessment import Assessment, assess
from corpus.backgrounds.base import BackgroundSource, BackgroundStatus, Page, PageChoice, Query
from corpus.backgrounds.evidence import ContentWords, content_words
from corpus.backgrounds.titles import Match, bare_titles, match_title, title_words

MOST_CANDIDATES = 10
MOST_CONTEXT = 6_000  # characters
# Weights of shared words. Of two unrelated pages of one type, 2 % share 3 or more with a passage of 800 characters.
ENOUGH = 3
WORDS_PER_POINT = 80  # for so many content words in the passages, one point more: longer texts share more by chance
LESS = 2  # is enough for the page that bears the plain name, and for the only one of the type that is listed
LEAD = 2  # by so much a namesake must be better than the next
TELLING_CONTEXT = 25  # passages with fewer content words say nothing by their silence


@dataclass(frozen=True)
class _Found:
    """Pages to assess, in the source's order."""

    pages: tuple[Page, ...] = ()
    is_listed: bool = False  # by a disambiguation page of the name
    unseen: int = 0  # namesakes above the limit


def link(query: Query, source: BackgroundSource, limit: int = MOST_CANDIDATES) -> PageChoice:
    """Return the choice on the entity; raise Unavailable when the source does not answer."""
    context = content_words(_passages(query))
    found = _direct(query, source, limit)
    assessed = _assess_all(query, context, found)
    if not any(one.match >= Match.LONGER and not one.veto for one in assessed):
        searched = _searched(query, source, limit, {page.title for page in found.pages})
        assessed += _assess_all(query, context, searched, start=len(assessed))
    return _decide(query, context, sorted(assessed, key=lambda one: one.order), found.unseen)


def _passages(query: Query) -> Iterable[str]:
    room = MOST_CONTEXT
    for text in query.contexts:
        yield text[:room]
        room -= len(text)
        if room <= 0:
            return


def _assess_all(query: Query, context: ContentWords, found: _Found, start: int = 0) -> list[Assessment]:
    return [
        assess(query, context, page, rank, is_listed=found.is_listed) for rank, page in enumerate(found.pages, start)
    ]


def _direct(query: Query, source: BackgroundSource, limit: int) -> _Found:
    """Return the page of the name, or else of the first other form of it that has one, with its namesakes."""
    for name in dict.fromkeys([query.name, *query.strict, *bare_titles(query.name)]):
        page = source.look_up(name)
        if page is None:
            continue
        titles = _worth_reading(query, page.candidates, is_listed=page.is_disambiguation)
        others = _pages(source, titles[:limit])
        pages = others if page.is_disambiguation else [page, *others]
        return _Found(_distinct(pages), page.is_disambiguation, max(len(titles) - limit, 0))
    return _Found()


def _searched(query: Query, source: BackgroundSource, limit: int, seen: set[str]) -> _Found:
    titles = [title for title in source.search(query.name, limit) if title not in seen]
    pages = _pages(source, _worth_reading(query, titles, is_listed=False)[:limit])
    return _Found(_distinct(page for page in pages if page.title not in seen))


def _worth_reading(query: Query, titles: Sequence[str], *, is_listed: bool) -> list[str]:
    """Return the titles that may name the entity, the closest first.

    A disambiguation page may list the name's bearer under any title, and a search may find it by an alias: these come
    last, and are read only to see what other names the page itself gives.
    """
    name = set(title_words(query.name))
    ranked = [(match_title(query, Page(title, "")), title) for title in dict.fromkeys(titles)]
    kept = [(match, title) for match, title in ranked if match or is_listed or not name.isdisjoint(title_words(title))]
    return [title for _, title in sorted(kept, key=lambda item: -item[0])]


def _pages(source: BackgroundSource, titles: Sequence[str]) -> list[Page]:
    return [page for page in source.look_up_all(titles) if page is not None] if titles else []


def _distinct(pages: Iterable[Page]) -> tuple[Page, ...]:
    distinct: dict[str, Page] = {}
    for page in pages:
        distinct.setdefault(page.title, page)
    return tuple(distinct.values())


def _decide(query: Query, context: ContentWords, assessed: list[Assessment], unseen: int) -> PageChoice:
    able = [one for one in assessed if not one.veto]
    if not able:
        return _missing(assessed)
    plain = next((one for one in able if one.match >= Match.REDIRECT), None)
    rivals = [one for one in able if one is not plain and one.match >= Match.QUALIFIED]
    if plain and not rivals and not unseen:
        return _only_one(query, context, plain, assessed)
    return _best_of(query, context, plain, able, assessed)


def _only_one(query: Query, context: ContentWords, one: Assessment, assessed: list[Assessment]) -> PageChoice:
    reasons = [*one.reasons(query.type), "No other page of this name and type is known."]
    is_silent = query.type is EntityType.PERSON and len(context) >= TELLING_CONTEXT and not one.overlap.score
    if is_silent:
        reasons.append("It may be a namesake: a person's page and articles usually share something.")
    return _accept(BackgroundStatus.LIKELY if is_silent else BackgroundStatus.EXACT, one, assessed, reasons)


def _best_of(
    query: Query, context: ContentWords, plain: Assessment | None, able: list[Assessment], assessed: list[Assessment]
) -> PageChoice:
    """Return the page with the best evidence if that is enough; in a tie the one that bears the plain name."""
    best = plain if plain and plain.overlap.score == able[0].overlap.score else able[0]
    others = [one for one in able if one is not best]
    is_only = best.is_listed and not others and best.match is Match.QUALIFIED and bool(best.types)
    needed = _needed(context, best, LESS if is_only or best is plain else ENOUGH)
    reasons = best.reasons(query.type)
    if others:
        reasons.append(f"Also considered: {_titles(others)}.")
    if best.overlap.score < needed:
        return _ambiguous(assessed, [*reasons, "That is too little to tell."])
    lead = best.overlap.score - max((one.overlap.score for one in others), default=0)
    if others and lead < LEAD and best is not plain:
        return _ambiguous(assessed, [*reasons, "Another page shares as much."])
    return _accept(BackgroundStatus.EXACT if best is plain else BackgroundStatus.LIKELY, best, assessed, reasons)


def _needed(context: ContentWords, one: Assessment, enough: int) -> int:
    return (enough + len(context) // WORDS_PER_POINT) * (2 if one.match is Match.LOOSE else 1)


def _accept(status: BackgroundStatus, one: Assessment, assessed: list[Assessment], reasons: list[str]) -> PageChoice:
    return PageChoice(status, one.page, _candidates(assessed, one), tuple(reasons))


def _ambiguous(assessed: list[Assessment], reasons: list[str]) -> PageChoice:
    return PageChoice(BackgroundStatus.AMBIGUOUS, None, _candidates(assessed), tuple(reasons))


def _missing(assessed: list[Assessment]) -> PageChoice:
    left_out = [f"“{one.page.title}” was left out: {one.veto}." for one in assessed if one.match]
    return PageChoice(
        BackgroundStatus.MISSING, None, _candidates(assessed), tuple(left_out) or ("No page bears the name.",)
    )


def _candidates(assessed: list[Assessment], accepted: Assessment | None = None) -> tuple[Page, ...]:
    named = [one for one in assessed if one is not accepted and one.match]
    return tuple(one.page for one in named if not one.page.is_disambiguation)


def _titles(assessed: list[Assessment]) -> str:
    return ", ".join(f"“{one.page.title}”" for one in assessed)
