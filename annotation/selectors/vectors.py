"""The word vectors of this machine, if it has any."""

from __future__ import annotations

import logging
from pathlib import Path

from django.conf import settings

from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.vectors import VECTORS, installed
from tesa_site.kernel.vectors.base import WordVectors

log = logging.getLogger(__name__)


def word_vectors() -> WordVectors | None:
    """Return the first word vectors that can be read, or None."""
    for place, _ in installed(Path(settings.VECTORS_FOLDER), settings.SPACY_PIPELINE):
        kind, _, path = place.partition(":")
        try:
            return VECTORS[kind](path)
        except InvalidInput as error:  # for example a small spaCy pipeline, which has none
            log.warning("word vectors left aside: %s", error)
    return None
