"""Stands in for the neural command where torch is absent: keeps the contract of its folder, learns nothing.

TESA_STAND_IN says how it behaves: "" finishes at once; "waits" trains until it is asked to stop or cancel;
"refuses", "stuck" and "crashes" end as the names say.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from modeling.rankers.neural.request import TaskText, read_request
from modeling.rankers.neural.work_folder import INTERRUPTED, REFUSED, STUCK, WorkFolder, file_hashes


def number(text: str) -> float:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 2**32


def phrases_of(row: TaskText) -> list[tuple[str, float]]:
    """Return the first gold, a phrase that nobody wrote, and the entities themselves."""
    first = max(row.candidates, key=lambda pair: pair[1])[0]
    return [(first.upper(), -0.5), ("visitors from afar", -1.0), (row.names, -2.0)]


def main() -> int:
    path, how = Path(sys.argv[1]), os.environ.get("TESA_STAND_IN", "")
    folder = WorkFolder(path)
    with folder.locked():
        return work(folder, how)


def work(folder: WorkFolder, how: str) -> int:
    request, rows = read_request(folder.path)
    folder.enter("starting")
    if how == "refuses":
        folder.enter("failed", "The tasks have no distractors.")
        return REFUSED
    if how == "crashes":
        raise ZeroDivisionError("seven by zero")
    if (folder.path / "checkpoints").exists():
        folder.report("resumed", update=1)
    (folder.path / "checkpoints").mkdir(exist_ok=True)
    folder.enter("training")
    fields = {"updates": 10, "epoch": 1, "learning_rate": 1e-5, "samples_per_second": 8.0, "tokens_per_second": 900.0}
    folder.report("update", update=1, loss=0.7, seconds_left=9.0, memory=10**9, busy=None, **fields)
    if how == "stuck":
        folder.enter("failed", "The GPU ran out of memory; a batch of 4 fits.")
        return STUCK
    ended = "all epochs"
    if how == "waits":
        child = subprocess.Popen(["sleep", "1000"])
        (folder.path / "grandchild").write_text(str(child.pid))
        while not (folder.is_asked("stop") or folder.is_asked("cancel")):
            time.sleep(0.02)
        ended = "asked to stop"
    if folder.is_asked("cancel"):
        folder.enter("interrupted")
        return INTERRUPTED
    folder.report("valid", update=10, epoch=1, loss=0.5, valid_ap=0.6)
    folder.enter("scoring")
    (folder.path / "model").mkdir(exist_ok=True)
    (folder.path / "model" / "model.safetensors").write_bytes(b"weights" * 1000)
    scored = [row for row in rows if row.part != "train"]
    seed = f"{request.seed} {request.settings.text_format}"
    scores = [(row.part, row.key, [number(f"{seed} {row.key} {text}") for text, _ in row.candidates]) for row in scored]
    folder.write_scores(scores)
    if request.settings.kind == "seq2seq":
        folder.write_generations([(row.part, row.key, phrases_of(row)) for row in scored])
    folder.write("machine.json", {"device": "CPU (stand-in)", "gpu_hours": 0.0, "versions": {"torch": "9.9"}})
    curve = [{"epoch": 1, "update": 10, "loss": 0.5, "valid_ap": 0.6}]
    files = file_hashes(folder.path / "model")
    model: dict[str, Any] = {
        "schema": 1,
        "ranker": request.ranker,
        "seed": request.seed,
        "curve": curve,
        "ended": ended,
        "files": files,
    }
    folder.write("model.json", model)
    folder.enter("finished")
    return 0


if __name__ == "__main__":
    sys.exit(main())
