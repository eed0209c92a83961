"""Adam on flat weights: fp32 masters, weight decay on every weight as in fairseq, clipping, and fp16's loss scale.

Calls torch's fused kernel itself: `torch.optim` would take seconds to import, and would wait for the GPU in fp16.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from modeling.rankers.neural.bart import Weights
from modeling.rankers.neural.settings import NeuralSettings

FIRST_SCALE, GROWTH, BACKOFF, PATIENCE = 128.0, 2.0, 0.5, 2000  # of the loss in fp16: the first as in fairseq


class Optimizer:
    """One kernel updates all masters; the weights of a lower precision are a copy of them."""

    def __init__(self, weights: Weights, settings: NeuralSettings, *, is_scaled: bool) -> None:
        self.weights, self.settings, self.is_scaled = weights, settings, is_scaled
        weights.learn()
        self.master = weights.flat if weights.flat.dtype == torch.float32 else weights.flat.float()
        self.gradients = torch.zeros_like(self.master)
        self.pieces = [*weights.views_of(self.gradients).values()]
        self.is_empty = True  # no gradients since the last step
        self.first, self.second = torch.zeros_like(self.master), torch.zeros_like(self.master)
        self.count = torch.zeros((), device=self.master.device)
        self.scale = torch.full((), FIRST_SCALE if is_scaled else 1.0, device=self.master.device)
        self.growth = torch.zeros((), dtype=torch.int32, device=self.master.device)

    def backward(self, loss: Tensor) -> None:
        """Add the gradients of this loss to those of the update."""
        scaled = loss * self.scale if self.is_scaled else loss
        found = torch.autograd.grad(scaled, [*self.weights.views.values()], materialize_grads=True)
        if self.is_empty:
            torch._foreach_copy_(self.pieces, found)
        else:
            torch._foreach_add_(self.pieces, [piece.float() for piece in found])
        self.is_empty = False

    def collected(self) -> Tensor:
        """Return the gradients of the update; zeros if this process had nothing to compute."""
        return self.gradients.zero_() if self.is_empty else self.gradients

    def step(self, learning_rate: float) -> None:
        """Change the weights and forget the gradients. Nothing here waits for the GPU."""
        overflow = None
        if self.is_scaled:
            overflow = (~torch.isfinite(self.gradients).all()).float()  # the kernel then leaves the weights alone
            self.gradients.div_(self.scale)
        if self.settings.clip_norm:
            self.gradients.mul_((self.settings.clip_norm / (self.gradients.norm() + 1e-6)).clamp(max=1.0))
        self.count += 1 if overflow is None else 1 - overflow
        torch._fused_adamw_(
            [self.master], [self.gradients], [self.first], [self.second], [], [self.count],
            lr=learning_rate, beta1=self.settings.beta1, beta2=self.settings.beta2, eps=self.settings.epsilon,
            weight_decay=self.settings.weight_decay, amsgrad=False, maximize=False, found_inf=overflow,
        )  # fmt: skip
        if overflow is not None:
            torch._amp_update_scale_(self.scale, self.growth, overflow, GROWTH, BACKOFF, PATIENCE)
        if self.master is not self.weights.flat:
            self.weights.flat.copy_(self.master)
        self.is_empty = True

    def tensors(self) -> dict[str, Tensor]:
        """Return what a checkpoint needs."""
        names = ("master", "first", "second", "count", "scale", "growth")
        return {name: getattr(self, name) for name in names}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        for name, tensor in self.tensors().items():
            tensor.copy_(tensors[name])
        if self.master is not self.weights.flat:
            self.weights.flat.copy_(self.master)
