"""Where word vectors come from. A new kind is one module here and one line in VECTORS."""

from __future__ import annotations

from modeling.vectors.base import VectorsFactory
from tesa_site.kernel.registry import Registry

VECTORS: Registry[VectorsFactory] = Registry(
    "word vectors",
    {
        "spacy": "modeling.vectors.spacy_pipeline:from_path",
        "text": "modeling.vectors.text_file:from_path",
        "word2vec-binary": "modeling.vectors.binary_file:from_path",
        "glove-6b-50d": "modeling.vectors.glove_package:from_path",
    },
)
