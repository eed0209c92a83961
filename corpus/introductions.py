"""Acronyms that an article introduces.

After "the Arden Food Council (AFC)", both "AFC" and "A.F.C." mention the council in this article. Without brackets, the
exact initials of a name that stands before them do, if they are three letters or more and fit no other entity.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from corpus.articles import EntityType
from corpus.folding import fold
from corpus.name_tree import Named
from corpus.names.casing import SMALL_WORDS

_ACRONYM = r"[A-Z](?:\.?&?[A-Z]){1,5}\.?"
_BEHIND = re.compile(rf"(?: \((?:the |or )?|, or (?:the )?|, known as (?:the )?)({_ACRONYM})(?=[),;.])")
_BEFORE = re.compile(rf"\b({_ACRONYM}) \((?:the )?([^()]{{5,100}})\)")
_FOLLOWING = re.compile(r"\b(?:[A-Z]\.){2,5}[A-Z]\b\.?|\b[A-Z]{3,6}\b(?!\.[A-Z])")
_LONGEST = 100  # characters of a name


def with_acronyms(named: Iterable[Named], paragraphs: Sequence[str]) -> tuple[Named, ...]:
    """Return the entities, with their acronyms as aliases if the paragraphs introduce them."""
    introduced = [pair for text in paragraphs for pair in _introduced(text)]
    explained = [_with_own(entity, introduced) for entity in named]
    whole = "\n".join(paragraphs)
    last = {match[0].replace(".", ""): match.start() for match in _FOLLOWING.finditer(whole)}
    for acronym, _ in introduced:
        last.pop(acronym.replace(".", ""), None)
    return _with_following(explained, whole, last) if last else tuple(explained)


def _introduced(text: str) -> Iterator[tuple[str, str]]:
    """Yield each acronym with the text it may stand for: the text before it, or in brackets after it."""
    if " (" not in text and ", or " not in text and ", known as " not in text:
        return
    for match in _BEHIND.finditer(text):
        yield match[1], text[max(0, match.start() - _LONGEST) : match.start()]
    for match in _BEFORE.finditer(text):
        yield match[1], match[2]


def _with_own(entity: Named, introduced: Sequence[tuple[str, str]]) -> Named:
    if not introduced or entity.type is EntityType.PERSON:
        return entity
    names = [name for name in (entity.canonical, *entity.strict) if " " in name]
    known = {fold(name) for name in (entity.canonical, *entity.strict)}
    own = {
        letters
        for acronym, text in introduced
        for name in names
        if fold(letters := acronym.replace(".", "")) not in known and _ends_with(text, name) and _fits(letters, name)
    }
    return replace(entity, strict=(*entity.strict, *sorted(own))) if own else entity


def _with_following(named: Sequence[Named], text: str, last: Mapping[str, int]) -> tuple[Named, ...]:
    """Return the entities with the acronyms that follow their name; `last` is where each acronym occurs last."""
    taken = {fold(name) for entity in named for name in (entity.canonical, *entity.strict)}
    free = {letters: place for letters, place in last.items() if fold(letters) not in taken}
    own = [{letters for name in _long_names(entity) if (letters := _initials(name)) in free} for entity in named]
    fitting, explained = Counter(chain.from_iterable(own)), list[Named]()
    for entity, fits in zip(named, own, strict=True):
        added = [some for some in sorted(fits) if fitting[some] == 1 and _precedes(entity, text, free[some])]
        explained.append(replace(entity, strict=(*entity.strict, *added)) if added else entity)
    return tuple(explained)


def _long_names(entity: Named) -> Iterator[str]:
    if entity.type is not EntityType.PERSON:
        yield from (name for name in (entity.canonical, *entity.strict) if name.count(" ") > 1)


def _initials(name: str) -> str:
    words = [word for word in re.findall(r"\w+", name) if word.lower() not in SMALL_WORDS]
    return "".join(word[0] for word in words).upper()


def _precedes(entity: Named, text: str, place: int) -> bool:
    return any(0 <= text.find(name) < place for name in (entity.canonical, *entity.strict))


def _ends_with(text: str, name: str) -> bool:
    return f" {fold(text)}".endswith(f" {fold(name)}")


def _fits(letters: str, name: str) -> bool:
    """Return whether an acronym fits a name: two letters must be its initials, more may be any letters in order."""
    words = [word for word in re.findall(r"\w+", fold(name)) if word not in SMALL_WORDS]
    wanted = re.sub(r"\W", "", letters).lower()
    if not words or wanted[0] != words[0][0]:
        return False
    if len(wanted) < 3:
        return wanted == "".join(word[0] for word in words)
    rest = iter("".join(words))
    return all(letter in rest for letter in wanted)
