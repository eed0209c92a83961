"""The neural command as a child process: starting it, following its folder, and ending it with its whole group."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from kernel.errors import InvalidInput, TesaError, WrongState
from kernel.progress import Progress
from kernel.values import Json
from modeling.devices import Reserved, reserved
from modeling.rankers.base import Reports
from modeling.rankers.neural.work_folder import FINISHED, INTERRUPTED, LOCKED, REFUSED, STUCK, WorkFolder

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "modeling.rankers.neural")
SECONDS_BETWEEN_LOOKS = 1.0
SECONDS_TO_SAVE = 60.0  # for the last checkpoint of a cancelled run
OUTPUT = "output.txt"
LINES = 20  # of the output of a command that crashed, for the log


class DeviceTaken(WrongState):
    """Another run is using every device of this machine."""


def run_command(
    folder: WorkFolder, progress: Progress, *, locks: Path, watch: Callable[[Reports], bool] | None = None
) -> None:
    """Run the command in a folder that holds its request, and follow it to its end.

    If `progress` or `watch` raises, the command saves a checkpoint and ends before the error goes on.
    """
    with reserved(locks) as device:
        if device is None:
            raise DeviceTaken("Another run is using this machine's device: wait for it, or cancel it first.")
        (folder.path / "cancel").unlink(missing_ok=True)  # of the attempt before
        child = _start(folder, device)
        try:
            _follow(child, folder, progress, watch)
        except BaseException:
            folder.ask("cancel")
            with suppress(subprocess.TimeoutExpired):
                child.wait(SECONDS_TO_SAVE)
            raise
        finally:
            with suppress(ProcessLookupError):  # whatever is left of it
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    _check(child.returncode, folder, progress)


def _start(folder: WorkFolder, device: Reserved) -> subprocess.Popen[bytes]:
    with (folder.path / OUTPUT).open("ab") as output:
        return subprocess.Popen(  # noqa: S603  (our own command)
            [*COMMAND, str(folder.path), "--with-parent"],
            cwd=ROOT,
            env={**os.environ, **device.environment()},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a group of its own, so that all of it can be ended
            pass_fds=(device.handle,),  # the device is taken as long as the command lives
        )


def _follow(
    child: subprocess.Popen[bytes], folder: WorkFolder, progress: Progress, watch: Callable[[Reports], bool] | None
) -> None:
    """Pass on what the command reports until it has ended."""
    seen = time.time()
    progress.report(0, None, "Loading the model")
    while True:
        with suppress(subprocess.TimeoutExpired):
            child.wait(SECONDS_BETWEEN_LOOKS)
        has_ended = child.returncode is not None
        rows = folder.progress()
        fresh = [row for row in rows if _number(row, "time") > seen]
        for row in fresh:
            _pass_on(row, progress)
        seen = max([seen, *(_number(row, "time") for row in fresh)])
        if watch and watch(rows):
            folder.ask("stop")
        if has_ended:
            return
        if not rows:
            progress.report(0, None, "Loading the model")  # so that a cancel is noticed


def _pass_on(row: Mapping[str, Json], progress: Progress) -> None:
    match row.get("kind"):
        case "update":
            step = f"Epoch {row['epoch']}: loss {_number(row, 'loss'):.3f}"
            progress.report(int(_number(row, "update")), int(_number(row, "updates")), step)
        case "score":
            progress.report(int(_number(row, "done")), int(_number(row, "total")), "Scoring")
        case "generate":
            progress.report(int(_number(row, "done")), int(_number(row, "total")), "Generating phrases")
        case "valid":
            progress.log(f"epoch {row['epoch']}: validation MAP {_number(row, 'valid_ap'):.3f}")
        case "resumed":
            progress.log(f"continued at update {row['update']}")
        case "note":
            progress.log(str(row.get("text", "")))


def _number(row: Mapping[str, Json], name: str) -> float:
    value = row.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _check(code: int, folder: WorkFolder, progress: Progress) -> None:
    """Raise a sentence unless the command has finished."""
    if code == FINISHED:
        return
    sentence = folder.state().sentence
    if code == REFUSED:
        raise InvalidInput(sentence or "the training command refused its request")
    if code == STUCK:
        raise TesaError(f"{sentence} Retry the job to continue at the last checkpoint.")
    if code == LOCKED:
        raise WrongState("Another process is training in this run's folder: wait for it, or cancel it first.")
    if code == INTERRUPTED:
        raise TesaError("Training was interrupted from outside. Retry the job to continue at the last checkpoint.")
    for line in (folder.path / OUTPUT).read_text(encoding="utf-8", errors="replace").splitlines()[-LINES:]:
        progress.log(line)
    how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
    raise TesaError(f"The training command {how}; the log shows its last lines. Retry the job to continue.")
