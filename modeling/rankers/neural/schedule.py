"""How the learning rate changes while a model learns, without torch."""

from __future__ import annotations


def learning_rate(update: int, *, peak: float, warmup: int, total: int) -> float:
    """Return the rate after `update` updates: rises to the peak during warm-up, then falls in a line to 0."""
    if update <= warmup:
        return peak * max(update, 1) / warmup if warmup else peak
    return peak * max(total - update, 0) / max(total - warmup, 1)
