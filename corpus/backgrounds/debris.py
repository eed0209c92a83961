"""Removing what parentheses contain for linguists only: sounds, other scripts, other languages."""

from __future__ import annotations

import re
from unicodedata import category, name

from corpus.backgrounds.parentheses import Group

_IPA = "ˈˌːˑəɐɑɒɓɔɕɖɗɘɚɛɜɝɞɟɠɡɢɣɤɥɦɧɨɪɫɬɭɮɯɰɱɲɳɴɵɶɹɺɻɽɾʀʁʂʃʄʈʉʊʋʌʍʎʏʐʑʒʔʕʘʙʝʟʰʲʷ"
_SOUNDS = re.compile(
    rf"""
    [ ]? (?: / [^/()]{{0,80}} [{_IPA}] [^/()]{{0,80}} /          # /ˈardən/
           | \[ [^\[\]]{{0,80}} [{_IPA}] [^\[\]]{{0,80}} \] )     # [ˈardən]
    """,
    re.VERBOSE,
)
_LISTEN = re.compile(r"(?:\blisten\b|\bhelp\s?·\s?info\b|🔊)[,;\s]*", re.IGNORECASE)
# Syllables joined by hyphens, some in capitals or with a schwa, some not ("AR-dən"); but "US-based" is English.
_RESPELLING = re.compile(
    r"""
    (?= \S* (?: ə | [A-Z]{2} )) (?= \S* [a-zə])
    (?! \S* -(?:based|led|owned|born|style|type|backed|listed|wide|only)\b)
    [A-Za-zəÀ-ÿ]+ (?: -[A-Za-zəÀ-ÿ]+ )+
    """,
    re.VERBOSE,
)
_LABEL = re.compile(  # "Old Kessian: ", "Greek & Latin: "
    r"""
    (?:in[ ]|from[ ])? [A-Z][\w’'-]*
    (?: [ /&]+ (?: [A-Z][\w’'-]* | and | or | pronunciation | alphabet | script | dialect | name ))* \s? :
    """,
    re.VERBOSE,
)
_LINGUISTS_WORD = re.compile(
    r"""
    (?: (?:local(?:ly)?[ ]|also[ ])? pron(?:ounced|unciation) | IPA | romani[sz](?:ed|ation) | translit(?:erat\w+)?
      | literally | pinyin | simplified | traditional | Wade | Jyutping | Hepburn | also[ ]spel[lt]\w*
    )\b | lit\. | (?:also[ ])?(?:UK|US|RP)\s?:
    """,
    re.VERBOSE | re.IGNORECASE,
)
_INFORMATIVE = re.compile(r"(?:born|died|b\.|d\.|c\.|circa|née?\b|formerly|founded|established|\d)", re.IGNORECASE)
_NOTHING = re.compile(r"(?:[\W_]|\b(?:or|and|also|locally|rarely|sometimes)\b)*", re.IGNORECASE)


def without_sounds(text: str) -> str:
    return _SOUNDS.sub("", text)


def clean_group(group: Group) -> str:
    """Return what is left of a group, without its parentheses; "" if nothing is left."""
    return "; ".join(filter(None, map(_clean_part, group.split(";"))))


def _clean_part(part: str) -> str:
    """Return the part without pieces for linguists, and without what follows such a piece until a date or a name."""
    kept: list[str] = []
    is_dropping = False
    for piece in part.split(", "):
        silent = _LISTEN.sub("", without_sounds(piece)).strip(" ,:").removeprefix("– ")
        if _INFORMATIVE.match(silent) and not _is_foreign(silent):
            is_dropping = False
        elif silent != piece.strip(" ,:").removeprefix("– ") or _is_for_linguists(piece.strip(" ,")):
            is_dropping = True
        if not is_dropping and not _NOTHING.fullmatch(silent):
            kept.append(silent)
    return ", ".join(kept)


def _is_for_linguists(piece: str) -> bool:
    return bool(_LABEL.match(piece) or _LINGUISTS_WORD.match(piece) or _is_respelling(piece) or _is_foreign(piece))


def _is_respelling(piece: str) -> bool:
    """Return whether the piece spells sounds in syllables: "KEN-yə", "loss AN-jəl-əs"."""
    words = piece.split()
    return len(words) < 4 and any(_RESPELLING.fullmatch(word) for word in words)


def _is_foreign(piece: str) -> bool:
    """Return whether at least half of the letters belong to another script or are phonetic."""
    if piece.isascii():
        return False
    letters = [character for character in piece if category(character)[0] == "L"]
    odd = sum(letter in _IPA or not name(letter, "").startswith("LATIN") for letter in letters)
    return bool(letters) and 2 * odd >= len(letters)
