"""What a run ran on, and with which versions: told beside its results, never part of them."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tesa_site.kernel.values import Json, counted

NAMED = ("model name", "cpu model", "model", "hardware")  # in /proc/cpuinfo, the most telling first
CPU_INFO = Path("/proc/cpuinfo")
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


def described(found: Mapping[str, Json]) -> str:
    """Return a machine for people; what it does not say of itself is left out."""
    cores = found.get("cores")
    held = counted(cores, "core") if isinstance(cores, int) else ""
    return ", ".join(
        str(part) for part in (found.get("processor"), held, found.get("machine"), found.get("system")) if part
    )


def _processor() -> str:
    try:
        text = CPU_INFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    return processor_in(text) or platform.processor()


def processor_in(text: str) -> str:
    """Return the processor's name from /proc/cpuinfo; some ARM machines tell only the board's, others nothing."""
    pairs = [line.partition(":") for line in text.splitlines()]
    told = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return next((told[name] for name in NAMED if told.get(name) and not told[name].isdigit()), "")
