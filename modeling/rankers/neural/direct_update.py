"""Adam in one kernel that reads the gradients where a CUDA graph left them and writes the bf16 weights too.

Saves two passes over all weights: the copy of the gradients to fp32 and that of the masters to bf16. Only for updates
of one batch, on one GPU, without clipping. Needs triton, which the CUDA builds of torch bring.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import triton
import triton.language as tl
from torch import Tensor
from torch.nn import functional

from modeling.rankers.neural.attention import on_device

BLOCK = 4096  # elements of one program
UNIT = 16  # elements: what a thread reads at once


class GradientPlaces:
    """Where a graph leaves its gradients: one row of address, first element and number of elements for each program.

    Keeps addresses and no tensors, so that the next graph may use the same memory: an update reads the gradients before
    another graph runs.
    """

    def __init__(self, gradients: Sequence[Tensor], starts: Sequence[int]) -> None:
        rows = []
        for gradient, start in zip(gradients, starts, strict=True):
            at = np.arange(0, gradient.numel(), BLOCK, dtype=np.int64)
            sizes = np.minimum(gradient.numel() - at, BLOCK)
            rows.append(np.stack((gradient.data_ptr() + 2 * at, start + at, sizes), axis=1))
        self.table = on_device(np.concatenate(rows), gradients[0].device)


def placed(gradients: Sequence[Tensor]) -> list[Tensor]:
    """Return the gradients in rows without gaps, a multiple of UNIT long."""
    flat = [gradient.reshape(-1) for gradient in gradients]
    return [functional.pad(row, (0, -len(row) % UNIT)) if len(row) % UNIT else row for row in flat]


def update(
    places: GradientPlaces,
    master: Tensor,
    first: Tensor,
    second: Tensor,
    weights: Tensor,
    shares: Tensor,
    **settings: float,
) -> None:
    """Change masters, moments and weights. `shares`: how much of their mean the two moments hold by this update."""
    grid = (len(places.table),)
    _update[grid](places.table, master, first, second, weights, shares, **settings, BLOCK=BLOCK, num_warps=4)


@triton.jit  # type: ignore[untyped-decorator]
def _update(  # type: ignore[no-untyped-def]
    table, master, first, second, weights, shares, learning_rate, beta1, beta2, epsilon, weight_decay,
    BLOCK: tl.constexpr,
):  # fmt: skip
    # triton looks at annotations, and knows no Any
    row = table + 3 * tl.program_id(0)
    gradients = tl.multiple_of(tl.load(row).to(tl.pointer_type(tl.bfloat16)), 16)
    start = tl.multiple_of(tl.load(row + 1), 128)
    many = tl.multiple_of(tl.load(row + 2), 16)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < many
    at = start + offsets
    gradient = tl.load(gradients + offsets, inside, 0.0).to(tl.float32)
    mean = tl.load(first + at, inside, 0.0)
    square = tl.load(second + at, inside, 0.0)
    weight = tl.load(master + at, inside, 0.0)
    mean = mean + (1 - beta1) * (gradient - mean)
    square = beta2 * square + (1 - beta2) * gradient * gradient
    weight = weight - learning_rate * weight_decay * weight
    size = tl.sqrt(square / tl.load(shares + 1)) + epsilon
    weight = weight - learning_rate * mean / tl.load(shares) / size
    tl.store(first + at, mean, inside)
    tl.store(second + at, square, inside)
    tl.store(master + at, weight, inside)
    tl.store(weights + at, weight.to(tl.bfloat16), inside)
