"""Finding where a text mentions its entities.

Names are looked up word by word in a tree of all aliases. The longest match wins, so "Arden Times" does not mention
"Arden" if the paper is an entity too, and a match must stand alone (corpus/surroundings.py). Titles and possessive 's
are not part of a mention. An ordinary word that begins a sentence ("Time", "Target") needs further evidence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from corpus.articles import EntityType
from corpus.coordination import coordinated
from corpus.name_tree import QUOTES, Alias, Named, NameForm, NameIndex, build_index, is_acronym, is_initial
from corpus.name_words import AFTER_IS, DEEDS, ORDINARY_WORDS, SMALL_LAST_WORDS
from corpus.sentences import Sentence
from corpus.surroundings import has_title, is_capital, opens_sentence, stands_alone
from corpus.tokens import Tokens, tokenize

__all__ = ["Mention", "NameForm", "NameIndex", "Named", "build_index", "find_mentions"]

_CLOSING = {'"': '"', "“": "”", "'": "'", "‘": "’", "(": ")", "`": "'"}
_LONGEST_NICKNAME = 3  # words


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of a sentence that names an entity; start and end are offsets in the paragraph."""

    entity: str
    form: NameForm
    sentence: int
    paragraph: int
    start: int
    end: int


_Match: TypeAlias = tuple[int, int, Alias]  # first and last token


def find_mentions(index: NameIndex, paragraphs: Sequence[str], sentences: Iterable[Sentence]) -> tuple[Mention, ...]:
    """Return the mentions in text order; they do not overlap."""
    mentions: list[Mention] = []
    doubtful: dict[int, tuple[str, EntityType]] = {}  # index into `mentions` → the word that begins the sentence
    sure: set[tuple[str, str]] = set()  # entities, with single words that name them inside a sentence
    for number, sentence in enumerate(sentences):
        tokens = tokenize(paragraphs[sentence.paragraph], sentence.start, sentence.end)
        for first, last, alias in _all_matches(index, tokens):
            if alias.entity is None:
                continue
            if first == last and alias.form is not NameForm.TITLED:
                if not opens_sentence(tokens, first):
                    sure.add((alias.entity, tokens.keys[first]))
                elif not _is_plainly_a_name(tokens, first, alias):
                    doubtful[len(mentions)] = tokens.keys[first], alias.type
            start, end = tokens.starts[first], _end(tokens, last, alias)
            mentions.append(Mention(alias.entity, alias.form, number, sentence.paragraph, start, end))
    wrong = {
        place
        for place, (word, type) in doubtful.items()
        if (mentions[place].entity, word) not in sure and _is_ordinary(word, type, paragraphs)
    }
    return tuple(mention for place, mention in enumerate(mentions) if place not in wrong) if wrong else tuple(mentions)


def _end(tokens: Tokens, last: int, alias: Alias) -> int:
    """Return the end of a mention: before a full stop that ends the sentence rather than an abbreviation."""
    written, word = tokens.raw(last), alias.words[-1] if alias.words else ""
    is_stop = last == len(tokens.keys) - 1 and len(word) > 1 and written[-1] == "." and word[-1] != "."
    return tokens.ends[last] - is_stop


def _is_plainly_a_name(tokens: Tokens, number: int, alias: Alias) -> bool:
    """Return whether the words after the first word of a sentence show that it is a name: "Target said"."""
    if is_acronym(alias.words[0]):
        return True
    following = tokens.keys[number + 1 : number + 4]
    if following[1:2] == ["s"] and following[0] == "'":
        return not (following[2:] and (following[2] in AFTER_IS or following[2].endswith("ing")))
    return following[:1] != [] and following[0] in DEEDS


def _is_ordinary(word: str, type: EntityType, paragraphs: Sequence[str]) -> bool:
    """Return whether a word is an ordinary one, or (unless it is a location) these paragraphs use it as one."""
    if word in ORDINARY_WORDS or type is EntityType.LOCATION:
        return word in ORDINARY_WORDS
    small = re.compile(rf"\b{re.escape(word)}\b")
    return any(word in text and small.search(text) for text in paragraphs)


def _all_matches(index: NameIndex, tokens: Tokens) -> list[_Match]:
    """Return the matches of a sentence in text order, without overlaps."""
    matches = list(_matches(index, tokens))
    if index.plurals and (shared := list(coordinated(index, tokens))):
        taken = {number for first, last, _ in shared for number in range(first, last + 1)}
        matches = [match for match in matches if taken.isdisjoint(range(match[0], match[1] + 1))] + shared
    return _longest(matches)


def _longest(matches: list[_Match]) -> list[_Match]:
    """Return the matches in text order, without those that overlap a longer one, or an earlier one of equal length."""
    if len(matches) < 2:
        return matches
    kept: list[_Match] = []
    for match in sorted(matches, key=lambda match: (match[0] - match[1], match[0])):
        place = bisect_left(kept, match[0], key=lambda other: other[0])
        ends_in_time = place == 0 or kept[place - 1][1] < match[0]
        if ends_in_time and (place == len(kept) or match[1] < kept[place][0]):
            kept.insert(place, match)
    return kept


def _matches(index: NameIndex, tokens: Tokens) -> Iterator[_Match]:
    """Yield the longest match that begins at each token."""
    for first, key in enumerate(tokens.keys):
        if (node := index.children.get(key)) and (match := _match_from(first, node, tokens, index)):
            yield match


def _match_from(first: int, node: NameIndex, tokens: Tokens, index: NameIndex) -> _Match | None:
    """Return the longest match that begins with this token and its node."""
    longest: _Match | None = None
    path = [first]
    has_aside = False
    while True:
        alias = node.titled if node.titled and has_title(tokens, first) else node.alias
        if (
            alias
            and (not has_aside or alias.takes_initial)
            and _is_written(tokens, path, alias)
            and stands_alone(tokens, first, path[-1], alias, index)
        ):
            longest = first, path[-1], alias
        step = _step(node, tokens, path)
        if step is None:
            return longest
        node, number, is_aside = step
        has_aside |= is_aside
        path.append(number)


def _step(node: NameIndex, tokens: Tokens, path: list[int]) -> tuple[NameIndex, int, bool] | None:
    """Return the next node, its token, and whether an initial or a nickname was skipped on the way."""
    number, keys = path[-1] + 1, tokens.keys
    if number >= len(keys) or not node.children:
        return None
    key = keys[number]
    if child := node.children.get(key):
        return child, number, False
    if key in QUOTES and number + 1 < len(keys) and (child := node.children.get(keys[number + 1])):
        return child, number + 1, False
    if len(key) > 1 and is_capital(tokens, number) and (child := node.children.get(key[0])):
        return child, number, False  # it spells out an initial: "Bertram" for "B."
    after = _after_aside(tokens, number) if len(path) == 1 else number
    if number < after < len(keys) and (child := node.children.get(keys[after])):
        return child, after, True
    return None


def _after_aside(tokens: Tokens, number: int) -> int:
    """Return the token after a middle initial, or after a nickname in quotes or brackets; else the same token."""
    raw = tokens.raw(number)
    if is_initial(raw):
        return number + 1
    if (closing := _CLOSING.get(raw)) and is_capital(tokens, number + 1):
        for end in range(number + 2, min(number + 2 + _LONGEST_NICKNAME, len(tokens.keys))):
            if tokens.raw(end) == closing:
                return end + 1
    return number


def _is_written(tokens: Tokens, path: list[int], alias: Alias) -> bool:
    """Return whether the text has the capitals of the alias; the last words of a group's name may be lower case."""
    for place, (number, word) in enumerate(zip(path, alias.words, strict=True)):
        written = tokens.raw(number)
        if len(tokens.keys[number]) > 1 and is_initial(word) and alias.type is not EntityType.PERSON:
            return False
        if not word[0].isupper() or (written.isupper() if is_acronym(word) else written[0].isupper()):
            continue
        if place < _small_from(alias.words) or (place == 1 and opens_sentence(tokens, path[0])):
            return False
    return True


def _small_from(words: tuple[str, ...]) -> int:
    """Return the first word of a name from which on lower case is allowed: "Corvo crime family"."""
    start = len(words)
    while start > 1 and words[start - 1].lower() in SMALL_LAST_WORDS:
        start -= 1
    return start
