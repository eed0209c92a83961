"""Phrases for several entities: "A, B and C", "the three people"."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.articles import EntityType

NUMERALS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
PLURALS = {EntityType.PERSON: "people", EntityType.LOCATION: "areas", EntityType.ORGANIZATION: "organizations"}


def entities_phrase(names: Sequence[str]) -> str:
    """Return the names as a sentence lists them: "A", "A and B", "A, B and C"."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def generic_phrase(type_: str, number: int) -> str:
    """Return the phrase that an annotator replaces: "the three people"."""
    return f"the {NUMERALS.get(number, number)} {PLURALS[EntityType(type_)]}"


def prompt(type_: str, names: Sequence[str]) -> str:
    """Return the beginning of the text that an annotator completes."""
    generic = generic_phrase(type_, len(names))
    return f"In this article, {entities_phrase(names)} are discussed. {generic[0].upper()}{generic[1:]} …"
