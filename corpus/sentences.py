"""Splitting English news text into sentences by rules, without a trained pipeline or tokenizer.

A mark (. ! ? …) before a blank is a candidate. The text after it is examined first: a lower-case word or a dash
continues the sentence. Then the word before a full stop: after an initial, an acronym or an abbreviation, only a word
that often begins sentences ("The", "He", "In") begins a new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from corpus.lexicon import (
    CAPITAL_ABBREVIATIONS,
    COMPANY_ENDINGS,
    COMPANY_GOES_ON,
    DAYS,
    LEADING_ABBREVIATIONS,
    MONTHS,
    NUMBER_WORDS,
    NUMBERED_ABBREVIATIONS,
    OPEN_ABBREVIATIONS,
    OPENERS,
    TIME_ZONES,
    TITLES,
)

_CANDIDATE = re.compile(
    r"""
    (?P<mark>[.!?…] (?<![.!?…]{2}) [.!?…]*)  # tried once per run of marks: long runs stay linear
    (?P<close>['"’”»)\]]*) (?:\s?\[\w{1,3}\])*+  # a footnote's number belongs to its sentence
    (?=\s+ (?P<open>['"‘“«(\[¿¡]*) (?P<next>[^\W_]+|\S))
    """,
    re.VERBOSE,
)
_NOT_IN_WORD = re.compile(r"[^\w.&'’]+")
_ACRONYM = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")  # "U.S", "Ph.D", but not "example.com"
_SPEECH = re.compile(r"(?:[^\s,.;:]+\.?\s+){1,4}?(?:said|says|asked|asks|replied|added|told|wrote|shouted|wondered)\b")
_GOES_ON = frozenset("-–—−,;:.!?%&/+*=…")  # not the start of a sentence
_CLOCK = frozenset({"a.m", "p.m"})
_AFTER_CLOCK = DAYS | MONTHS | TIME_ZONES
_AFTER_COMPANY = COMPANY_GOES_ON | TITLES
_EXCLAIMED_NAMES = frozenset({"yahoo", "jeopardy"})
_LOOK_BACK = 24  # characters; no abbreviation is longer


@dataclass(frozen=True, slots=True)
class Sentence:
    """The position of a sentence: its paragraph, and the offsets in the paragraph's text."""

    paragraph: int
    start: int
    end: int


def split_paragraphs(paragraphs: Iterable[str]) -> tuple[Sentence, ...]:
    """Return the sentences of all paragraphs in text order; a sentence ends with its paragraph at the latest."""
    return tuple(
        Sentence(number, start, end)
        for number, paragraph in enumerate(paragraphs)
        for start, end in split_sentences(paragraph)
    )


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each sentence. There are only blanks before, between and after them."""
    spans = []
    start = len(text) - len(text.lstrip())
    for candidate in _CANDIDATE.finditer(text):
        if _is_end(text, start, candidate):
            spans.append((start, candidate.end()))
            start = candidate.start("open")  # behind the blanks
    if start < len(text):
        spans.append((start, len(text.rstrip())))
    return spans


def _is_end(text: str, start: int, candidate: re.Match[str]) -> bool:
    following = candidate["next"]
    if (following[0].islower() and following.islower()) or following in _GOES_ON:
        return False
    word = _word_before(text, start, candidate.start())
    if candidate["mark"] != ".":
        return not _goes_on_after_cry(text, word, candidate)
    if candidate["close"].strip(")]") or not word:
        return True
    if word.isdigit():  # "3. Third item" at the start of a sentence
        return len(word) > 3 or candidate.start() - len(word) > start
    is_initial = len(following) == 1 and following.isalpha() and text.startswith(".", candidate.end("next"))
    return _stop_is_end(word, "" if is_initial else following, candidate["open"])


def _word_before(text: str, start: int, position: int) -> str:
    """Return the last word before a mark, with its inner full stops ("U.S")."""
    chunk = text[max(start, position - _LOOK_BACK) : position]
    return _NOT_IN_WORD.split(chunk)[-1].lstrip("'’")


def _goes_on_after_cry(text: str, word: str, candidate: re.Match[str]) -> bool:
    """Return whether the sentence continues after a question or exclamation: "Why?" Mr. Lind asked."""
    if word.lower() in _EXCLAIMED_NAMES and candidate["mark"] == "!":
        return True
    if not candidate["close"] or candidate["next"].lower() in OPENERS:
        return False
    return _SPEECH.match(text, candidate.start("next")) is not None


def _stop_is_end(word: str, following: str, opening: str) -> bool:
    """Return whether a full stop after `word` ends the sentence.

    `following` is the next word, which begins with a capital letter or a digit, or "" for an initial.
    """
    key, next_key = word.lower(), following.lower()
    if key in LEADING_ABBREVIATIONS:
        return False
    if key in NUMBERED_ABBREVIATIONS:
        return not (following[:1].isdigit() or (word[0].isupper() and next_key in NUMBER_WORDS))
    if key in _CLOCK:
        return next_key not in _AFTER_CLOCK and "(" not in opening
    if word[0].isupper() and key in COMPANY_ENDINGS:
        return next_key not in _AFTER_COMPANY and "(" not in opening
    return next_key in OPENERS or not _is_abbreviation(word, key)


def _is_abbreviation(word: str, key: str) -> bool:
    return (
        len(word) == 1
        or key in OPEN_ABBREVIATIONS
        or (word[0].isupper() and key in CAPITAL_ABBREVIATIONS)
        or _ACRONYM.fullmatch(word) is not None
    )
