"""Spelling suggestions for cleaned phrases. A suggestion is shown to a person; nothing is ever corrected silently."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from annotation.task_types.aggregation.cleaning.english import english_words, is_known
from annotation.task_types.aggregation.cleaning.predicates import words

SHORTEST = 4  # shorter words have too many neighbours
OFTEN = 3  # a word this many other answers use is meant as it is written
MOST_SUGGESTIONS = 3  # suggestions for one word
STEM = 5  # letters that a word shares with the name it was made of
NAME = re.compile(rf"[^\W_][,;]? ([A-Z][^\W\d_]{{{STEM - 1}}})")  # inside a sentence


@dataclass(frozen=True)
class Suggestion:
    """A word nobody knows, and what may have been meant, best first."""

    word: str
    instead: tuple[str, ...]


@dataclass(frozen=True)
class Vocabulary:
    """The words around an answer: those of the passage and the backgrounds, and how many answers use a word."""

    texts: frozenset[str] = frozenset()
    answers: Mapping[str, int] = field(default_factory=dict)
    names: frozenset[str] = frozenset()  # beginnings of names: "Valmerian" is known where "Valmere" is

    @staticmethod
    def of(texts: Iterable[str] = (), answers: Iterable[str] = ()) -> Vocabulary:
        counts = Counter(word for answer in answers for word in set(words(answer)))
        texts = [*texts]
        names = frozenset(name.lower() for text in texts for name in NAME.findall(text))
        return Vocabulary(frozenset(word for text in texts for word in words(text)), counts, names)

    def knows(self, word: str) -> bool:
        is_around = word in self.texts or word[:STEM] in self.names
        return is_around or self.answers.get(word, 0) >= OFTEN or is_known(word)


def suggest_spelling(phrase: str, vocabulary: Vocabulary) -> tuple[Suggestion, ...]:
    """Return suggestions for the phrase's unknown words, in order; a word without a near neighbour has none."""
    unknown = [word for word in dict.fromkeys(words(phrase)) if _doubtful(word) and not vocabulary.knows(word)]
    suggestions = [Suggestion(word, _nearest(word, vocabulary)) for word in unknown]
    return tuple(suggestion for suggestion in suggestions if suggestion.instead)


def edit_distance(left: str, right: str, most: int) -> int:
    """Return how many letters to insert, delete, replace or swap with a neighbour; `most` + 1 when more are needed."""
    if abs(len(left) - len(right)) > most:
        return most + 1
    before: list[int] = []
    older: list[int]
    row: list[int] = [*range(len(right) + 1)]
    for i, a in enumerate(left, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def _doubtful(word: str) -> bool:
    return word.isalpha() and word.isascii() and len(word) >= SHORTEST


def _nearest(word: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the best neighbours: words used around the answer first, then the fewest edits, then the alphabet."""
    most = 1 if len(word) <= 5 else 2
    near = {other for other in vocabulary.texts if other.isalpha()}
    near |= {other for other in vocabulary.answers if is_known(other)}
    ranked, letters = [], _letters(word)
    for other in near | _dictionary(word[0], len(word)):
        if (letters ^ _letters(other)).bit_count() > 2 * most:  # one edit changes two letters at most
            continue
        distance = edit_distance(word, other, most)
        if 0 < distance <= most:
            ranked.append((distance - (other in near), sorted(word) != sorted(other), other))
    return tuple(other for *_, other in sorted(ranked)[:MOST_SUGGESTIONS])


@lru_cache(maxsize=2**17)
def _letters(word: str) -> int:
    """Return a set of the word's letters as bits: comparing two is a hundred times quicker than their distance."""
    return sum(1 << place for place in {ord(letter) % 32 for letter in word})


@cache
def _dictionary(first: str, length: int) -> frozenset[str]:
    """Return the English words with this first letter and about this length: few misspell a first letter."""
    by_length = _by_first_letter().get(first, {})
    return frozenset(word for near in range(length - 2, length + 3) for word in by_length.get(near, ()))


@cache
def _by_first_letter() -> dict[str, dict[int, list[str]]]:
    index: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for word in english_words():
        index[word[0]][len(word)].append(word)
    return index
