"""Checkpoints from which a training continues bit by bit: written aside and renamed, the last two kept."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from kernel.values import Json, canonical_json

KEPT = 2


@dataclass
class Position:
    """How far a training is. The random numbers of an update depend on the seed and its number alone."""

    update: int = 0
    losses: float = 0.0  # sum since the last validation
    counted: int = 0  # updates in that sum
    best: float = -1.0  # validation MAP
    chosen: int = 0  # the update with the best weights
    stale: int = 0  # validations since then
    seconds: float = 0.0  # of all attempts
    curve: list[dict[str, Json]] = field(default_factory=list)


def best_path(folder: Path, update: int) -> Path:
    return folder / f"best-{update:08d}.safetensors"


def save_best(folder: Path, update: int, weights: Tensor) -> None:
    _save(best_path(folder, update), {"weights": weights}, {})


def save_checkpoint(folder: Path, position: Position, tensors: Mapping[str, Tensor]) -> None:
    """Write the checkpoint, then delete all but the last two, and every best that no kept one names."""
    _save(folder / f"step-{position.update:08d}.safetensors", tensors, asdict(position))
    steps = sorted(folder.glob("step-*.safetensors"))
    for old in steps[:-KEPT]:
        old.unlink()
    named = {best_path(folder, _position(path).chosen) for path in steps[-KEPT:]}
    for path in folder.glob("best-*.safetensors"):
        if path not in named:
            path.unlink()


def newest_checkpoint(folder: Path) -> tuple[Position, dict[str, Tensor]] | None:
    """Return the newest checkpoint that can be read; None to start at the beginning."""
    for path in sorted(folder.glob("step-*.safetensors"), reverse=True):
        try:
            return _position(path), read_file(path)
        except (SafetensorError, OSError, ValueError, KeyError):
            path.unlink()
    return None


def read_file(path: Path) -> dict[str, Tensor]:
    with safe_open(path, framework="pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a mapping)


def _position(path: Path) -> Position:
    with safe_open(path, framework="pt") as file:
        values = json.loads(file.metadata()["position"])
    return Position(**{attribute.name: values[attribute.name] for attribute in fields(Position)})


def _save(path: Path, tensors: Mapping[str, Tensor], position: dict[str, Json]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_suffix(".new")
    save_file(
        {name: tensor.detach().cpu() for name, tensor in tensors.items()},
        aside,
        metadata={"position": canonical_json(position)},
    )
    handle = os.open(aside, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    aside.replace(path)
