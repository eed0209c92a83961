"""Where a text names its entities.

Names are looked up word by word in a tree of all aliases. The longest match wins, so that "Arden" is not mentioned by
"Arden Times" where the paper is an entity too. An alias belongs to the one entity that bears it, a canonical name
before a strict alias before a loose one; where two bear it alike it names neither. A surname counts alone or behind a
title, but not as part of a longer name ("Ida Lind", "Lind Street"). The title and a possessive 's stay outside.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import TypeAlias

from corpus.articles import EntityType
from corpus.lexicon import DAYS, MONTHS, OPENERS, THINGS, TITLES
from corpus.sentences import Sentence
from corpus.tokens import Tokens, fold, tokenize

_ACRONYM_LENGTH = 5  # a name of so many capitals is matched in capitals only: "US" is not "us"
_MAY_FOLLOW_SURNAME = OPENERS | DAYS | MONTHS
_MAY_PRECEDE_SURNAME = _MAY_FOLLOW_SURNAME | TITLES


class Form(StrEnum):
    """How a mention names its entity, from sure to less sure. Values are stored: never rename one."""

    NAME = "name"
    ALIAS = "alias"
    TITLED = "titled"
    LOOSE = "loose"


_RANK = {form: rank for rank, form in enumerate(Form)}


@dataclass(frozen=True, slots=True)
class Named:
    """An entity as a text may name it; `key` is its identity, `loose` holds what is ambiguous by nature (surnames)."""

    key: str
    type: EntityType
    canonical: str
    strict: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of a sentence that names an entity; start and end count in the paragraph's text."""

    entity: str
    form: Form
    sentence: int
    paragraph: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Alias:
    entity: str | None  # None: more than one bears it, so it names nobody, but hides the shorter names inside
    form: Form
    is_surname: bool
    words: tuple[str, ...]  # as written, for their capitals


@dataclass(slots=True)
class NameIndex:
    """One node of the tree of aliases; the root is the index of an article's entities."""

    children: dict[str, NameIndex] = field(default_factory=dict)
    alias: _Alias | None = None
    titled: _Alias | None = None  # holds behind a title


_Bearer: TypeAlias = tuple[Form, Named, tuple[str, ...]]
_Match: TypeAlias = tuple[int, int, _Alias]


def build_index(named: Iterable[Named]) -> NameIndex:
    """Return the tree of all aliases; each holds the one entity it stands for."""
    bearers: dict[tuple[str, ...], list[_Bearer]] = defaultdict(list)
    for entity in named:
        for form, text in _aliases(entity):
            for keys, words in _spellings(text):
                bearers[keys].append((form, entity, words))
    root = NameIndex()
    for keys, found in bearers.items():
        node = root
        for key in keys:
            node = node.children.setdefault(key, NameIndex())
        node.alias, node.titled = _owner(found), _titled_owner(found)
    return root


def find_mentions(index: NameIndex, paragraphs: Sequence[str], sentences: Iterable[Sentence]) -> tuple[Mention, ...]:
    """Return the mentions in text order; they do not overlap."""
    mentions: list[Mention] = []
    for number, sentence in enumerate(sentences):
        tokens = tokenize(paragraphs[sentence.paragraph], sentence.start, sentence.end)
        for start, end, alias in _longest(list(_matches(index, tokens))):
            if alias.entity is not None:
                mentions.append(Mention(alias.entity, alias.form, number, sentence.paragraph, start, end))
    return tuple(mentions)


def _aliases(entity: Named) -> Iterator[tuple[Form, str]]:
    yield Form.NAME, entity.canonical
    yield from ((Form.ALIAS, alias) for alias in entity.strict)
    yield from ((Form.LOOSE, alias) for alias in entity.loose)


def _spellings(text: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield keys and words of an alias: as written, with its initials run together, with its acronyms spelled out."""
    tokens = tokenize(text)
    words = tuple(map(tokens.raw, range(len(tokens.keys))))
    if words:
        yield tuple(tokens.keys), words
    if not any(len(word) <= 2 or word.isupper() for word in words):
        return
    joined: list[str] = []
    for are_initials, group in groupby(words, key=_is_initial):
        run = list(group)
        joined += ["".join(word[0] for word in run)] if are_initials else run
    spelled = [piece for word in words for piece in (word if _is_acronym(word) else (word,))]
    for variant in {tuple(joined), tuple(spelled)} - {words}:
        yield tuple(map(_key, variant)), variant


def _is_initial(word: str) -> bool:
    return word[0].isupper() and len(word.rstrip(".")) == 1


def _is_acronym(word: str) -> bool:
    return 1 < len(word) <= _ACRONYM_LENGTH and word.isupper() and word.isalpha()


def _key(word: str) -> str:
    return fold(word[:-1] if word[-1] == "." and len(word) > 1 else word)


def _owner(found: Sequence[_Bearer]) -> _Alias:
    best = min((form for form, _, _ in found), key=_RANK.__getitem__)
    holders = {entity.key: (entity, words) for form, entity, words in found if form is best}
    entity, words = next(iter(holders.values()))
    is_surname = best is Form.LOOSE and entity.type is EntityType.PERSON
    return _Alias(entity.key if len(holders) == 1 else None, best, is_surname, words)


def _titled_owner(found: Sequence[_Bearer]) -> _Alias | None:
    """Return the only person who bears this surname, whatever places and companies bear it too."""
    people = {entity.key: (form, words) for form, entity, words in found if entity.type is EntityType.PERSON}
    if len(people) != 1:
        return None
    ((key, (form, words)),) = people.items()
    return _Alias(key, Form.TITLED, True, words) if form is Form.LOOSE else None


def _longest(matches: list[_Match]) -> list[_Match]:
    """Return the matches without those that overlap a longer one (or, as long, an earlier one), in text order."""
    if len(matches) < 2:
        return matches
    kept: list[_Match] = []
    for match in sorted(matches, key=lambda match: (match[0] - match[1], match[0])):
        place = bisect_left(kept, match[0], key=lambda other: other[0])
        ends_in_time = place == 0 or kept[place - 1][1] <= match[0]
        if ends_in_time and (place == len(kept) or match[1] <= kept[place][0]):
            kept.insert(place, match)
    return kept


def _matches(index: NameIndex, tokens: Tokens) -> Iterator[_Match]:
    """Yield the longest match that begins at each token."""
    for first, key in enumerate(tokens.keys):
        node = index.children.get(key)
        if node is not None:
            found = _match_from(first, node, tokens)
            if found is not None:
                last, alias = found
                yield tokens.starts[first], tokens.ends[last], alias


def _match_from(first: int, node: NameIndex, tokens: Tokens) -> tuple[int, _Alias] | None:
    found, last = None, first
    while True:
        alias = node.titled if node.titled and _has_title(tokens, first) else node.alias
        if alias and _has_capitals(tokens, first, alias.words) and _stands_alone(tokens, first, last, alias):
            found = last, alias
        last += 1
        following = node.children.get(tokens.keys[last]) if last < len(tokens.keys) else None
        if following is None:
            return found
        node = following


def _has_title(tokens: Tokens, first: int) -> bool:
    return first > 0 and tokens.keys[first - 1] in TITLES and tokens.raw(first - 1)[0].isupper()


def _has_capitals(tokens: Tokens, first: int, words: tuple[str, ...]) -> bool:
    """Tell whether the text has a capital wherever the alias has one, and an acronym all of them."""
    for number, word in enumerate(words, first):
        written = tokens.raw(number)
        if word[0].isupper() and not (written.isupper() if _is_acronym(word) else written[0].isupper()):
            return False
    return True


def _stands_alone(tokens: Tokens, first: int, last: int, alias: _Alias) -> bool:
    """Tell whether no capital word beside the match makes it part of a longer name."""
    after = _name_beside(tokens, last + 1, step=1)
    if after in THINGS:
        return False
    if not alias.is_surname:
        return True
    before = _name_beside(tokens, first - 1, step=-1)
    return (not before or before in _MAY_PRECEDE_SURNAME) and (not after or after in _MAY_FOLLOW_SURNAME)


def _name_beside(tokens: Tokens, number: int, step: int) -> str:
    """Return the key of the capital word there, also of one behind a hyphen or an ampersand; "" if there is none."""
    count = len(tokens.keys)
    if 0 <= number < count and (tokens.keys[number] == "&" or _is_hyphen(tokens, number)):
        number += step
    return tokens.keys[number] if 0 <= number < count and tokens.raw(number)[0].isupper() else ""


def _is_hyphen(tokens: Tokens, number: int) -> bool:
    around = tokens.text[tokens.starts[number] - 1 : tokens.ends[number] + 1]
    return len(around) == 3 and around[1] == "-" and around[0].isalnum() and around[2].isalnum()
