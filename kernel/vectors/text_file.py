"""Text files of GloVe and word2vec: a word and its numbers on each line; word2vec's first line has the counts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kernel.errors import InvalidInput
from kernel.vectors.base import Vector, existing_file, fingerprint


@dataclass(frozen=True)
class TextVectors:
    path: Path
    identity: str

    def take(self, words: Collection[str]) -> dict[str, Vector]:
        wanted = set(words)
        vectors: dict[str, Vector] = {}
        length: int | None = None
        with self.path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, start=1):
                word, _, rest = line.rstrip("\n").partition(" ")
                if word not in wanted or word in vectors or (number == 1 and _is_heading(line)):
                    continue
                vector = self._vector(rest, number)
                if length is not None and len(vector) != length:
                    raise InvalidInput(f"{len(vector)} numbers where others have {length}", where=self._place(number))
                length = len(vector)
                vectors[word] = vector
        return vectors

    def _vector(self, text: str, number: int) -> Vector:
        try:
            vector = np.array(text.split(), dtype=np.float32)
        except ValueError as error:
            raise InvalidInput("after the word there must be numbers only", where=self._place(number)) from error
        if not len(vector) or not np.isfinite(vector).all():
            raise InvalidInput("after the word there must be finite numbers", where=self._place(number))
        return vector

    def _place(self, number: int) -> str:
        return f"{self.path.name}, line {number}"


def from_path(path: str) -> TextVectors:
    file = existing_file(path)
    return TextVectors(file, f"text:{file.name}:{fingerprint(file)}")


def _is_heading(line: str) -> bool:
    parts = line.split()
    return len(parts) == 2 and all(part.isdigit() for part in parts)
