"""Deciding whether the title of a page names an entity.

Titles are compared folded: case, accents, underscores, hyphens and full stops do not count. A title may have a
qualifier ("Mercury (planet)", "Arden, Merrow"); without it, it is a bare title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum
from itertools import groupby

from corpus.articles import EntityType
from corpus.backgrounds.base import Page, Query
from corpus.bylines import agree, all_agree
from corpus.lexicon import COMPANY_ENDINGS, word_set
from corpus.tokens import fold

_APART = re.compile(r"[\s_\-‐‑–—/,;:!?\"“”«»()\[\]]+")
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_QUALIFIER = re.compile(r"\s*\(([^()]*)\)$")
_ROMAN = {"2d": "ii", "2nd": "ii", "3d": "iii", "3rd": "iii"}
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", *_ROMAN})
_COMPANY_WORDS = COMPANY_ENDINGS | word_set("company corporation incorporated limited group sa ag nv se")
_PLACE_WORDS = word_set(
    "lake river mount mt mountain city town county province state republic island islands isle the of"
)
_MINOR_WORDS = {EntityType.ORGANIZATION: _COMPANY_WORDS, EntityType.LOCATION: _PLACE_WORDS}


class Match(IntEnum):
    """How a title names an entity, from not at all to fully."""

    NONE = 0
    LOOSE = 1  # only by an ambiguous name: a surname
    ALIAS = 2  # by another name of the entity or the page
    LONGER = 3  # the same name with more or fewer words ("Ida M. Lind", "Ida Marie Lind")
    QUALIFIED = 4  # by the bare title
    REDIRECT = 5  # the name redirects to a page with another title, whose first sentence contains the name
    TITLE = 6


def title_words(text: str) -> tuple[str, ...]:
    """Return the folded words of a title or name: "Núñez-Lind, A.B." → nunez, lind, a, b."""
    text = _INITIALS.sub(lambda match: match[0].replace(".", " "), text.replace("&", " and ").replace("’", "'"))
    return tuple(fold(bare) for word in _APART.sub(" ", text).split() if (bare := word.replace(".", "").strip("'")))


def title_key(title: str) -> str:
    """Return the key by which titles are looked up; it keeps a qualifier in parentheses separate."""
    bare, qualifier = split_qualifier(title)
    key = " ".join(_joined(title_words(bare))) or fold(bare)
    return f"{key} ({' '.join(_joined(title_words(qualifier)))})" if qualifier else key


def _joined(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words with runs of initials joined: "A. B. Lind" and "AB Lind" are the same name."""
    joined: list[str] = []
    for is_letter, group in groupby(words, key=lambda word: len(word) == 1):
        run = list(group)
        joined += ["".join(run)] if is_letter else run
    return tuple(joined)


def split_qualifier(title: str) -> tuple[str, str]:
    """Return the title without its qualifier in parentheses, and the qualifier ("" if there is none)."""
    title = title.strip()
    match = _QUALIFIER.search(title) if title.endswith(")") else None
    if match is None or not match.start():
        return title, ""
    return title[: match.start()].strip(), match[1].strip()


def bare_titles(title: str) -> list[str]:
    """Return the title without its qualifier in parentheses, and without that after a comma; [] if it has neither."""
    bare, qualifier = split_qualifier(title)
    head, comma, _ = bare.partition(",")
    titles = [bare] if qualifier else []
    return [*titles, head.strip()] if comma and head.strip() else titles


def match_title(query: Query, page: Page, first_sentence: str = "") -> Match:
    """Return the best way in which the page's title names the entity."""
    name = title_words(query.name)
    if not name:
        return Match.NONE
    if _same(query.type, name, title_words(page.title)):
        return Match.TITLE
    if page.redirected_from and _same(query.type, name, title_words(page.redirected_from)):
        if set(name) <= set(title_words(first_sentence)):
            return Match.REDIRECT
        return max(Match.ALIAS, _partial_match(query, name, page))
    return _partial_match(query, name, page)


def _partial_match(query: Query, name: tuple[str, ...], page: Page) -> Match:
    bare = [title_words(title) for title in bare_titles(page.title)]
    if any(_same(query.type, name, words) for words in bare):
        return Match.QUALIFIED
    titles = [title_words(page.title), *bare]
    if any(_is_longer(query.type, name, words) for words in titles) or _is_bare_name(query, page.title):
        return Match.LONGER
    if _by_alias(query, name, titles, page.aliases):
        return Match.ALIAS
    loose = {title_words(alias) for alias in query.loose}
    return Match.LOOSE if loose & set(titles) else Match.NONE


def _is_bare_name(query: Query, title: str) -> bool:
    """Return whether the title is the name without the name's own qualifier: "Arden" for "Arden, Merrow"."""
    return any(_same(query.type, title_words(bare), title_words(title)) for bare in bare_titles(query.name))


def _by_alias(query: Query, name: tuple[str, ...], titles: Iterable[tuple[str, ...]], aliases: Iterable[str]) -> bool:
    ours = {title_words(alias) for alias in query.strict} - {()}
    theirs = {title_words(alias) for alias in aliases} - {()}
    if name in theirs or ours & theirs or ours & set(titles):
        return True
    return _is_acronym(query.name) and any("".join(_initials(words)) == name[0] for words in titles)


def _same(type_: EntityType, name: tuple[str, ...], title: tuple[str, ...]) -> bool:
    """Return whether two names are the same, apart from an article, a company ending and the spelling of a suffix."""
    return _plain(type_, name) == _plain(type_, title)


def _plain(type_: EntityType, words: tuple[str, ...]) -> tuple[str, ...]:
    kept = list(words)
    if kept[0:1] == ["the"] and len(kept) > 1:
        del kept[0]
    while type_ is EntityType.ORGANIZATION and len(kept) > 1 and kept[-1] in _COMPANY_WORDS:
        del kept[-1]
    return _joined(_ROMAN.get(word, word) for word in kept)


def _is_longer(type_: EntityType, name: tuple[str, ...], title: tuple[str, ...]) -> bool:
    """Return whether the main words are the same: "Ulver" may be the title of "Lake Ulver", but not the reverse."""
    if type_ is EntityType.PERSON:
        return _is_same_person(name, title)
    minor = _MINOR_WORDS[type_]
    ours, theirs = ([word for word in words if word not in minor] for words in (name, title))
    return bool(ours) and ours == theirs and set(title) <= {*name, "the", "of"} | (minor - _PLACE_WORDS)


def _is_same_person(name: tuple[str, ...], title: tuple[str, ...]) -> bool:
    """Return whether first and last names agree and middle names and suffixes do not contradict each other."""
    (ours, our_suffix), (theirs, their_suffix) = _without_suffix(name), _without_suffix(title)
    if our_suffix and their_suffix and our_suffix != their_suffix:
        return False
    if len(ours) < 2 or len(theirs) < 2 or ours[-1] != theirs[-1] or not agree(ours[0], theirs[0]):
        return False
    if len(ours[0]) == 1 and len(ours) == 2:  # "A. Lind" may be anybody
        return False
    return all_agree(ours[1:-1], theirs[1:-1])


def _without_suffix(words: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    if len(words) > 2 and words[-1] in _SUFFIXES:
        return words[:-1], _ROMAN.get(words[-1], words[-1])
    return words, ""


def _is_acronym(name: str) -> bool:
    letters = name.replace(".", "")
    return 2 <= len(letters) <= 6 and letters.isalpha() and letters.isupper()


def _initials(words: tuple[str, ...]) -> list[str]:
    return [word[0] for word in words if word not in {"of", "the", "and", "for", "de"}]
