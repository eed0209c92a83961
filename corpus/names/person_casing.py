"""The lower-case words in people's names ("van", "de la", "bin"), and restoring them in names set in capitals."""

from __future__ import annotations

import re
from functools import lru_cache

from corpus.lexicon import word_set
from corpus.names.casing import ROMAN, capitalised, is_shouted

PARTICLES = word_set(
    "van von der den het ten ter zu zur de di da do dos das del della dello du des la las le los y e "
    "bin ibn bint al el af av"
)
GLUED_ON = re.compile(r"^(?:al-|el-|[a-z]+')(?=.)")
# Not capitalised even at the start of a surname. The others are: an index puts "Van Gelder, Lawrence" under V because
# the family writes it so, and "Gaulle, Charles de" under G.
ALWAYS_SMALL = word_set("von zu zur bin ibn bint al el af av")
FOUR_LETTERS = re.compile(r"[^\W\d_]{4}")
INSIDE_A_TITLE = frozenset({"of", "the", "and"})  # Prince of Wales


@lru_cache(maxsize=2**13)  # given names and surnames recur
def case_person(words: tuple[str, ...], *, leads: bool = False, ends: bool = False) -> tuple[str, ...]:
    """Return the words of a name set in capitals in proper case.

    With `leads`, the words are a surname that an index puts first, so a single particle at its start is capitalised.
    With `ends`, the last word is a surname, even if it looks like a particle.
    """
    small = [_is_small(words, at, ends=ends) for at in range(len(words))]
    if leads and sum(small) == 1 and small[0] and words[0].lower() not in ALWAYS_SMALL:
        small[0] = False
    return tuple(word.lower() if small[at] else _cased(word, at) for at, word in enumerate(words))


def case_stray_capitals(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a mixed-case name with words of four or more capitals ("Jacques CHIRAC") in proper case."""
    return tuple(
        _cased(word, at) if is_shouted(word) and FOUR_LETTERS.search(word) else word for at, word in enumerate(words)
    )


def _is_small(words: tuple[str, ...], at: int, *, ends: bool) -> bool:
    word = words[at].lower().rstrip("-'")
    if word not in PARTICLES and word not in INSIDE_A_TITLE and (word != "d" or words[at][-1] != "'"):
        return False
    if ends:
        return at < len(words) - 1 and (len(word) > 1 or at > 0)
    return at > 0 and (len(word) > 1 or words[at][-1] == "'")  # a single E or Y is an initial, and "AL" alone is Al


def _cased(word: str, at: int) -> str:
    """Return a word in proper case; a first word is never a numeral."""
    if at and ROMAN.fullmatch(word):
        return word
    head, _, tail = word.partition("-")
    if tail and head.lower() in {"al", "el"}:
        return f"{head.lower()}-{capitalised(tail)}"
    return capitalised(word)
