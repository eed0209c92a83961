"""The pass of a batch as one CUDA graph: at batch 8 a GPU is faster than Python can start its 2,000 small kernels.

A graph has fixed sizes, so there is one for each number of sentences and of tokens, rounded up. What is missing becomes
a sequence of its own: flash attention leaves the gradients of rows outside every sequence unwritten.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from modeling.rankers.neural.attention import Segments
from modeling.rankers.neural.bart import Bart, Rates
from modeling.rankers.neural.kinds import CrossEncoder, Pairs
from modeling.rankers.neural.optimizer import Optimizer

ROUNDING = 256  # tokens
LARGEST = 9_216  # tokens; in larger batches the GPU is the limit, and a graph would only take memory
MOST = 96  # graphs; further sizes are computed without one
PAD = 1


class GraphedLoss:
    """Loss and gradients of the cross-encoder's two classes. Largest batch first: later graphs reuse its memory."""

    def __init__(self, kind: CrossEncoder, bart: Bart, rates: Rates, optimizer: Optimizer) -> None:
        self.kind, self.bart, self.rates, self.optimizer = kind, bart, rates, optimizer
        self.pool = torch.cuda.graph_pool_handle()
        self.captured: dict[tuple[int, int], _Captured] = {}

    def backward(self, pairs: Pairs, weight: int) -> Tensor | None:
        """Leave the gradients in the optimizer and return the loss; None if this size gets no graph."""
        ids, lengths, classes = self.kind.arrays(pairs)
        key = (-(-(ids.shape[1] + 1) // ROUNDING) * ROUNDING, len(lengths))
        if key not in self.captured:
            if key[0] > LARGEST or len(self.captured) >= MOST:
                return None
            self.captured[key] = _Captured(self, *key)
        return self.captured[key].replay(ids, lengths, classes, weight)


class _Captured:
    def __init__(self, owner: GraphedLoss, tokens: int, sentences: int) -> None:
        self.owner, device = owner, owner.bart.device
        self.ids = torch.full((2, tokens), PAD, dtype=torch.int64, device=device)
        self.starts = torch.linspace(0, tokens, sentences + 2, device=device).to(torch.int32)
        self.classes = torch.zeros(sentences, dtype=torch.int64, device=device)
        self.share = torch.ones((), device=device)
        self.graph = torch.cuda.CUDAGraph()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # kernels choose their plans before they are recorded
            self._pass()
        torch.cuda.current_stream().wait_stream(side)
        with torch.cuda.graph(self.graph, pool=owner.pool):
            self.loss = self._pass()

    def replay(self, ids: np.ndarray, lengths: list[int], classes: np.ndarray, weight: int) -> Tensor:
        tokens, found = self.ids.shape[1], ids.shape[1]
        padded = np.full((2, tokens), PAD, dtype=np.int64)
        padded[:, :found] = ids
        starts = np.zeros(len(lengths) + 2, dtype=np.int32)
        np.cumsum(lengths, out=starts[1:-1])
        starts[-1] = tokens
        for tensor, values in ((self.ids, padded), (self.starts, starts), (self.classes, classes)):
            tensor.copy_(torch.from_numpy(values).pin_memory(), non_blocking=True)
        self.share.fill_(1 / weight)
        self.graph.replay()
        self.owner.optimizer.is_empty = False
        return self.loss.clone()

    def _pass(self) -> Tensor:
        owner = self.owner
        longest = min(owner.bart.shape.positions, self.ids.shape[1])
        segments = Segments((0,) * (len(self.classes) + 1), self.starts, longest)
        logits = owner.kind.logits(owner.bart, self.ids, segments, owner.rates)[:-1]
        loss = functional.cross_entropy(logits, self.classes, reduction="sum") * self.share
        owner.optimizer.is_empty = True
        owner.optimizer.backward(loss)
        return loss.detach()
