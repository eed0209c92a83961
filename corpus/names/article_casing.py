"""The capitals of names, as the articles with these tags print them.

"MCEWAN, IAN" and "osaka" get the capitals that they have in the articles, and so do words of an index name that lack
the capitals inside: "Mcewan, Ian", "Thyssenkrupp", "Nasa". Nothing else in a tag with capitals of its own changes.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from corpus.articles import EntityType
from corpus.names.casing import SMALL_WORDS, is_shouted
from corpus.names.values import Name, build_name

MOST_PLACES = 20  # occurrences of a name that are examined in one article
LONGEST_ACRONYM = 6
AROUND = 30  # characters
EDGES = ".,;:'\""
WORD = re.compile(r"[^\s]+")
CAPITALS_INSIDE = re.compile(r"\b(?:[A-Z][a-z]+|[A-Z]['’])[A-Z][^\W\d_]+|\b[A-Z]{3,6}\b")


def is_careless(text: str) -> bool:
    """Return whether an index name is all upper or all lower case, so that its own capitals say nothing."""
    outside = text.partition("(")[0] or text
    return outside.islower() or is_shouted(outside)


@dataclass(frozen=True, slots=True)
class Text:
    """The text of an article, and the same in lower case, letter for letter."""

    printed: str
    small: str

    @classmethod
    def of(cls, paragraphs: Iterable[str]) -> Text:
        printed = "\n".join(paragraphs)
        small = printed.lower()
        return cls(printed, small) if len(small) == len(printed) else cls("", "")


def printed_forms(name: Name, text: Text, *, is_recognized: bool = False) -> list[str]:
    """Return how the text prints the name, once per occurrence; if there are none, how it prints the name's words.

    A recognized name was read in the text, so its capitals are an acronym even if it was taken for a person: "JFK".
    """
    whole = name.canonical.strip(EDGES)
    forms = list(_forms(whole, None if is_recognized else name.type, text))
    capital = [form for form in forms if not form.islower()]
    if forms or " " not in whole:
        return capital or forms
    words = (word.strip(EDGES) for word in whole.split())
    return [
        form
        for word in words
        if len(word) > 1 and word.lower() not in SMALL_WORDS
        for form in _forms(word, name.type, text)
        if not form.islower()
    ]


def capitals_inside(text: Text) -> dict[str, str]:
    """Return the words of a text that have capitals after the first letter, by the same word in lower case."""
    return {form.lower(): form for form in CAPITALS_INSIDE.findall(text.printed)}


def words_with_capitals_inside(name: Name, printed: Mapping[str, str], text: Text) -> list[str]:
    """Return the words to which the text mostly gives capitals inside and the name does not."""
    plain = {word for raw in name.canonical.split() if (word := raw.strip(EDGES))[1:].islower() and word[0].isupper()}
    return [
        form
        for word in sorted(plain)
        if (form := printed.get(word.lower()))
        and text.printed.count(form) > text.printed.count(word)
        and (not form.isupper() or any(form == own for own in _forms(word, name.type, text)))
    ]


def _forms(wanted: str, type: EntityType | None, text: Text) -> Iterator[str]:
    for start in _places(wanted.lower(), text.small):
        form = text.printed[start : start + len(wanted)]
        if form.isupper():
            is_name = type is not EntityType.PERSON and _is_acronym(form, start, text)
        else:
            is_name = not form.islower() or (" " in form and type is EntityType.PERSON)
        if is_name:
            yield form


def _places(wanted: str, text: str) -> Iterator[int]:
    """Yield the positions at which the wanted text occurs as whole words."""
    start, count = text.find(wanted), 0
    while wanted and start >= 0 and count < MOST_PLACES:
        end = start + len(wanted)
        if not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum():
            count += 1
            yield start
        start = text.find(wanted, end)


def _is_acronym(form: str, start: int, text: Text) -> bool:
    """Return whether a word in capitals is an acronym: short, among lower-case words, and not part of a dateline."""
    opens_paragraph = start == 0 or text.printed[start - 1] == "\n"
    if sum(map(str.isalpha, form)) > LONGEST_ACRONYM or " " in form or (opens_paragraph and form.isalpha()):
        return False
    end = start + len(form)
    around = text.printed[max(0, start - AROUND) : start] + text.printed[end : end + AROUND]
    return any(map(str.islower, around))


def recased(name: Name, forms: Mapping[str, int]) -> Name:
    """Return the name with the most frequent capitals of each of its words in these forms."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for form, count in forms.items():
        for word in form.split():
            votes[word.strip(EDGES).lower()][word.strip(EDGES)] += count
    best = {small: max(seen, key=lambda word: (seen[word], word)) for small, seen in votes.items()}

    def cased(text: str) -> str:
        return WORD.sub(lambda match: _cased_word(match[0], best), text)

    return build_name(
        cased(name.canonical),
        name.type,
        strict=map(cased, name.strict),
        loose=map(cased, name.loose),
        information=name.information,
        family=name.family,
        detail=name.detail,
    )


def _cased_word(word: str, best: Mapping[str, str]) -> str:
    core = word.strip(EDGES)
    return word.replace(core, best.get(core.lower(), core)) if core else word
