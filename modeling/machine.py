"""What a run ran on, and with which versions: told beside its results, never part of them."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tesa_site.kernel.values import Json

PACKAGES = ("numpy", "scipy", "scikit-learn", "spacy", "spacy-lookups-data")


def versions(tesa: str) -> dict[str, Json]:
    found: dict[str, Json] = {"tesa": tesa, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def hardware() -> dict[str, Json]:
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "device": "cpu",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())
