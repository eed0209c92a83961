"""A job that checks whether a worker serves this queue and can reach the database and the file storage."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection

from kernel.errors import TesaError
from kernel.job_kind import JobKind, JobResult
from kernel.progress import Progress

ROUNDS_PER_SECOND = 4
SAMPLE = bytes(range(256)) * 256  # 64 KiB


def check_worker(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Use the database and the file storage several times a second for `seconds`; report the median times."""
    rounds = int(parameters.get("seconds", 10)) * ROUNDS_PER_SECOND
    progress.log(f"Python {platform.python_version()} on {platform.node()} ({platform.machine()})")
    progress.log(f"Accelerator: {accelerator()}")
    database_ms, storage_ms = [], []
    for number in range(1, rounds + 1):
        started = time.monotonic()
        database_ms.append(milliseconds(ask_database))
        storage_ms.append(milliseconds(use_storage))
        progress.report(number, rounds, f"Round {number} of {rounds}")
        time.sleep(max(0.0, 1 / ROUNDS_PER_SECOND - (time.monotonic() - started)))
    return JobResult(
        f"{rounds} rounds without a fault: database {statistics.median(database_ms):.1f} ms, "
        f"64 KiB through the file storage {statistics.median(storage_ms):.1f} ms (medians)."
    )


def milliseconds(work: Callable[[], None]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def ask_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()


def use_storage() -> None:
    name = default_storage.save("checks/worker.bin", ContentFile(SAMPLE))
    try:
        with default_storage.open(name) as file:
            if file.read() != SAMPLE:
                raise TesaError(f"The file storage returned other bytes than were written ({name}).")
    finally:
        default_storage.delete(name)


def accelerator() -> str:
    """Return the GPU's name, or the reason why there is none."""
    if find_spec("torch") is None:
        return "none (torch is not installed here)"
    import torch

    return str(torch.cuda.get_device_name(0)) if torch.cuda.is_available() else "none that torch can use"


CHECK_WORKER = JobKind(label="Check worker", queue="default", run=check_worker, repeatable=False)
