"""The Python that has fairseq: an interpreter of its own, because fairseq's requirements do not fit beside ours."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from kernel.errors import InvalidInput
from kernel.values import Json

VARIABLE = "TESA_FAIRSEQ_PYTHON"
INSTALL = "make fairseq-env"
SCRIPT = Path(__file__).with_name("fairseq_script.py")
SECONDS = 120  # torch loads slowly from a cold disk


def interpreter() -> Path:
    """Return the interpreter that the environment names; raise InvalidInput if there is none."""
    value = os.environ.get(VARIABLE, "").strip()
    if not value:
        raise InvalidInput(f"this machine has no fairseq: run {INSTALL} there, and start its worker with {VARIABLE}")
    path = Path(value)
    if not path.is_file() or not os.access(path, os.X_OK):
        raise InvalidInput(f"{VARIABLE} names {value}, which is not a Python: run {INSTALL}, and give what it prints")
    return path.absolute()  # not resolved: the link itself says which environment it is


def environment(*, is_trusted: bool = True) -> dict[str, str]:
    """Return the variables of a child. fairseq's own checkpoints are pickles, which torch reads only if told to."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | ({"TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1"} if is_trusted else {})


def ask() -> Mapping[str, Json]:
    """Return versions and device as the interpreter reports them; raise InvalidInput if fairseq does not start."""
    path = interpreter()
    try:
        answer = subprocess.run(  # noqa: S603  (the interpreter that the administrator chose)
            [path, "-P", SCRIPT], capture_output=True, text=True, timeout=SECONDS, env=environment(), check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise InvalidInput(f"{VARIABLE} names {path}, which does not start ({error}): run {INSTALL}") from error
    try:
        return dict(json.loads(answer.stdout.strip().splitlines()[-1]))
    except (ValueError, IndexError, TypeError):
        why = last_line(answer.stderr or answer.stdout)
        raise InvalidInput(f"{VARIABLE} names {path}, where fairseq does not start ({why}): run {INSTALL}") from None


def last_line(output: str) -> str:
    """Return the last line that says something: of a traceback, the error itself."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it printed nothing"
