"""Choosing the page of an entity.

A page is accepted if its title names the entity, its first sentence does not describe another type, and the articles
share enough content words with it; the last is not required of the only page with exactly this name. It does not count
that a page merely mentions the entity. The same query and source always give the same choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.articles import EntityType
from corpus.backgrounds.base import BackgroundSource, BackgroundStatus, Page, PageChoice, Query
from corpus.backgrounds.evidence import ContentWords, content_words
from corpus.backgrounds.page_assessment import PageAssessment, assess
from corpus.backgrounds.titles import Match, bare_titles, match_title, title_words

MOST_CANDIDATES = 10
MOST_CONTEXT = 6_000  # characters
# Weights of shared words. Of unrelated pages of one type, 2 % share 3 or more with a passage of 800 characters.
ENOUGH = 3
WORDS_PER_POINT = 80  # one more point for this number of content words: longer texts share more by chance
LESS = 2  # enough for the page with the plain name, and for the only listed page of the type
LEAD = 2  # how much better a namesake must be than the next one
TELLING_CONTEXT = 25  # content words; with fewer, sharing none means nothing


@dataclass(frozen=True)
class _PagesToAssess:
    """Pages to assess, in the order of the source."""

    pages: tuple[Page, ...] = ()
    is_listed: bool = False  # by a disambiguation page of the name
    unseen: int = 0  # namesakes above the limit


def link(query: Query, source: BackgroundSource, limit: int = MOST_CANDIDATES) -> PageChoice:
    """Return the page chosen for an entity; raise Unavailable if the source does not answer."""
    context = content_words(_passages(query))
    direct = _direct(query, source, limit)
    assessed = _assess_all(query, context, direct)
    if not any(item.match >= Match.LONGER and not item.veto for item in assessed):
        searched = _searched(query, source, limit, {page.title for page in direct.pages})
        assessed += _assess_all(query, context, searched, start=len(assessed))
    return _decide(query, context, sorted(assessed, key=lambda item: item.order), direct.unseen)


def _passages(query: Query) -> Iterable[str]:
    room = MOST_CONTEXT
    for text in query.contexts:
        yield text[:room]
        room -= len(text)
        if room <= 0:
            return


def _assess_all(query: Query, context: ContentWords, pages: _PagesToAssess, start: int = 0) -> list[PageAssessment]:
    return [
        assess(query, context, page, rank, is_listed=pages.is_listed) for rank, page in enumerate(pages.pages, start)
    ]


def _direct(query: Query, source: BackgroundSource, limit: int) -> _PagesToAssess:
    """Return the page with the name, or else with the first other form of it that has a page, and its namesakes."""
    for name in dict.fromkeys([query.name, *query.strict, *bare_titles(query.name)]):
        page = source.look_up(name)
        if page is None:
            continue
        titles = _worth_reading(query, page.candidates, is_listed=page.is_disambiguation)
        others = _pages(source, titles[:limit])
        pages = others if page.is_disambiguation else [page, *others]
        return _PagesToAssess(_distinct(pages), page.is_disambiguation, max(len(titles) - limit, 0))
    return _PagesToAssess()


def _searched(query: Query, source: BackgroundSource, limit: int, seen: set[str]) -> _PagesToAssess:
    titles = [title for title in source.search(query.name, limit) if title not in seen]
    pages = _pages(source, _worth_reading(query, titles, is_listed=False)[:limit])
    return _PagesToAssess(_distinct(page for page in pages if page.title not in seen))


def _worth_reading(query: Query, titles: Sequence[str], *, is_listed: bool) -> list[str]:
    """Return the titles that may name the entity, closest first.

    A disambiguation page may list the entity under any title, and a search may find it by an alias. These titles come
    last; their pages are read only for the other names they give.
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


def _decide(query: Query, context: ContentWords, assessed: list[PageAssessment], unseen: int) -> PageChoice:
    possible = [item for item in assessed if not item.veto]
    if not possible:
        left_out = [f"“{item.page.title}” was left out: {item.veto}." for item in assessed if item.match]
        return _choice(BackgroundStatus.MISSING, None, assessed, left_out or ["No page has this name."])
    plain = next((item for item in possible if item.match >= Match.REDIRECT), None)
    rivals = [item for item in possible if item is not plain and item.match >= Match.QUALIFIED]
    if plain and not rivals and not unseen:
        return _only_one(query, context, plain, assessed)
    return _best_of(query, context, plain, possible, assessed)


def _only_one(query: Query, context: ContentWords, only: PageAssessment, assessed: list[PageAssessment]) -> PageChoice:
    reasons = [*only.reasons(query.type), "No other page of this name and type is known."]
    is_silent = query.type is EntityType.PERSON and len(context) >= TELLING_CONTEXT and not only.overlap.score
    if is_silent:
        reasons.append("It may be a namesake: a person's page and articles usually share words.")
    return _choice(BackgroundStatus.LIKELY if is_silent else BackgroundStatus.EXACT, only, assessed, reasons)


def _best_of(
    query: Query,
    context: ContentWords,
    plain: PageAssessment | None,
    possible: list[PageAssessment],
    assessed: list[PageAssessment],
) -> PageChoice:
    """Return the page with the best evidence, if that is enough; in a tie, the page with the plain name."""
    best = plain if plain and plain.overlap.score == possible[0].overlap.score else possible[0]
    others = [item for item in possible if item is not best]
    is_only = best.is_listed and not others and best.match is Match.QUALIFIED and bool(best.types)
    needed = (LESS if is_only or best is plain else ENOUGH) + len(context) // WORDS_PER_POINT
    if best.match is Match.LOOSE:
        needed *= 2
    reasons = best.reasons(query.type)
    if others:
        titles = ", ".join(f"“{item.page.title}”" for item in others)
        reasons.append(f"Also considered: {titles}.")
    if best.overlap.score < needed:
        return _choice(BackgroundStatus.AMBIGUOUS, None, assessed, [*reasons, "That is not enough to decide."])
    lead = best.overlap.score - max((item.overlap.score for item in others), default=0)
    if others and lead < LEAD and best is not plain:
        return _choice(
            BackgroundStatus.AMBIGUOUS, None, assessed, [*reasons, "Another page shares about as many words."]
        )
    return _choice(BackgroundStatus.EXACT if best is plain else BackgroundStatus.LIKELY, best, assessed, reasons)


def _choice(
    status: BackgroundStatus, accepted: PageAssessment | None, assessed: list[PageAssessment], reasons: list[str]
) -> PageChoice:
    """Return the choice; every other page whose title names the entity is a candidate."""
    others = [item for item in assessed if item is not accepted and item.match]
    candidates = tuple(item.page for item in others if not item.page.is_disambiguation)
    return PageChoice(status, accepted.page if accepted else None, candidates, tuple(reasons))
