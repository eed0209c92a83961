"""What went wrong, as an exit code and one sentence for people; a fault in the program stays a traceback."""

from __future__ import annotations

import errno

import torch

from kernel.errors import Cancelled, TesaError
from modeling.rankers.neural.work_folder import INTERRUPTED, REFUSED, STUCK, Stuck

NO_MEMORY = ("out of memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")
_GPU_LOST = ("CUDA error", "NCCL error", "CUDNN_STATUS", "CUBLAS_STATUS", "no longer available")


def is_out_of_memory(error: BaseException) -> bool:
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(text in str(error) for text in NO_MEMORY)


def code_and_sentence(error: Exception) -> tuple[int, str] | None:
    """Return how the command ends after this error; None for a fault in the program."""
    if isinstance(error, Cancelled):
        return INTERRUPTED, error.message
    if isinstance(error, Stuck):
        return STUCK, error.message
    if isinstance(error, TesaError):
        return REFUSED, error.message
    if _is_disk_full(error):
        return (
            STUCK,
            "The disk is full: free some space, then start the run again; it continues at its last checkpoint.",
        )
    if is_out_of_memory(error):
        return (
            STUCK,
            "Memory ran out: another process may hold it; choose a smaller model, a lower precision or another device.",
        )
    if any(text in str(error) for text in _GPU_LOST):
        first = str(error).strip().splitlines()[0]
        return STUCK, f"The GPU failed or was lost ({first}): start the run again; it continues at its last checkpoint."
    return None


def _is_disk_full(error: Exception) -> bool:
    number = getattr(error, "errno", None)
    return number in (errno.ENOSPC, errno.EDQUOT) or "No space left on device" in str(error)
