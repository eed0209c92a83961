"""Makers for tests with torch: tiny models, tasks and folders."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from modeling.rankers.neural.request import TaskText, make_request, write_request
from modeling.rankers.neural.work_folder import WorkFolder

# Four crafts, each named in a background; the gold is the one that the text names. Every phrase is equally frequent.
CRAFTS = {"painted": "painters", "sang": "singers", "ruled": "kings", "built": "builders"}
NAMES = ("Ida Lind", "Olaf Brandt", "Mara Voss", "Tim Hale", "Nora Quist", "Emil Roth")
COMMAND = (sys.executable, "-m", "modeling.rankers.neural")


def toy_rows(part: str, count: int, *, start: int = 0) -> list[TaskText]:
    rows = []
    for number in range(start, start + count):
        verb, gold = [*CRAFTS.items()][number % len(CRAFTS)]
        first, second = NAMES[number % 6], NAMES[(number // 6 + 1 + number) % 6]
        text = (
            f"{first} {verb} in the north. {second} {verb} too. News: they met in town {number % 7}. {first}, {second}"
        )
        candidates = tuple((phrase, int(phrase == gold)) for phrase in CRAFTS.values())
        rows.append(TaskText(part, f"{part}-{number}", text, f"{first}, {second}", candidates))
    return rows


def toy_folder(
    path: Path,
    ranker: str = "cross-encoder",
    *,
    checkpoint: str = "tiny",
    seed: int = 3,
    sizes=(24, 8, 8),
    device="cpu",
    **settings,
) -> WorkFolder:
    """Write a request that runs in seconds."""
    short = {"epochs": 2, "learning_rate": 1e-3, "max_tokens": 600, "max_sentences": 16}
    request = make_request(ranker, {**short, **settings}, checkpoint, device=device, seed=seed)
    parts = zip(("train", "valid", "test"), sizes, (0, 100, 200), strict=True)
    rows = [row for part, size, start in parts for row in toy_rows(part, size, start=start)]
    path.mkdir(parents=True, exist_ok=True)
    write_request(path, request, rows)
    return WorkFolder(path)


def run_command(folder: WorkFolder, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, str(folder.path), *options], capture_output=True, text=True, timeout=120)
