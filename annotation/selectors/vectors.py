"""Word vectors for phrases, where this machine has some."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from annotation.task_types.aggregation.cleaning.predicates import words
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.vectors import VECTORS, installed
from tesa_site.kernel.vectors.base import WordVectors

if TYPE_CHECKING:  # every web process imports this module, few need numpy and its 25 MB
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PhraseVectors:
    """A phrase is the mean of its words; one without a known word is all zeros."""

    of_words: WordVectors

    @property
    def identity(self) -> str:
        return self.of_words.identity

    def __call__(self, phrases: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        spoken = [words(phrase) for phrase in phrases]
        known = self.of_words.take({word for some in spoken for word in some})
        nothing = np.zeros(len(next(iter(known.values()), (0.0,))), dtype=np.float32)
        rows = [np.mean([known[word] for word in some if word in known] or [nothing], axis=0) for some in spoken]
        return np.array(rows, dtype=np.float32).reshape(len(rows), len(nothing))


def phrase_vectors() -> PhraseVectors | None:
    """Return the first word vectors of this machine that can be read; None where there are none."""
    for place, _ in installed(Path(settings.VECTORS_FOLDER), settings.SPACY_PIPELINE):
        kind, _, path = place.partition(":")
        try:
            return PhraseVectors(VECTORS[kind](path))
        except InvalidInput as error:  # for example a small spaCy pipeline, which has none
            log.warning("word vectors left aside: %s", error)
    return None
