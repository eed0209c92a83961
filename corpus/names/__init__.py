"""Index names: "Bush, George W (Pres)" becomes "George W. Bush", with the other names a text may use for him."""

from __future__ import annotations

import re
from functools import lru_cache

from corpus.articles import EntityType
from corpus.names.casing import is_shouted, titled
from corpus.names.locations import read_location
from corpus.names.organizations import read_organization
from corpus.names.persons import read_person
from corpus.names.values import Name, clean, split_brackets

__all__ = ["Name", "parse_name"]

READERS = {
    EntityType.PERSON: read_person,
    EntityType.LOCATION: read_location,
    EntityType.ORGANIZATION: read_organization,
}
SMALL_WORD = re.compile(r"(?<!\w)[^\W\d_]")
LONGEST = 300  # characters; no index name is nearly as long, and a text tagged by mistake must not take minutes


@lru_cache(maxsize=2**14)
def parse_name(text: str, type: EntityType) -> Name:
    """Return an index name as a Name. Any text gives one; `canonical` is empty if the text contains no name.

    Parsing a canonical name again returns the same name.
    """
    text = clean(text)[:LONGEST]
    outside, groups = split_brackets(text)
    if is_shouted(text):  # otherwise capitals in a group are intended: "(NYSE)"
        groups = tuple(map(titled, groups))
    name = READERS[type](_with_capitals(outside, type), groups)
    if _is_small(name.canonical):  # only a title had capitals: "REV tove lind"
        name = READERS[type](_with_capitals(name.canonical, type), name.information)
    return name


def _with_capitals(text: str, type: EntityType) -> str:
    """Return a lower-case text with the capitals of a name; any other text unchanged."""
    if not _is_small(text):
        return text
    shouted = text.replace(",", ", ").upper()
    return shouted if type is EntityType.PERSON else titled(shouted)


def _is_small(text: str) -> bool:
    return text.islower() and SMALL_WORD.search(text) is not None
