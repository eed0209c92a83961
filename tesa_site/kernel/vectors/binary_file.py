"""word2vec's binary files: a heading "words numbers", then each word, a blank, and its numbers as 32-bit floats."""

from __future__ import annotations

import mmap
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.vectors.base import Vector, existing_file, fingerprint

_LONGEST_WORD = 4096


@dataclass(frozen=True)
class BinaryVectors:
    path: Path
    identity: str
    count: int
    length: int

    def take(self, words: Collection[str]) -> dict[str, Vector]:
        wanted = {word.encode("utf-8") for word in words}
        found: dict[str, Vector] = {}
        size = self.length * 4
        with self.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held:
            place = held.find(b"\n") + 1
            for number in range(self.count):
                blank = held.find(b" ", place, place + _LONGEST_WORD)
                if blank < 0 or blank + 1 + size > len(held):
                    raise InvalidInput(f"the file ends in word {number + 1} of {self.count}", where=self.path.name)
                word = held[place:blank].lstrip(b"\n")
                place = blank + 1 + size
                if word in wanted:
                    vector = np.frombuffer(held[blank + 1 : place], dtype="<f4").astype(np.float32)
                    found.setdefault(word.decode("utf-8"), vector)
        return found


def from_path(path: str) -> BinaryVectors:
    found = existing_file(path)
    with found.open("rb") as file:
        heading = file.readline(100).split()
    if len(heading) != 2 or not all(part.isdigit() for part in heading):
        raise InvalidInput("the first line should give the number of words and of numbers per word", where=found.name)
    return BinaryVectors(found, f"word2vec:{found.name}:{fingerprint(found)}", int(heading[0]), int(heading[1]))
