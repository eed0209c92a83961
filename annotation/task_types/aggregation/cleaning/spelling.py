"""Spelling suggestions for cleaned phrases. A suggestion is shown to a person; nothing is ever corrected silently."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from annotation.task_types.aggregation.cleaning.english import ENGLISH, english_words, is_known
from annotation.task_types.aggregation.cleaning.predicates import words
from annotation.task_types.aggregation.cleaning.word_table import letters

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
    """Return the best neighbours: words used around the answer first, then the fewest edits, then the alphabet.

    Few misspell a first letter, so a word of the dictionary has the same.
    """
    most = 1 if len(word) <= 5 else 2
    near = {other for other in vocabulary.texts if other.isalpha()}
    near |= {other for other in vocabulary.answers if is_known(other)}
    own, different = letters(word), 2 * most  # one edit changes two letters at most
    similar = {other for other in near if (own ^ letters(other)).bit_count() <= different}
    similar.update(english_words().near(word, ENGLISH, longer=2, different=different))
    ranked = []
    for other in similar:
        distance = edit_distance(word, other, most)
        if 0 < distance <= most:
            ranked.append((distance - (other in near), sorted(word) != sorted(other), other))
    return tuple(other for *_, other in sorted(ranked)[:MOST_SUGGESTIONS])
