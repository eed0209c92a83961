"""100,000 words in two megabytes: sets of as many strings, and their indexes, take twenty times that.

Words with the same first letter and length stand in one string, in their order, each with its flags and its letters.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache


@lru_cache(maxsize=2**12)
def letters(word: str) -> int:
    """Return a set of the word's letters as bits: comparing two is a hundred times quicker than their distance."""
    return sum(1 << place for place in {ord(letter) % 32 for letter in word})


@dataclass
class _Block:
    length: int
    words: str = ""
    flags: bytes = b""
    letters: array[int] = field(default_factory=lambda: array("I"))

    def flags_of(self, word: str) -> int:
        low, high, length, words = 0, len(self.flags), self.length, self.words
        while low < high:
            middle = (low + high) // 2
            other = words[middle * length : middle * length + length]
            if other == word:
                return self.flags[middle]
            if other < word:
                low = middle + 1
            else:
                high = middle
        return 0


class WordTable:
    """Words with flags, none of which is 0. It does not change."""

    def __init__(self, flags: Mapping[str, int]) -> None:
        sorted_words: dict[tuple[str, int], list[str]] = {}
        for word in sorted(flags):
            sorted_words.setdefault((word[:1], len(word)), []).append(word)
        self._blocks = {
            (first, length): _Block(
                length,
                "".join(block),
                bytes(flags[word] for word in block),
                array("I", (letters.__wrapped__(word) for word in block)),
            )
            for (first, length), block in sorted_words.items()
        }

    def flags(self, word: str) -> int:
        """Return the flags of a word; 0 if it is not in the table."""
        block = self._blocks.get((word[:1], len(word)))
        return block.flags_of(word) if block else 0

    def near(self, word: str, flag: int, *, longer: int, different: int) -> Iterator[str]:
        """Yield words with this flag and the same first letter, whose length and set of letters differ at most so."""
        own = letters(word)
        for length in range(len(word) - longer, len(word) + longer + 1):
            if block := self._blocks.get((word[:1], length)):
                for place, other in enumerate(block.letters):
                    if (own ^ other).bit_count() <= different and block.flags[place] & flag:
                        yield block.words[place * length : place * length + length]
