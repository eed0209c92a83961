"""Index names that list several people: "Hale, Walter and Ida", "Sacco, Nicola and Vanzetti, Bartolomeo"."""

from __future__ import annotations

import re
from functools import lru_cache

from corpus.articles import EntityType
from corpus.folding import fold
from corpus.lexicon import word_set
from corpus.names.persons import SUFFIXES, TITLES
from corpus.names.values import clean, split_brackets, split_commas

AND = re.compile(r"\s*\band\b\s*", re.IGNORECASE)
SEMICOLON = re.compile(r";\s*(?![^()]*\))")  # none inside brackets
NOT_GIVEN = TITLES | frozenset(SUFFIXES) | word_set("mr mrs ms miss family brothers sisters sons of the")


@lru_cache(maxsize=2**12)
def split_names(text: str, type: EntityType) -> tuple[str, ...]:
    """Return the single index names that an index name consists of."""
    if ";" in text:
        pieces = tuple(piece.strip() for piece in SEMICOLON.split(text) if any(map(str.isalnum, piece)))
        if len(pieces) > 1:
            return tuple(name for piece in pieces for name in split_names(piece, type))
    if type is not EntityType.PERSON or not AND.search(text):
        return (text,)
    outside, groups = split_brackets(clean(text))
    people = _people(split_commas(outside))
    return tuple(people) if len(people) > 1 and not groups else (text,)


def _people(parts: list[str]) -> list[str]:
    """Return the people in a list; one item or none if it is not a list of people."""
    if len(parts) == 1:
        return _in_order(parts[0])
    surname, *rest = parts
    people: list[str] = []
    while rest:
        given_names, *rest = rest
        left, *others = AND.split(given_names)
        people += [f"{surname}, {left}"] if left else []
        for number, other in enumerate(others):
            is_last = number == len(others) - 1
            if is_last and rest and len(rest[0].split()) <= 2 and len(other.split()) == 1:
                surname, people = other, [*people, f"{other}, {rest.pop(0)}"]  # "and Vanzetti, Bartolomeo"
            else:
                people.append(other if _is_full(other) else f"{surname}, {other}")
    return people if all(map(_is_somebody, people)) else []


def _in_order(text: str) -> list[str]:
    """Return "Walter Hale" and "Ida Hale" for "Walter and Ida Hale"."""
    left, *others = AND.split(text)
    if len(others) != 1 or not left or not _is_full(others[0]):
        return [text]
    people = [left if _is_full(left) else f"{left} {others[0].split()[-1]}", others[0]]
    return people if all(map(_is_somebody, people)) else [text]


def _is_full(name: str) -> bool:
    """Return whether a name has at least two words that are not initials."""
    return sum(len(word.rstrip(".")) > 1 for word in name.split()) > 1


def _is_somebody(name: str) -> bool:
    words = fold(name.replace(",", " ")).split()
    return 1 < len(words) <= 5 and NOT_GIVEN.isdisjoint(words) and not any(map(str.isdigit, name))
