"""What rankers are built with on this machine: folders and word vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from kernel.errors import WrongState
from kernel.values import Json
from kernel.vectors import VECTORS, installed
from modeling.rankers.base import Resources


def vector_choices() -> list[tuple[str, str]]:
    """Return (kind:path, label) of the word vectors on this machine."""
    return installed(Path(settings.VECTORS_FOLDER), settings.SPACY_PIPELINE)


def ranker_resources(vectors: Mapping[str, Json]) -> Resources:
    """Return what rankers are built with; raise WrongState if the word vectors have changed."""
    here = Resources(
        cache=Path(settings.VAR) / "cache" / "features",
        models=Path(settings.MODELS_DIR),
        locks=Path(settings.VAR) / "locks",
    )
    if not vectors:
        return here
    loaded = VECTORS[str(vectors["kind"])](str(vectors["path"]))
    if vectors.get("identity", loaded.identity) != loaded.identity:
        raise WrongState(f"The word vectors {vectors['path']!r} are not those the experiment was made with.")
    return replace(here, vectors=loaded)
