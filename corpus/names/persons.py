"""Index names of people: surname, comma, given names, and a suffix and a title in various places.

BUSH, GEORGE W (PRES)           George W. Bush
APPLE, R W JR                   R. W. Apple Jr.
BUTTS, CALVIN O 3D (REV)        Calvin O. Butts III
GAULLE, CHARLES DE              Charles de Gaulle
NAPOLEON I                      Napoleon I
"""

from __future__ import annotations

import re

from corpus.folding import fold
from corpus.lexicon import word_set
from corpus.names.casing import is_shouted, titled
from corpus.names.person_aliases import GROUPS, NUMERAL, ROYAL, Person, name_group, name_person
from corpus.names.person_casing import PARTICLES, case_person, case_stray_capitals
from corpus.names.values import Name, split_commas

# How a suffix is printed, then how else a text may print it. "V" is missing because it may be an initial.
PRINTED_SUFFIXES = (("Jr.",), ("Sr.",), ("II", "2d", "2nd"), ("III", "3d", "3rd"), ("IV", "4th"))
SUFFIXES = {form.lower().rstrip("."): forms for forms in PRINTED_SUFFIXES for form in forms}

# Titles and degrees that an index writes among the given names; they are not part of the name. Words that are also
# names (Dean, Major, Judge) are missing, and so is Mrs: Mrs. John Smith is not John Smith.
TITLES = word_set(
    "dr rev sen gov gen col lt capt cmdr adm sgt prof sir dame pres repr rep msgr atty amb dds phd esq cpa"
)
NOT_INITIALS = frozenset("IVX")  # as the last word: Napoleon I, Henry V, Malcolm X
DOTTED = {"St": "St.", "Mrs": "Mrs.", "Mr": "Mr.", "Dr": "Dr."}
GLUED = frozenset({"al", "el"})  # written with a hyphen: Bashar al-Assad
NICKNAME = re.compile(r"\"([^\"]*)\"|``(.*?)''|(?<![\w'])'(\w[^',]*[\w.])'(?![\w'])")
GIVEN_IN_QUOTES = re.compile(r"(?:^|,)\s*(?:\"|``|')")
QUOTE = re.compile(r"\"|``|(?<![\w'])'\w")
TO_SPACES = str.maketrans(".;:", "   ")
NO_WORD = re.compile(r"(?<![^\s,])[^\w\s,&]+(?![^\s,])")

Words = tuple[str, ...]


def read_person(outside: str, groups: tuple[str, ...]) -> Name:
    """Return the Name of a person from the text outside the brackets and the groups inside."""
    rest, nicknames = _take_nicknames(outside)
    quoted = {group: _take_nicknames(group)[1] for group in groups}
    nicknames += [nickname for own in quoted.values() for nickname in own]
    groups = tuple(group for group in groups if not quoted[group])
    if "&" in rest:  # "Crosby, Stills & Nash" is not a surname with given names
        return name_group(titled(" ".join(rest.split())), (*groups, *nicknames))
    parts = [tuple(part.split()) for part in split_commas(NO_WORD.sub(" ", rest.translate(TO_SPACES)))]
    suffix, parts = _take_suffix(parts)
    parts, asides = _take_asides(parts, suffix)
    parts, titles = _take_titles(parts)
    parts, asides = _case_parts(_said_once(parts), [*titles, *asides])
    if nicknames and len(parts) == 1 and len(parts[0]) == 1 and GIVEN_IN_QUOTES.search(outside):
        return read_person(f"{parts[0][0]}, {nicknames[0]}", groups)  # 'Ruth, "Babe"' has no other given name
    return name_person(_arrange(parts, suffix), nicknames, (*asides, *groups))


def _take_nicknames(text: str) -> tuple[str, list[str]]:
    """Return the text without the parts in quotes, and those parts."""
    if not QUOTE.search(text):
        return text, []
    nicknames = [" ".join(NO_WORD.sub(" ", "".join(quoted)).split()) for quoted in NICKNAME.findall(text)]
    rest = NICKNAME.sub(" ", text).replace('"', " ").replace("``", " ")
    shouted = is_shouted(rest)
    return rest, [titled(nickname) if shouted else nickname for nickname in nicknames if nickname]


def _take_suffix(parts: list[Words]) -> tuple[Words, list[Words]]:
    """Return the first suffix, and the parts without suffixes; the first word of a name without a comma is not one."""
    first = 1 if len(parts) == 1 else 0
    taken = [word for part in parts for word in part[first:] if word.lower() in SUFFIXES]
    if not taken:
        return (), parts
    kept = (part[:first] + tuple(word for word in part[first:] if word.lower() not in SUFFIXES) for part in parts)
    rest = list(filter(None, kept))
    return (SUFFIXES[taken[0].lower()], rest) if rest else ((), [(taken[0],)])


def _take_asides(parts: list[Words], suffix: Words) -> tuple[list[Words], list[str]]:
    """Return the surname and given names, and the other parts after a comma as texts."""
    if len(parts) < 2:
        return parts, []
    numbered = _is_royal_title(parts[1]) and (suffix or NUMERAL.fullmatch(parts[0][-1]))  # Elizabeth II needs no title
    kept = [] if numbered else [part for part in parts[1:] if not _is_aside(part)][:1]
    return parts[:1] + kept, [" ".join(part) for part in parts[1:] if part not in kept]


def _is_aside(part: Words) -> bool:
    """Return whether a part consists of titles and degrees ("M D"), or is "Special to ..." from a byline."""
    words = tuple(map(fold, part))
    return TITLES.issuperset(words) or words[:2] == ("special", "to") or "".join(words) in {"md", "phd"}


def _take_titles(parts: list[Words]) -> tuple[list[Words], Words]:
    """Return the parts without the titles around the given names, and the titles; at least two words are left."""
    if not parts:
        return parts, ()
    *surname, given_names = parts
    end = len(given_names)
    while surname and end > 1 and fold(given_names[end - 1]) in TITLES:
        end -= 1
    start, least = 0, 2 - len(surname)
    while end - start > least and fold(given_names[start]) in TITLES:
        start += 1
    return [*surname, given_names[start:end]], given_names[:start] + given_names[end:]


def _said_once(parts: list[Words]) -> list[Words]:
    """Return "AYRES, B DRUMMOND AYRES" without the second surname."""
    if len(parts) < 2 or len(parts[0]) >= len(parts[1]):
        return parts
    surname, given_names = parts
    kept, last = given_names[: -len(surname)], given_names[-len(surname) :]
    return [surname, kept] if fold(" ".join(last)) == fold(" ".join(surname)) else parts


def _case_parts(parts: list[Words], asides: list[str]) -> tuple[list[Words], list[str]]:
    if not is_shouted(" ".join(word for part in parts for word in part)):
        return [case_stray_capitals(part) for part in parts], asides
    cased = [case_person(part, leads=len(parts) > 1, ends=True) for part in parts[:1]]
    return cased + [case_person(part) for part in parts[1:]], [titled(aside) for aside in asides]


def _arrange(parts: list[Words], suffix: Words) -> Person:
    """Return the name in natural order."""
    if len(parts) < 2:
        return _in_order(parts[0] if parts else (), suffix)
    surname, given_names = parts
    if GROUPS.issuperset(map(fold, given_names)):  # "Corvo, Family"
        return _in_order(surname + given_names, suffix)
    if not _is_royal_title(given_names):
        return _inverted(surname, given_names, suffix)
    return Person((), surname, tail=" ".join(given_names))


def _is_royal_title(words: Words) -> bool:
    return fold(words[0]) in ROYAL and "of" in map(fold, words[1:-1])


def _in_order(words: Words, suffix: Words) -> Person:
    """Return a name that had no comma: its surname is the last word with the particles before it."""
    start = max(len(words) - 1, 0)
    while start > 1 and _is_particle(words[start - 1]):
        start -= 1
    given_names, surname = _dot_given(words[:start], words[start:]), _dot_surname(words[start:])
    return Person(given_names, surname, suffix, particles=max(len(surname) - 1, 0))


def _inverted(surname: Words, given_names: Words, suffix: Words) -> Person:
    """Return "surname, given" in natural order; a trailing particle joins the surname."""
    start = len(given_names)
    while start > 1 and (_is_particle(given_names[start - 1]) or given_names[start - 1][-1] in "-'"):
        start -= 1
    given_names, particles = given_names[:start], given_names[start:]
    if particles and (particles[-1][-1] in "-'" or particles[-1] in GLUED):
        glue = "" if particles[-1][-1] in "-'" else "-"
        surname, particles = (f"{particles[-1]}{glue}{surname[0]}", *surname[1:]), particles[:-1]
    given_names, surname = _dot_given(given_names, particles + surname), _dot_surname(particles + surname)
    return Person(given_names, surname, suffix, particles=len(particles), inverted=True)


def _is_particle(word: str) -> bool:
    return word.lower() in PARTICLES and (len(word) > 1 or word.islower())  # "Ortega y Gasset", but "Henry E Hyde"


def dotted(word: str) -> str:
    """Return an initial or an abbreviation with its full stop, any other word unchanged."""
    return f"{word}." if len(word) == 1 and word.isupper() else DOTTED.get(word, word)


def _dot_given(given_names: Words, surname: Words) -> Words:
    """Return the given names with their full stops; U before a single name is an honorific: U Thant."""
    return given_names if given_names == ("U",) and len(surname) == 1 else tuple(map(dotted, given_names))


def _dot_surname(words: Words) -> Words:
    last = words[-1:]
    return tuple(map(dotted, words[:-1])) + (last if NOT_INITIALS.issuperset(last) else tuple(map(dotted, last)))
