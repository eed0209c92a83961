"""word2vec's binary files: a heading with the two counts, then each word, a space, and its numbers as 32-bit floats."""

from __future__ import annotations

import mmap
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kernel.errors import InvalidInput
from kernel.vectors.base import Vector, existing_file, fingerprint

_LONGEST_WORD = 4096


@dataclass(frozen=True)
class BinaryVectors:
    path: Path
    identity: str
    count: int
    length: int

    def take(self, words: Collection[str]) -> dict[str, Vector]:
        wanted = {word.encode("utf-8") for word in words}
        vectors: dict[str, Vector] = {}
        size = self.length * 4
        with self.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            place = content.find(b"\n") + 1
            for number in range(self.count):
                blank = content.find(b" ", place, place + _LONGEST_WORD)
                if blank < 0 or blank + 1 + size > len(content):
                    raise InvalidInput(f"the file ends in word {number + 1} of {self.count}", where=self.path.name)
                word = content[place:blank].lstrip(b"\n")
                place = blank + 1 + size
                if word in wanted:
                    vector = np.frombuffer(content[blank + 1 : place], dtype="<f4").astype(np.float32)
                    vectors.setdefault(word.decode("utf-8"), vector)
        return vectors


def from_path(path: str) -> BinaryVectors:
    file = existing_file(path)
    with file.open("rb") as content:
        heading = content.readline(100).split()
    if len(heading) != 2 or not all(part.isdigit() for part in heading):
        raise InvalidInput("the first line should give the number of words and of numbers per word", where=file.name)
    return BinaryVectors(file, f"word2vec:{file.name}:{fingerprint(file)}", int(heading[0]), int(heading[1]))
