"""The parts of a person's name, and the names a text may use for that person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from corpus.articles import EntityType
from corpus.folding import fold
from corpus.lexicon import word_set
from corpus.names.person_casing import GLUED_ON
from corpus.names.values import Name, build_name

# Titles of people without a surname: "Charles, Prince of Wales", "John Paul II (Pope)".
ROYAL = word_set(
    "king queen prince princess emperor empress pope duke duchess earl count countess baron baroness "
    "czar czarina tsar shah sultan emir archduke patriarch saint"
)
NUMERAL = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
# Surnames that come first in Chinese, Korean and Vietnamese names, which have no comma in an index.
FIRST_SURNAMES = word_set(
    "mao deng hu jiang zhu wen xi zhou chiang chen wang zhang liu yang zhao huang sun ma zeng li lin lee wu xu "
    "kim roh park chun rhee ban moon yoon ho ngo nguyen tran pham vo"
)
# Several people with one name: "Family" in "Corvo Crime Family" is not a surname.
GROUPS = word_set("family families brothers sisters clan dynasty gang people peoples")
NO_SURNAME_AFTER = frozenset({"of", "the", "in"})  # Anna of Arden, Anna the Great
BETWEEN = frozenset({"crime", "royal"})  # may be left out: "the Corvo family"
MOST_WORDS = 8  # a longer name is a list or a sentence and gets no aliases


@dataclass(frozen=True, slots=True)
class Person:
    """A person's name in natural order; initials have a full stop."""

    given_names: tuple[str, ...]
    surname: tuple[str, ...]  # contains the only word of a single name
    suffix: tuple[str, ...] = ()  # as printed, then its other spellings
    tail: str = ""  # the part after a comma that belongs to the name: "Prince of Wales"
    particles: int = 0  # number of words at the start of the surname that an index may leave out
    inverted: bool = False  # the index shows which words are the surname

    def text(self) -> str:
        """Return the canonical name."""
        ends = f", {self.tail}" if self.tail else ""
        return " ".join(self.given_names + self.surname + self.suffix[:1]) + ends


def name_person(person: Person, nicknames: list[str], information: tuple[str, ...]) -> Name:
    """Return the Name with its aliases; a nickname may replace the given names."""
    words = person.given_names + person.surname
    if len(words) > MOST_WORDS:
        return build_name(person.text(), EntityType.PERSON, information=information, family=fold(person.text()))
    if not person.inverted and len(words) > 1 and fold(words[-1]) in GROUPS:
        return name_group(person.text(), (*information, *nicknames))
    if not person.inverted and _has_no_surname(person, words, information):
        return _name_without_surname(person, words, information)
    surname = " ".join(person.surname)
    strict = {
        f"{given_name} {surname}" for given_name in (*_given_variants(person.given_names), *nicknames) if given_name
    }
    loose = {alias for alias in (*_surnames(person), *_first_surname(person)) if len(alias.rstrip(".")) > 1}
    loose |= {f"{word} {surname}" for word in person.given_names[1:] if not _is_initial(word)}
    strict |= {f"{alias} {suffix}" for alias in strict for suffix in person.suffix}
    loose |= {f"{alias} {suffix}" for alias in loose for suffix in person.suffix}
    family, detail = _family(person)
    return build_name(
        person.text(),
        EntityType.PERSON,
        strict=strict,
        loose=loose,
        information=(*information, *nicknames),
        family=family,
        detail=detail,
    )


def name_group(text: str, information: tuple[str, ...]) -> Name:
    """Return the Name of several people who are named together; it contains no surname."""
    *words, last = text.split() or [""]
    short = " ".join((*(word for word in words if fold(word) not in BETWEEN), last))
    strict = {short} if fold(last) in GROUPS and words and " " in short else set()
    return build_name(text, EntityType.PERSON, strict=strict, information=information, family=fold(text))


def _has_no_surname(person: Person, words: tuple[str, ...], information: tuple[str, ...]) -> bool:
    """Return whether this is a single name, the name and number of a ruler, or a name with a title after the comma."""
    if len(words) < 2 or person.tail or NUMERAL.fullmatch(words[-1]) or words[-1].islower():
        return True
    if not NO_SURNAME_AFTER.isdisjoint(words[1:-1]):
        return True
    return any(fold(word) in ROYAL for group in information for word in group.split())


def _name_without_surname(person: Person, words: tuple[str, ...], information: tuple[str, ...]) -> Name:
    """Return the Name of a ruler, a saint or a single name: a family of its own, with the bare name as an alias."""
    if len(words) > 1 and NUMERAL.fullmatch(words[-1]):
        words = words[:-1]
    else:
        ends = (at for at, word in enumerate(words) if at and word in NO_SURNAME_AFTER)
        words = words[: next(ends, len(words))]
    bare = " ".join(words)
    strict = {bare} if len(words) > 1 else set()
    if person.tail:
        strict |= {person.tail, f"{person.tail.split()[0]} {bare}"}
    name = person.text()
    return build_name(name, EntityType.PERSON, strict=strict, loose={bare}, information=information, family=fold(name))


def _is_initial(word: str) -> bool:
    return word[1:] == "."


def _given_variants(given_names: tuple[str, ...]) -> Iterator[str]:
    """Yield the forms in which a text may shorten the given names."""
    yield " ".join(given_names)
    if len(given_names) < 2 or given_names[0] == "Mrs.":  # Mrs. John Smith is not John Smith
        return
    full = [word for word in given_names if not _is_initial(word)]
    yield " ".join(full)
    yield full[0] if full else ""
    yield " ".join(
        (given_names[0], *(f"{word[0].upper()}." if word[0].isalpha() else word for word in given_names[1:]))
    )


def _surnames(person: Person) -> Iterator[str]:
    """Yield the surname, without its particles, and its last word: "Garcia Marquez", "Marquez"."""
    yield " ".join(person.surname)
    yield " ".join(person.surname[person.particles :])
    if person.surname[-2:-1] != ("St.",):
        yield person.surname[-1]
        yield GLUED_ON.sub("", person.surname[-1])


def _first_surname(person: Person) -> tuple[str, ...]:
    """Return the first word where it may be the surname: "Mao Zedong"."""
    first = person.given_names[:1]
    return first if first and not person.inverted and first[0].lower() in FIRST_SURNAMES else ()


def _family(person: Person) -> tuple[str, tuple[str, ...]]:
    """Return first name, surname and suffix as one text, and the middle names as detail."""
    if not person.given_names or _first_surname(person):
        return fold(person.text()), ()
    suffix = person.suffix[0] if person.suffix else ""
    family = (fold(person.given_names[0]), fold(" ".join(person.surname)), fold(suffix))
    return "|".join(family), tuple(map(fold, person.given_names[1:]))
