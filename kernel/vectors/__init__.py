"""Sources of word vectors. A new kind is one module here and one line in VECTORS."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from kernel.registry import Registry
from kernel.spacy_pipelines import has_vectors
from kernel.vectors.base import VectorsFactory
from kernel.vectors.glove_package import PACKAGE as GLOVE_PACKAGE

VECTORS: Registry[VectorsFactory] = Registry(
    "word vectors",
    {
        "spacy": "kernel.vectors.spacy_pipeline:from_path",
        "text": "kernel.vectors.text_file:from_path",
        "word2vec-binary": "kernel.vectors.binary_file:from_path",
        "glove-6b-50d": "kernel.vectors.glove_package:from_path",
    },
)


def installed(folder: Path, spacy_pipeline: str = "") -> list[tuple[str, str]]:
    """Return (kind:path, label) of the word vectors on this machine: packages, a spaCy pipeline, files in a folder.

    A pipeline without vectors (every small one) is omitted.
    """
    sources: list[tuple[str, str]] = []
    if find_spec(GLOVE_PACKAGE) is not None and find_spec("pyarrow") is not None:
        sources.append(("glove-6b-50d:", "GloVe 6B, 50 numbers a word (installed)"))
    if has_vectors(spacy_pipeline):
        sources.append((f"spacy:{spacy_pipeline}", f"spaCy: {spacy_pipeline}"))
    for path in sorted(filter(Path.is_file, folder.glob("*"))):
        kind = "word2vec-binary" if path.suffix == ".bin" else "text"
        sources.append((f"{kind}:{path}", path.name))
    return sources
