"""The hash of a release: over its recipe and its rows, without the pseudonyms, which differ from release to release.

Anybody can recompute it from an exported file: each line without `annotator`, its annotations in the order of their
canonical JSON. Neither database ids nor times are in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from kernel.values import Json, canonical_json


def neutral_line(row: Mapping[str, Any]) -> str:
    """Return the row as it is hashed: nobody in it, annotations in an order of their own."""
    nameless = [
        {name: annotation[name] for name in annotation if name != "annotator"} for annotation in row["annotations"]
    ]
    return canonical_json({**row, "annotations": sorted(nameless, key=canonical_json)}) + "\n"


def digest_of(row: Mapping[str, Any]) -> str:
    """Return what is equal exactly when two releases say the same of an instance."""
    return hashlib.sha256(neutral_line(row).encode("utf-8", "surrogatepass")).hexdigest()


def shared_digest_of(row: Mapping[str, Any], nothing_fits: str) -> str:
    """Return a digest of what rows of every schema say: schema 1 did not tell rejected answers from "nothing fits"."""
    shared = [
        {**annotation, nothing_fits: not annotation["cleaned"], "rejected": None} for annotation in row["annotations"]
    ]
    return digest_of({**row, "schema": None, "annotations": shared})


class ReleaseHash:
    """Takes the recipe first, then every row in the release's order."""

    def __init__(self, recipe: Json) -> None:
        self._digest = hashlib.sha256((canonical_json(recipe) + "\n").encode())

    def add(self, row: Mapping[str, Any]) -> None:
        self._digest.update(neutral_line(row).encode("utf-8", "surrogatepass"))

    def hexdigest(self) -> str:
        return self._digest.hexdigest()
