"""What a worker says of its own machine: device, memory, versions, checkpoints. Web processes never import this."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from kernel.errors import TesaError
from modeling.devices import devices
from modeling.rankers.neural import fairseq_python
from modeling.rankers.neural.checkpoint_folders import checkpoints_in
from modeling.rankers.neural_command import ROOT
from modeling.rankers.neural_runs import has_torch
from modeling.selectors.training_machines import QUEUE

logger = logging.getLogger(__name__)
PROBE = (
    "import json; from modeling.rankers.neural.machine import Machine;"
    " print(json.dumps(Machine.choose('auto', 'auto').facts()))"
)
PROBE_SECONDS = 120  # torch loads slowly from a cold disk


def facts_here(queues: Sequence[str]) -> dict[str, Any]:
    """Return device, memory, versions and checkpoint folders of this machine; nothing unless it trains."""
    if QUEUE not in queues or not has_torch():
        return {}
    checkpoints = [checkpoint.to_json() for checkpoint in checkpoints_in(Path(settings.MODELS_DIR))]
    return {
        **_machine(),
        "devices": len(devices()),
        "models": str(settings.MODELS_DIR),
        "checkpoints": checkpoints,
        "fairseq": _fairseq(),
    }


@cache
def _fairseq() -> dict[str, Any]:
    """Return the versions of fairseq's interpreter, or what is wrong with it; nothing if none is named."""
    if not os.environ.get(fairseq_python.VARIABLE):
        return {}
    try:
        return {"versions": fairseq_python.ask()["versions"]}
    except TesaError as error:
        logger.warning("fairseq does not start here error=%s", error)
        return {"problem": error.message}


@cache
def _machine() -> dict[str, Any]:
    """Ask a child process: a worker that has loaded CUDA could not fork any more."""
    try:
        answer = subprocess.run(  # noqa: S603  (our own command)
            [sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True, timeout=PROBE_SECONDS, check=True
        )
        return dict(json.loads(answer.stdout))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        logger.warning("torch does not start here error=%s", error)
        return {"problem": "torch is installed but does not start: see the worker's log"}
