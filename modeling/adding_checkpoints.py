"""Adding a checkpoint to the folder where runs look for it: checked and copied, or converted from fairseq."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from kernel.atomic_files import write_lines
from kernel.errors import InvalidInput
from kernel.values import canonical_json
from modeling.rankers.neural.checkpoint_folders import COMPARED, PRESETS, CheckpointInfo, describe_folder
from modeling.rankers.neural.fairseq_python import VARIABLE
from modeling.rankers.neural_runs import INSTALL, has_torch


def add_checkpoint(
    source: Path, models: Path, *, name: str = "", head: str = "", is_trusted: bool = False
) -> CheckpointInfo:
    """Return what was added under `name` (default: the folder's own); raise InvalidInput if it cannot be used."""
    name = name or source.resolve().name
    target = models / name
    if name != Path(name).name or name.startswith(".") or name in PRESETS:
        raise InvalidInput(f"{name!r} cannot be the name of a checkpoint: choose another", field="name")
    if target.exists():
        raise InvalidInput(f"there is a checkpoint {name!r} in {models}: choose another name", field="name")
    checkpoint = describe_folder(source)
    if checkpoint.layout == "fairseq":
        _convert(source, target, head, is_trusted=is_trusted)
    elif checkpoint.problem:
        raise InvalidInput(checkpoint.problem)
    else:
        aside = models / f".{name}.new"
        shutil.rmtree(aside, ignore_errors=True)
        shutil.copytree(source, aside)
        aside.rename(target)
    return describe_folder(target)


def _convert(source: Path, target: Path, head: str, *, is_trusted: bool) -> None:
    if not has_torch():
        raise InvalidInput(f"converting fairseq's layout needs torch, which this machine lacks: run {INSTALL}")
    from modeling.rankers.neural.fairseq_comparison import compare  # loads torch
    from modeling.rankers.neural.fairseq_layout import convert

    convert(source, target, head=head, is_trusted=is_trusted)
    if not os.environ.get(VARIABLE):
        return
    try:
        difference = compare(source, target, is_trusted=is_trusted)
    except BaseException:
        shutil.rmtree(target)
        raise
    write_lines(target / COMPARED, [canonical_json({"largest difference of logits": difference})])
