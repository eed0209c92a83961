"""The machine and versions of a run. They are shown beside its results, but are not part of them."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from kernel.values import Json, counted

NAMED = ("model name", "cpu model", "model", "hardware")  # in /proc/cpuinfo, most specific first
CPU_INFO = Path("/proc/cpuinfo")
PACKAGES = ("numpy", "scipy", "scikit-learn", "spacy", "spacy-lookups-data", "torch", "transformers", "tokenizers")
TOLERANCE = 0.02  # of a score that a GPU computed, when the run is repeated


def versions(tesa: str, trained_on: Mapping[str, Json] | None = None) -> dict[str, Json]:
    """Return the versions here, and those that a neural run recorded (CUDA, driver)."""
    installed: dict[str, Json] = {"tesa": tesa, "python": platform.python_version()}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            installed[name] = version(name)
    recorded = (trained_on or {}).get("versions")
    return installed | recorded if isinstance(recorded, dict) else installed


def hardware(trained_on: Mapping[str, Json] | None = None) -> dict[str, Json]:
    """Return this machine, with what a neural run recorded: device, GPU-hours, peak memory."""
    recorded = {name: value for name, value in (trained_on or {}).items() if name != "versions"}
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "device": "cpu",
        **recorded,
    }


def is_exact(machine: Mapping[str, Json]) -> bool:
    """Return whether a run on this machine gives the same bytes each time."""
    return str(machine.get("device", "cpu")).lower().startswith("cpu")


def sentence(machine: Mapping[str, Json]) -> str:
    """Return `hardware()` for people, without what is unknown."""
    count = machine.get("cores")
    cores = counted(count, "core") if isinstance(count, int) else ""
    return ", ".join(
        str(part)
        for part in (
            "" if is_exact(machine) else machine.get("device"),
            machine.get("processor"),
            cores,
            machine.get("machine"),
            machine.get("system"),
        )
        if part
    )


def _processor() -> str:
    try:
        text = CPU_INFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    return processor_in(text) or platform.processor()


def processor_in(text: str) -> str:
    """Return the processor's name from /proc/cpuinfo. Some ARM machines give only the board's name, others nothing."""
    pairs = [line.partition(":") for line in text.splitlines()]
    values = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return next((values[name] for name in NAMED if values.get(name) and not values[name].isdigit()), "")
