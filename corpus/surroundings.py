"""Whether a name in a text stands alone or is part of a longer name.

"Ida Lind" and "Lind Street" do not mention "Lind", "the Sea of Japan" does not mention Japan, nor "Texas A&M" Texas.
The words directly before and after the name decide; at the beginning of a sentence a capital letter says little.
"""

from __future__ import annotations

from corpus.articles import EntityType
from corpus.lexicon import DAYS, MONTHS, OPENERS, THINGS, TITLES
from corpus.name_tree import JOINERS, QUOTES, Alias, NameIndex, is_acronym
from corpus.name_words import (
    BEFORE_A_PLACE,
    BODIES,
    COMPANY_FORMS,
    KINDS_BEFORE_OF,
    PARTNERS,
    REBUILT,
    SMALL_LAST_WORDS,
)
from corpus.names.locations import ABBREVIATED_PLACES, SHARED_STATES
from corpus.tokens import Tokens

_MAY_FOLLOW_SURNAME = OPENERS | DAYS | MONTHS
_MAY_PRECEDE_SURNAME = _MAY_FOLLOW_SURNAME | TITLES
_MAY_PRECEDE_PLACE = OPENERS | DAYS | MONTHS | {"al", "el", "reuters"}
_PLACE_ENDINGS = SMALL_LAST_WORDS | THINGS
_MAY_PRECEDE_OF = OPENERS | TITLES
_OF_ABROAD = frozenset({"de", "du", "di", "del", "della", "do", "da", "des"})  # Banque de France
_OPENING = QUOTES | frozenset("([:;—–-")
_IN_ADDRESS = frozenset(".@")
_LONGEST_RUN = 5  # capitalised words in one name


def has_title(tokens: Tokens, first: int) -> bool:
    return first > 0 and tokens.keys[first - 1] in TITLES and is_capital(tokens, first - 1)


def is_capital(tokens: Tokens, number: int) -> bool:
    return 0 <= number < len(tokens.keys) and tokens.text[tokens.starts[number]].isupper()


def opens_sentence(tokens: Tokens, number: int) -> bool:
    """Return whether a word is the first of a sentence, or follows a quote, a colon or the like."""
    return number == 0 or tokens.raw(number - 1) in _OPENING


def stands_alone(tokens: Tokens, first: int, last: int, alias: Alias, index: NameIndex) -> bool:
    """Return whether no neighbouring word makes the match part of a longer name."""
    after = _name_beside(tokens, last + 1, 1, index)
    if after in THINGS and not (after == "magazine" and alias.type is EntityType.ORGANIZATION):
        return False
    if _follows_kind(tokens, first) or _is_address(tokens, first, last):
        return False
    if alias.type is EntityType.LOCATION:
        return not (_begins_inside(tokens, first, alias) or _ends_inside(tokens, last, alias))
    if alias.type is EntityType.PERSON and _is_firm(tokens, last + 1):
        return False
    if not alias.is_surname:
        return True
    if _is_town(tokens, last):
        return False
    if has_title(tokens, first) and _is_pair(tokens, last + 1, index):  # "Mr. Kohl-Mitterrand" has two surnames
        return False
    before = _name_beside(tokens, first - 1, -1, index)
    return (not before or before in _MAY_PRECEDE_SURNAME) and (not after or after in _MAY_FOLLOW_SURNAME)


def _follows_kind(tokens: Tokens, first: int) -> bool:
    """Return whether the name follows "Bank of", "Library of the" or the like."""
    keys = tokens.keys
    if first < 2:
        return False
    of = first - 2 if keys[first - 1] == "the" else first - 1
    return of > 0 and keys[of] == "of" and keys[of - 1] in KINDS_BEFORE_OF and is_capital(tokens, of - 1)


def _is_address(tokens: Tokens, first: int, last: int) -> bool:
    """Return whether the name is part of a web or e-mail address: "www.arden.com"."""
    before, after = tokens.text[max(0, tokens.starts[first] - 2) : tokens.starts[first]], tokens.ends[last]
    follows = tokens.text[after : after + 2]
    return (before[-1:] in _IN_ADDRESS and before[:1].islower()) or (follows[:1] == "." and follows[1:].islower())


def _is_town(tokens: Tokens, last: int) -> bool:
    """Return whether a surname is the name of a town here: "Washington, D.C.", "Jackson, Miss."."""
    state = tokens.keys[last + 2 : last + 4]
    if not state or tokens.keys[last + 1] != "," or tokens.raw(last + 2)[-1] != "." or not is_capital(tokens, last + 2):
        return False
    return (state[0] if len(state[0]) > 1 else "".join(state)) in ABBREVIATED_PLACES


def _is_campus(tokens: Tokens, number: int) -> bool:
    """Return whether "University of" and a name end at this word: "University of California at Berkeley"."""
    end = number
    while number > 1 and end - number < _LONGEST_RUN and is_capital(tokens, number):
        number -= 1
    return number < end and tokens.keys[number] == "of" and tokens.keys[number - 1] == "university"


def _begins_inside(tokens: Tokens, first: int, place: Alias) -> bool:
    """Return whether the words before a location make it another name: "New England", "Air Canada"."""
    before = first - 1
    if before < 0:
        return False
    key = tokens.keys[before]
    if key in {",", "at"}:
        return _is_campus(tokens, before - 1)
    if key in _OF_ABROAD or (key == "of" and place.words == ("America",)):
        return is_capital(tokens, before - 1) and tokens.keys[before - 1] not in _MAY_PRECEDE_OF
    if not is_capital(tokens, before) or _is_shouted(tokens, first, before) or is_hyphen(tokens, before - 1):
        return False
    if key == "new" and place.words[-1].lower() in REBUILT and len(place.words) > 1:
        return False
    if key in BEFORE_A_PLACE:
        return True
    is_bare = not is_acronym(_letters(place)) and place.words[-1].lower() not in _PLACE_ENDINGS
    means_nothing = opens_sentence(tokens, before) or tokens.raw(before - 1)[-1] == "."  # "the U.S. Wants Japan to"
    return is_bare and key not in _MAY_PRECEDE_PLACE and not means_nothing


def _is_firm(tokens: Tokens, number: int) -> bool:
    """Return whether a person's name continues as that of a firm: "Lind Inc.", "Ida Lind and Co."."""
    if tokens.keys[number : number + 1] in (["&"], ["and"]):
        number += 1
    return is_capital(tokens, number) and tokens.keys[number] in PARTNERS


def _letters(place: Alias) -> str:
    return "".join(place.words).replace(".", "")


def _is_shouted(tokens: Tokens, first: int, before: int) -> bool:
    """Return whether the text is set in capitals here, which then mean nothing."""
    return tokens.raw(first).isupper() and len(tokens.raw(first)) > 2 and tokens.raw(before).isupper()


def _ends_inside(tokens: Tokens, last: int, place: Alias) -> bool:
    """Return whether the words after a location make it an organization: "Texas A&M", "Chicago Mercantile Exchange"."""
    bodies = COMPANY_FORMS if is_acronym(_letters(place)) else BODIES
    number = last + 1
    if tokens.keys[number : number + 3] == ["a", "&", "m"]:
        return True
    if tokens.keys[number + 1 : number + 2] and is_hyphen(tokens, number) and tokens.keys[number + 1].isdigit():
        return True  # "US-75" is a road
    while number - last <= _LONGEST_RUN and (is_capital(tokens, number) or _joins_capitals(tokens, number, last)):
        if number == last + 1 and tokens.keys[number] == "state":
            return _is_state_inside(tokens, number, place)
        if tokens.keys[number] in TITLES or tokens.keys[number] in OPENERS:
            return False
        if tokens.keys[number] in bodies:
            return True
        number += 1
    return False


def _is_state_inside(tokens: Tokens, number: int, place: Alias) -> bool:
    """Return whether "State" makes a location another name: "Texas State University", but not "Texas State Senator"."""
    if " ".join(place.words).lower() in SHARED_STATES or not is_capital(tokens, number + 1):
        return True
    return tokens.keys[number + 1] in THINGS


def _joins_capitals(tokens: Tokens, number: int, last: int) -> bool:
    """Return whether "&" continues a name whose first word has been read."""
    return number > last + 1 and tokens.keys[number : number + 1] == ["&"] and is_capital(tokens, number + 1)


def _name_beside(tokens: Tokens, number: int, step: int, index: NameIndex) -> str:
    """Return the key of a capitalised word at this position, or after a hyphen or ampersand there; "" if there is none.

    In a pair of known names ("the Kohl-Mitterrand talks") the word beyond the other name counts instead.
    """
    if not 0 <= number < len(tokens.keys):
        return ""
    if _is_pair(tokens, number, index, step):
        beyond = _name_beside(tokens, number + 2 * step, step, index)
        return "-" if beyond in TITLES else beyond
    if tokens.keys[number] == JOINERS[0] or is_hyphen(tokens, number):
        number += step
    if not is_capital(tokens, number):
        return ""
    return tokens.raw(number) if _is_dotted(tokens, number) else tokens.keys[number]  # "A." is an initial, "A" may open


def _is_pair(tokens: Tokens, number: int, index: NameIndex, step: int = 1) -> bool:
    """Return whether there is a hyphen with a known name beyond it."""
    return number < len(tokens.keys) and is_hyphen(tokens, number) and _is_known(tokens, number + step, index)


def _is_dotted(tokens: Tokens, number: int) -> bool:
    return tokens.ends[number] - tokens.starts[number] == 2 and tokens.text[tokens.ends[number] - 1] == "."


def _is_known(tokens: Tokens, number: int, index: NameIndex) -> bool:
    """Return whether a single word is a known name."""
    node = index.children.get(tokens.keys[number])
    return node is not None and node.alias is not None and node.alias.entity is not None and is_capital(tokens, number)


def is_hyphen(tokens: Tokens, number: int) -> bool:
    if number <= 0:
        return False
    around = tokens.text[tokens.starts[number] - 1 : tokens.ends[number] + 1]
    return len(around) == 3 and around[1] == "-" and around[0].isalnum() and around[2].isalnum()
