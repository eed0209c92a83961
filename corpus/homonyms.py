"""Locations that share a name: only the brackets distinguish Rochester (NY) from Rochester (Minn).

The *handle* of an index name is its folded canonical name, with the place in its brackets: "rochester (minnesota)". If
a corpus knows only one place of a name, all handles of the name are one entity. If it knows several, each is an entity,
and the bare name belongs to none of them. Titles and kinds in brackets ("Pres", "County") do not count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from corpus.articles import EntityType, Tag
from corpus.folding import fold
from corpus.names import Name, parse_name
from corpus.names.locations import ABBREVIATED_PLACES
from corpus.names.values import split_commas

COUNTRIES = (
    "Argentina, Australia, Austria, Belgium, Brazil, Bulgaria, Canada, Chile, China, Colombia, Cuba, Cyprus, Denmark, "
    "Egypt, Finland, France, Germany, Greece, Hungary, India, Indonesia, Iran, Iraq, Ireland, Israel, Italy, Jamaica, "
    "Japan, Kenya, Lebanon, Mexico, Morocco, Netherlands, New Zealand, Nigeria, Northern Ireland, Norway, Pakistan, "
    "Peru, Philippines, Poland, Portugal, Romania, Russia, Scotland, South Africa, Spain, Sweden, Switzerland, Syria, "
    "Turkey, Ukraine, Venezuela, Vietnam, Wales"
)
# Parts of a place that an index may name instead of the whole: Chelsea (NYC) may be Chelsea (NY).
WHOLE = {"New York City": "New York", "Brooklyn": "New York", "Long Island": "New York", "Great Britain": "England"}
PLACES = (
    ABBREVIATED_PLACES
    | {fold(place): place for place in ABBREVIATED_PLACES.values()}
    | {fold(place): place for place in split_commas(COUNTRIES)}
)


def place_of(name: Name) -> str:
    """Return the state or country named in the brackets ("Minnesota"); "" if there is none."""
    if name.type is EntityType.PERSON:
        return ""
    for group in reversed(name.information):
        for part in reversed(split_commas(group)):
            if place := PLACES.get(fold(part)):
                return WHOLE.get(place, place)
    return ""


def handle_of(tag: Tag) -> str:
    """Return the handle of an index name, the same for spellings that fold alike and lie in one place; "" if empty."""
    name = parse_name(tag.text, tag.type)
    folded, place = fold(name.canonical), place_of(name)
    return f"{folded} ({fold(place)})" if folded and place else folded


def apart(names: Iterable[Name]) -> frozenset[str]:
    """Return the folded names that refer to several places."""
    places: dict[str, set[str]] = defaultdict(set)
    for name in names:
        if place := place_of(name):
            places[fold(name.canonical)].add(place)
    return frozenset(folded for folded, own in places.items() if len(own) > 1)


def placed(name: Name) -> Name:
    """Return the name of one of several places, with the state or country in it and a family of its own."""
    place = place_of(name)
    if not place or fold(place) == fold(name.canonical):
        return name
    joined = f"{name.canonical}, {place}" if name.type is EntityType.LOCATION else f"{name.canonical} ({place})"
    strict = {name.canonical, *name.strict} - {joined}
    return replace(name, canonical=joined, strict=tuple(sorted(strict)), family=fold(joined))
