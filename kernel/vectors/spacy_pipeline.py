"""The vectors of an installed spaCy pipeline, by package name or folder ("en_core_web_md" and the like)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernel.errors import InvalidInput
from kernel.vectors.base import Vector

if TYPE_CHECKING:
    from spacy.vocab import Vocab


@dataclass(frozen=True)
class SpacyVectors:
    vocab: Vocab
    identity: str

    def take(self, words: Collection[str]) -> dict[str, Vector]:
        vectors = self.vocab.vectors
        keys = {word: self.vocab.strings[word] for word in words}
        return {word: np.asarray(vectors[key], dtype=np.float32) for word, key in keys.items() if key in vectors}


def from_path(path: str) -> SpacyVectors:
    import spacy

    try:
        pipeline = spacy.load(path, exclude=["tagger", "parser", "ner", "lemmatizer", "attribute_ruler", "senter"])
    except (OSError, ValueError, ImportError) as error:
        problem = f"spaCy finds no pipeline {path!r}: enter the name of an installed package or a folder"
        raise InvalidInput(problem, field="vectors") from error
    vectors = pipeline.vocab.vectors
    if not vectors.n_keys or not vectors.shape[1]:
        raise InvalidInput(f"the pipeline {path!r} has no vectors: use a medium or large one", field="vectors")
    name = f"{pipeline.meta.get('lang')}_{pipeline.meta.get('name')}-{pipeline.meta.get('version')}"
    return SpacyVectors(pipeline.vocab, f"spacy:{name}:{vectors.shape[0]}x{vectors.shape[1]}:{vectors.n_keys}")
