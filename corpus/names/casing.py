"""Converting names set in capitals ("O'CONNOR", "HASTINGS-ON-HUDSON") to the way a page prints them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from corpus.lexicon import word_set

# Acronyms that newspapers print in capitals: states and organizations common in news.
ACRONYMS = word_set(
    "NY NYC NYS NJ NH NM NC SC ND SD RI DC LI US USA USSR UK GB UAE UN EC EU EEC "  # places
    "NATO OPEC NASA UNESCO UNICEF FIFA UEFA OECD GATT IMF WTO IAEA SEATO ASEAN PLO IRA ANC ETA OAS KGB FBI CIA IRS EPA "
    "FCC FDA FAA SEC IBM ITT GTE ATT RCA EMI TWA UAL USX AMR ABC NBC CBS BBC CNN PBS NPR HBO ESPN MTV UPI AP AFL CIO "
    "UAW NBA NFL NHL NCAA PGA USGA NAACP YMCA YWCA ACLU AARP IOC ROTC MCI BMW AIDS HIV TV NYU UCLA MIT AG SA CUNY SUNY "
    "MTA AT&T"
)
# Abbreviations that have no vowel but are not spelt in capitals.
ABBREVIATIONS = word_set("ST STS LTD MR MRS MS DR MT FT JR SR BLDG MFG BROS BLVD PKWY HWY RD TWP SGT LT PVT")
# Lower case inside a title or a place name.
SMALL_WORDS = word_set("of the and for in on at to by from with de del du des da do dos sur upon und et")
# "Mac" names; every other word in Mac- (Macedonia, Machine, Macon) is an ordinary one. "Mc" is always a prefix.
MAC_NAMES = word_set(
    "arthur bride callum cracken cullough dermott donald donnell dougall dowell duff farlane gowan graw gregor innes "
    "intosh intyre kay kenna kenzie kinnon laine laren lean lehose leish lennan leod mahon manus millan nab namara "
    "naughton neil neill nelly nicol phail phee pherson quarrie rae taggart tavish vicar"
)
ROMAN = re.compile(r"(?=..)X{0,3}(?:IX|IV|V?I{0,3})")  # at least two letters, none of them also a common word
ORDINAL = re.compile(r"\d+(?:ST|ND|RD|TH|D)")
MC = re.compile(r"\bMa?c(?=[A-Z])")
PUNCTUATION = ".,;:'\""
VOWELS = frozenset("AEIOUY")


def is_shouted(text: str) -> bool:
    """Return whether a text is set in capitals, ignoring the c of "McCARTHY"."""
    return text.isupper() or ("c" in text and MC.sub("", text).isupper())


@lru_cache(maxsize=2**13)
def capitalised(word: str) -> str:
    """Return a word with the capitals that it has in a name."""
    if not word[1:]:
        return word
    if "-" in word:
        pieces = word.split("-")
        return "-".join(
            piece.lower() if 0 < at < len(pieces) - 1 and piece.lower() in SMALL_WORDS else capitalised(piece)
            for at, piece in enumerate(pieces)
        )
    if word[0].isdigit():
        return word.lower() if ORDINAL.fullmatch(word) else word
    cased = _with_prefix(word.lower())
    return cased if cased.isascii() else unicodedata.normalize("NFC", cased)  # some capitals decompose in lower case


def _with_prefix(word: str) -> str:
    head, apostrophe, tail = word.partition("'")
    if apostrophe and head and len(head) <= 2 and len(tail) > 1:  # O'Connor, D'Amato, but People's and Hawai'i
        return f"{_upper_first(head)}'{_upper_first(tail)}"
    if len(word) > 2 and word.startswith("mc"):
        return f"Mc{_upper_first(word[2:])}"
    if word.startswith("mac") and word[3:] in MAC_NAMES:
        return f"Mac{_upper_first(word[3:])}"
    return _upper_first(word)


def _upper_first(word: str) -> str:
    at = next((at for at, letter in enumerate(word) if letter.isalpha()), 0)
    return word[:at] + word[at : at + 1].upper() + word[at + 1 :]


def open_large(text: str) -> str:
    """Return a text that begins a name with a capital letter: "The" for "the" in "The Hague"."""
    first = text.partition(" ")[0]
    return text[0].upper() + text[1:] if len(first) > 1 and first.isalpha() and first.islower() else text


def titled(text: str, *, acronyms: bool = False) -> str:
    """Return a text set in capitals in title case; any other text unchanged.

    With `acronyms`, short words and words without a vowel keep their capitals (organizations: "GTE CORP", "NBC").
    """
    if not is_shouted(text):
        return text
    words = text.split()
    lone = sum(len(word.strip(PUNCTUATION)) > 1 for word in words) == 1
    return " ".join(_title_word(word, first=at == 0, lone=lone, acronyms=acronyms) for at, word in enumerate(words))


def _title_word(word: str, *, first: bool, lone: bool, acronyms: bool) -> str:
    letters = word.strip(PUNCTUATION)
    if _is_acronym(letters) or (acronyms and ((lone and len(letters) <= 4) or _is_spelt(letters))):
        return word
    if not first and word.lower() in SMALL_WORDS:
        return word.lower()
    if not first and ROMAN.fullmatch(letters):  # a first word is never a number: "XI JINPING"
        return word
    return capitalised(word)


def _is_acronym(word: str) -> bool:
    dotted = "." in word[:-1] and all(len(part) <= 1 for part in word.split("."))  # "U.S."
    return word in ACRONYMS or dotted or ("-" in word and all(part in ACRONYMS for part in word.split("-")))


def _is_spelt(word: str) -> bool:
    has_no_vowel = len(word) > 1 and word.isalpha() and VOWELS.isdisjoint(word)
    return "&" in word or (has_no_vowel and word not in ABBREVIATIONS)
