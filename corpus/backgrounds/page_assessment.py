"""Assessing one page for one entity: what speaks for it, and what rules it out."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.articles import EntityType
from corpus.backgrounds.base import Page, Query
from corpus.backgrounds.evidence import ContentWords, Overlap, overlap
from corpus.backgrounds.page_types import Types, birth_year, types_of
from corpus.backgrounds.paragraphs import clean_paragraph
from corpus.backgrounds.titles import Match, match_title, title_words
from corpus.sentences import split_sentences

_WORDS_SHOWN = 6
_MATCH_SENTENCES = {
    Match.TITLE: "The title is the name.",
    Match.REDIRECT: "The name leads to this page, and its first sentence gives it.",
    Match.QUALIFIED: "The title is the name with a qualifier.",
    Match.LONGER: "The title is a longer or shorter form of the name.",
    Match.ALIAS: "The title is another name of the entity, or the name another title of the page.",
    Match.LOOSE: "The title is only a part of the name.",
}


@dataclass(frozen=True)
class PageAssessment:
    """A page, how its title names the entity, what it shares with the articles, and why it is ruled out, or ""."""

    page: Page
    match: Match
    types: Types | None
    overlap: Overlap
    veto: str
    rank: int  # the order in which the source offered it
    is_listed: bool = False  # a disambiguation page of the name lists it

    @property
    def order(self) -> tuple[bool, int, int, int]:
        """Return a sort key: pages that are ruled out come last, the best evidence first."""
        return bool(self.veto), -self.overlap.score, -self.match, self.rank

    def reasons(self, type_: EntityType) -> list[str]:
        """Return what speaks for the page, in sentences."""
        known = f"The page is about {_named(type_)}." if self.types else "Its words do not show the type."
        words = ", ".join(self.overlap.words[:_WORDS_SHOWN])
        shared = (
            f"The articles and the page share: {words}." if words else "The articles share no significant word with it."
        )
        return [_MATCH_SENTENCES[self.match], known, shared]


def assess(query: Query, context: ContentWords, page: Page, rank: int, *, is_listed: bool = False) -> PageAssessment:
    """Return the assessment of a page."""
    text = clean_paragraph(page.text)
    sentences = split_sentences(text)
    opening = text[: sentences[0][1]] if sentences else ""
    match = match_title(query, page, opening)
    if is_listed and set(title_words(query.name)) <= set(title_words(page.title)):
        match = max(match, Match.ALIAS)
    types = types_of(page, opening)
    veto = _veto(query, page, match, types, opening)
    return PageAssessment(page, match, types, overlap(query, context, page, text), veto, rank, is_listed)


def _veto(query: Query, page: Page, match: Match, types: Types | None, opening: str) -> str:
    if match is Match.NONE:
        return "its title does not name the entity"
    if page.is_disambiguation:
        return "it only lists other pages"
    if not opening:
        return "it has no text"
    if types is not None and query.type not in types:
        return f"it is not about {_named(query.type)}"
    born = birth_year(opening) if query.type is EntityType.PERSON else None
    if born and query.year and born > query.year:
        return f"its subject was born in {born}, after the articles"
    return ""


def _named(type_: EntityType) -> str:
    return f"an {type_}" if type_ is EntityType.ORGANIZATION else f"a {type_}"
