"""The live workers that can train neural rankers, and the checkpoints they have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from kernel import selectors
from modeling.rankers.neural.checkpoint_folders import PRESETS
from modeling.rankers.neural.settings import PUBLISHED

QUEUE = "gpu"
MADE_IN_CODE = tuple(PRESETS)


@dataclass(frozen=True)
class TrainingMachine:
    """A live worker that serves the queue of neural rankers."""

    name: str
    version: str
    facts: dict[str, Any]

    @property
    def checkpoints(self) -> list[str]:
        """Return the names of the checkpoints that a run may start from there."""
        return [
            str(checkpoint["name"]) for checkpoint in self.facts.get("checkpoints", []) if not checkpoint["problem"]
        ]

    @property
    def fairseq(self) -> str:
        """Return the version of fairseq there; "" if it has none, or one that does not start."""
        return str(self.facts.get("fairseq", {}).get("versions", {}).get("fairseq", ""))

    @property
    def version_problem(self) -> str:
        """Return what to do if the worker runs another version than this site; "" if it runs the same."""
        if self.version in ("", settings.VERSION):
            return ""
        difference = f"the worker {self.name} runs TESA {self.version}, this site {settings.VERSION}"
        return f"{difference}: update that machine, and start its worker again"


def training_machines() -> list[TrainingMachine]:
    """Return the machines whose live workers can train neural rankers, each by one of its processes."""
    rows = [row for row in selectors.live_workers().order_by("-name") if QUEUE in row.queues]
    by_host = {row.name.rpartition(":")[0]: row for row in rows}
    return [TrainingMachine(row.name, row.version, row.facts) for _, row in sorted(by_host.items())]


def known_checkpoints(machines: Iterable[TrainingMachine]) -> list[str]:
    """Return the names of the checkpoints that a run could start from, those made in code last."""
    return [*sorted({name for machine in machines for name in machine.checkpoints}), *MADE_IN_CODE]


def suggested_checkpoint(names: Sequence[str]) -> str:
    """Return the paper's checkpoint where a worker has it, else the tiny one."""
    return PUBLISHED if PUBLISHED in names else MADE_IN_CODE[0]
