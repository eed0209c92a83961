"""Adam on flat weights: fp32 masters, weight decay on every weight as in fairseq, clipping, and fp16's loss scale.

Calls torch's fused kernel itself: `torch.optim` would take seconds to import, and would wait for the GPU in fp16.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

import torch
from torch import Tensor

from modeling.rankers.neural.bart import Weights
from modeling.rankers.neural.settings import NeuralSettings

HAS_TRITON = find_spec("triton") is not None  # the CPU builds of torch come without it
if HAS_TRITON:
    from modeling.rankers.neural import direct_update as direct
    from modeling.rankers.neural.direct_update import GradientPlaces

FIRST_SCALE, GROWTH, BACKOFF, PATIENCE = 128.0, 2.0, 0.5, 2000  # of the loss in fp16: the first as in fairseq


class Optimizer:
    """One kernel updates all masters; the weights of a lower precision are a copy of them.

    With `is_direct`, an update of one batch takes the gradients from where a CUDA graph leaves them: `record` in the
    graph, `places` once after it, `take` at each replay.
    """

    def __init__(self, weights: Weights, settings: NeuralSettings, *, is_scaled: bool, is_direct: bool = False) -> None:
        self.weights, self.settings, self.is_scaled, self.is_direct = weights, settings, is_scaled, is_direct
        weights.learn()
        self.master = weights.flat if weights.flat.dtype == torch.float32 else weights.flat.float()
        self.gradients = torch.zeros_like(self.master)
        self.pieces = [*weights.views_of(self.gradients).values()]
        self.is_empty = True  # no gradients since the last step
        self.taken: GradientPlaces | None = None
        self.recorded: list[Tensor] = []
        self.first, self.second = torch.zeros_like(self.master), torch.zeros_like(self.master)
        self.count = torch.zeros((), device=self.master.device)
        self.betas = torch.tensor((settings.beta1, settings.beta2), dtype=torch.float64, device=self.master.device)
        self.scale = torch.full((), FIRST_SCALE if is_scaled else 1.0, device=self.master.device)
        self.growth = torch.zeros((), dtype=torch.int32, device=self.master.device)

    def backward(self, loss: Tensor) -> None:
        """Add the gradients of this loss to those of the update."""
        gradients = self._gradients(loss)
        if self.is_empty:
            torch._foreach_copy_(self.pieces, gradients)
        else:
            torch._foreach_add_(self.pieces, [piece.float() for piece in gradients])
        self.is_empty = False

    def record(self, loss: Tensor) -> None:
        """Compute the gradients inside a graph."""
        self.is_empty = True
        if self.is_direct:
            self.recorded = direct.placed(self._gradients(loss))
        else:
            self.backward(loss)

    def places(self) -> GradientPlaces | None:
        """Return where the graph that was just recorded leaves its gradients; None if they are copied."""
        places = direct.GradientPlaces(self.recorded, self.weights.starts) if self.recorded else None
        self.recorded = []
        return places

    def take(self, places: GradientPlaces | None) -> None:
        """Take the gradients of a graph that was replayed as those of this update."""
        self.is_empty, self.taken = False, places

    def _gradients(self, loss: Tensor) -> tuple[Tensor, ...]:
        scaled = loss * self.scale if self.is_scaled else loss
        gradients: tuple[Tensor, ...] = torch.autograd.grad(
            scaled, [*self.weights.views.values()], materialize_grads=True
        )
        return gradients

    def collected(self) -> Tensor:
        """Return the gradients of the update; zeros if this process had nothing to compute."""
        return self.gradients.zero_() if self.is_empty else self.gradients

    def step(self, learning_rate: float) -> None:
        """Change the weights and forget the gradients. Nothing here waits for the GPU."""
        if self.taken:
            self._step_directly(self.taken, learning_rate)
            return
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

    def _step_directly(self, places: GradientPlaces, learning_rate: float) -> None:
        self.count += 1
        chosen = self.settings
        direct.update(
            places, self.master, self.first, self.second, self.weights.flat, (1 - self.betas**self.count).float(),
            learning_rate=float(learning_rate), beta1=chosen.beta1, beta2=chosen.beta2, epsilon=chosen.epsilon,
            weight_decay=float(chosen.weight_decay),
        )  # fmt: skip
        self.is_empty, self.taken = True, None

    def tensors(self) -> dict[str, Tensor]:
        """Return what a checkpoint needs."""
        names = ("master", "first", "second", "count", "scale", "growth")
        return {name: getattr(self, name) for name in names}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        for name, tensor in self.tensors().items():
            tensor.copy_(tensors[name])
        if self.master is not self.weights.flat:
            self.weights.flat.copy_(self.master)
