"""Where a run computes: the device and precision, and the other processes when torchrun started several."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed

from kernel.errors import InvalidInput
from kernel.values import Json
from modeling.rankers.neural.work_folder import Stuck

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
PACKAGES = ("torch", "transformers", "tokenizers", "safetensors", "numpy")
QUERY = ("nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits")
DRIVER = Path("/proc/driver/nvidia/version")
T = TypeVar("T")


@dataclass
class Machine:
    """The device of this process. All processes decide, add up and gather together; process 0 writes."""

    device: torch.device
    precision: str
    rank: int = 0
    world: int = 1
    talk: Any = None  # a group for decisions, on the CPU, so that they never wait for the GPU
    _busy: subprocess.Popen[str] | None = field(default=None, repr=False)

    @classmethod
    def choose(cls, device: str, precision: str) -> Machine:
        rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        chosen = _device(device, int(os.environ.get("LOCAL_RANK", "0")) if world > 1 else None)
        if precision == "auto":
            precision = "bf16" if chosen.type == "cuda" else "fp32"
        if chosen.type == "cuda":
            torch.cuda.set_device(chosen)
        talk = None
        if world > 1:
            distributed.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
            talk = distributed.new_group(backend="gloo")
        return cls(chosen, precision, rank, world, talk)

    @property
    def dtype(self) -> torch.dtype:
        return DTYPES[self.precision]

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def share(self, values: Sequence[T]) -> list[T]:
        """Return the values that this process computes."""
        return [*values[self.rank :: self.world]]

    def add_up(self, tensor: Tensor) -> None:
        if self.world > 1:
            distributed.all_reduce(tensor)

    def agree(self, decision: T) -> T:
        """Return the decision of process 0."""
        if self.world == 1:
            return decision
        box = [decision]
        distributed.broadcast_object_list(box, src=0, group=self.talk)
        return box[0]

    def gather(self, values: list[T], total: int) -> list[T]:
        """Return the values of all processes in the order of the sequence that `share` divided."""
        if self.world == 1:
            return values
        parts: list[list[T]] = [[] for _ in range(self.world)]
        distributed.all_gather_object(parts, values, group=self.talk)
        return [parts[number % self.world][number // self.world] for number in range(total)]

    def wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def peak_memory(self) -> int:
        return torch.cuda.max_memory_allocated(self.device) if self.device.type == "cuda" else 0

    def busy(self) -> int | None:
        """Return how busy the GPU was when this was last called, in per cent: the answer is never waited for."""
        if self.device.type != "cuda":
            return None
        answer = ""
        if self._busy is not None and self._busy.poll() == 0 and self._busy.stdout is not None:
            answer = self._busy.stdout.read().strip()
        try:
            if self._busy is None or self._busy.poll() is not None:
                command = [*QUERY, f"--id={self.device.index or 0}"]
                self._busy = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
        except OSError:
            return None
        return int(answer) if answer.isdecimal() else None

    def facts(self) -> dict[str, Json]:
        """Return device and versions, for machine.json."""
        is_cuda = self.device.type == "cuda"
        return {
            "device": torch.cuda.get_device_name(self.device) if is_cuda else f"CPU ({platform.machine()})",
            "precision": self.precision,
            "processes": self.world,
            "memory": torch.cuda.get_device_properties(self.device).total_memory if is_cuda else 0,
            "versions": {
                **{name: _version(name) for name in PACKAGES},
                "cuda": torch.version.cuda or "",
                "driver": _driver(),
            },
        }


def _device(name: str, number: int | None) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    kind, _, index = name.partition(":")
    if kind not in ("cpu", "cuda") or (index and not index.isdecimal()):
        raise InvalidInput(f"unknown device {name!r}: choose auto, cpu, cuda or cuda:1")
    if kind == "cpu":
        return torch.device("cpu")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    at = number if number is not None else int(index or 0)
    if at >= count:
        raise Stuck(
            f"{name} was asked for, but this machine has {count or 'no'} GPU{'s' * (count > 1)} that torch can use"
        )
    return torch.device("cuda", at)


def _driver() -> str:
    """Return the version of NVIDIA's driver, as its kernel module reports it; "" without one."""
    try:
        first = DRIVER.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
    except OSError:
        return ""
    return next((word for word in first.split() if re.fullmatch(r"\d+\.\d+(\.\d+)?", word)), "")


def _version(name: str) -> str:
    try:
        return version(name)
    except ModuleNotFoundError:
        return ""
