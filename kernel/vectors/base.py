"""The contract of word vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from kernel.errors import InvalidInput

if TYPE_CHECKING:  # every process imports this module, few need numpy and its 25 MB
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"
_SAMPLE = 1 << 20


class WordVectors(Protocol):
    """Maps words to vectors. Only the requested vectors are kept in memory: such files can have gigabytes."""

    @property
    def identity(self) -> str:
        """Identifies these vectors, for caches and a run's specification."""

    def take(self, words: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of the words that are known; all have the same length."""


VectorsFactory: TypeAlias = Callable[[str], WordVectors]  # takes a path or a package name, depending on the kind


def existing_file(path: str) -> Path:
    file = Path(path)
    if not file.is_file():
        raise InvalidInput(f"there is no file {path!r}: enter the path of a file of word vectors", field="vectors")
    return file


def fingerprint(path: Path) -> str:
    """Return a short hash of a file's size, beginning and end: hashing gigabytes would take too long."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_SAMPLE))
        file.seek(max(size - _SAMPLE, 0))
        digest.update(file.read(_SAMPLE))
    return digest.hexdigest()[:16]
