"""Index names of locations: the main word first, the kind of location after a comma, where it lies in brackets.

ISRAEL, STATE OF                State of Israel, also Israel
MINNEWASKA, LAKE (NYS)          Lake Minnewaska
BOSTON (MASS)                   Boston, also Boston, Massachusetts
"""

from __future__ import annotations

from collections.abc import Iterator

from corpus.articles import EntityType
from corpus.folding import fold
from corpus.lexicon import word_set
from corpus.names.casing import is_shouted, open_large, titled
from corpus.names.organizations import founded
from corpus.names.values import Name, build_name, split_commas

# How newspapers abbreviate states and the like; folded, so that "W Va" and "W.Va." are the same.
ABBREVIATED_PLACES = {
    "ala": "Alabama", "ariz": "Arizona", "ark": "Arkansas", "calif": "California", "colo": "Colorado",
    "conn": "Connecticut", "dc": "District of Columbia", "del": "Delaware", "fla": "Florida", "ga": "Georgia",
    "ill": "Illinois", "ind": "Indiana", "kan": "Kansas", "ky": "Kentucky", "la": "Louisiana", "mass": "Massachusetts",
    "md": "Maryland", "me": "Maine", "mich": "Michigan", "minn": "Minnesota", "miss": "Mississippi", "mo": "Missouri",
    "mont": "Montana", "nc": "North Carolina", "nd": "North Dakota", "neb": "Nebraska", "nev": "Nevada",
    "nh": "New Hampshire", "nj": "New Jersey", "nm": "New Mexico", "ny": "New York", "nys": "New York",
    "nyc": "New York City", "okla": "Oklahoma", "ore": "Oregon", "pa": "Pennsylvania", "ri": "Rhode Island",
    "sc": "South Carolina", "sd": "South Dakota", "tenn": "Tennessee", "tex": "Texas", "va": "Virginia",
    "vt": "Vermont", "wash": "Washington", "wis": "Wisconsin", "w va": "West Virginia",
    "wva": "West Virginia", "wyo": "Wyoming",
    "bklyn": "Brooklyn", "e ger": "East Germany", "eng": "England", "gb": "Great Britain", "li": "Long Island",
    "ont": "Ontario", "pr": "Puerto Rico", "que": "Quebec", "w ger": "West Germany",
}  # fmt: skip
STATES = frozenset(ABBREVIATED_PLACES) - {"la", "li", "me"} | frozenset(map(fold, ABBREVIATED_PLACES.values()))

# What an index puts after the comma and a page in front; so does anything that ends in "of".
LEADING_WORDS = word_set(
    "lake mount mt fort ft cape port point gulf bay isle isles lac mont "
    "the el la los las le les al "
    "north south east west northern southern eastern western central upper lower greater"
)
# Forms of state: "State of Israel" is Israel. (The City of London is not London, nor Orange County Orange.)
FORMS = word_set("state republic kingdom principality sultanate emirate province")
FORM_ADJECTIVES = word_set("people's democratic islamic federal socialist soviet arab hashemite independent")
SHARED_SHORT_NAMES = frozenset({"georgia"})  # a country and a US state: never merged by form alone

BARE_CITIES = frozenset({"new york", "quebec", "vatican"})  # elsewhere "City" distinguishes two places: Mexico City
SHARED_STATES = frozenset({"new york", "washington"})  # the bare name usually means the city
NAMED_AFTER_PEOPLE = word_set(
    "airport birthplace bridge center centre dam expressway highway home house memorial park square stadium tunnel"
)
SHORTENED = {"St": "St.", "Mt": "Mt.", "Ft": "Ft."}
LONG_WORDS = {"St.": "Saint", "Mt.": "Mount", "Ft.": "Fort"}
SAME_PLACE = {
    "united states": ("America", "US", "U.S.", "United States of America"),
    "union of soviet socialist republics": ("Soviet Union", "USSR", "U.S.S.R."),
    "great britain": ("Britain",),
    "united kingdom": ("Britain", "Great Britain", "UK", "U.K."),
    "new york city": ("NYC", "N.Y.C."),
    "east europe": ("Eastern Europe",),
    "west europe": ("Western Europe",),
}
# In brackets these say what a place is, not where it lies.
KINDS = word_set("county state city town village development ski resort region island islands river area")


def read_location(outside: str, groups: tuple[str, ...]) -> Name:
    """Return the Name of a location from the text outside the brackets and the groups inside."""
    parts = split_commas(outside)
    asides: list[str] = []
    while len(parts) > 1 and fold(parts[-1]) in STATES:  # "Springfield, Ill" is "Springfield (Ill)"
        asides.insert(0, parts.pop() if not is_shouted(outside) else titled(parts.pop()))
    parts = split_commas(titled(", ".join(parts)))
    if len(parts) == 1 and "State" in groups and not parts[0].endswith(" State"):  # "Washington (State)"
        parts = [f"{parts[0]} State"]
    canonical = " ".join(SHORTENED.get(word, word) for word in _arranged(parts).split())
    information = (*asides, *groups)
    form, short = _form(canonical)
    where = {f"{canonical}, {place}" for group in information for place in _places(group)}
    return build_name(
        canonical,
        EntityType.LOCATION,
        strict={short, *_other_names(canonical), *where},
        loose=_loose_names(canonical),
        information=information,
        family=fold(short) if fold(short) not in SHARED_SHORT_NAMES else fold(canonical),
        detail=(form,) if form else (),
    )


def _arranged(parts: list[str]) -> str:
    """Return the parts in natural order: "Lake Superior", "Tove Lind Bridge"."""
    if len(parts) == 2 and _comes_first(parts[1]):
        return f"{open_large(parts[1])} {parts[0]}"
    if len(parts) == 3 and NAMED_AFTER_PEOPLE.intersection(fold(parts[2]).split()[-1:]):
        return f"{founded(parts[0], parts[1])} {parts[2]}"
    return ", ".join(parts)


def _comes_first(part: str) -> bool:
    words = fold(part).split()
    return words[-1:] == ["of"] or words[-2:] == ["of", "the"] or all(word in LEADING_WORDS for word in words)


def _form(canonical: str) -> tuple[str, str]:
    """Return ("state", "Israel") for "State of Israel", and ("", name) for a place without a form of state."""
    head, _, short = canonical.partition(" of ")
    *adjectives, form = fold(head).split() or [""]
    if short and form in FORMS and all(adjective in FORM_ADJECTIVES for adjective in adjectives):
        return fold(head), short.removeprefix("the ")
    return "", canonical


def _other_names(canonical: str) -> Iterator[str]:
    """Yield other names that mean only this place."""
    yield from SAME_PLACE.get(fold(canonical), ())
    yield canonical.removeprefix("The ")
    yield " ".join(LONG_WORDS.get(word, word) for word in canonical.split(" "))
    bare, _, last = canonical.rpartition(" ")
    if (last == "City" and fold(bare) in BARE_CITIES) or (last == "State" and fold(bare) not in SHARED_STATES):
        yield bare


def _loose_names(canonical: str) -> Iterator[str]:
    bare, _, last = canonical.rpartition(" ")
    if last in {"County", "State"}:
        yield bare
    yield canonical.partition(", ")[0]


def _places(group: str) -> Iterator[str]:
    """Yield the ways to say where a place lies: "Mashpee", "Mashpee, Mass", "Mashpee, Massachusetts"."""
    parts = [part for part in split_commas(group) if not KINDS.issuperset(fold(part).split())]
    if parts:
        yield parts[0]
        yield ", ".join(parts)
        yield ", ".join(ABBREVIATED_PLACES.get(fold(part), part) for part in parts)
