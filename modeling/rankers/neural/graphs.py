"""The pass of a batch as one CUDA graph: with small batches a GPU is faster than Python can start its 2,000 kernels.

A graph has fixed sizes, so there is one for each size, rounded up. What is missing becomes sequences of their own:
flash attention leaves the gradients of rows outside every sequence unwritten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from modeling.rankers.neural.attention import Segments
from modeling.rankers.neural.bart import Bart, Rates
from modeling.rankers.neural.kinds import CrossEncoder, Pairs, Seq2Seq
from modeling.rankers.neural.optimizer import Optimizer
from modeling.rankers.neural.texts import START

ROUNDING = 256  # tokens
ROUNDING_TARGETS = 64  # tokens of the phrases to be learned
LARGEST = 9_216  # tokens; in larger batches the GPU is the limit, and a graph would only take memory
MOST = 96  # graphs; further sizes are computed without one
PAD = 1


class ClassGraphs:
    """Loss and gradients of the cross-encoder's two classes: a graph for each number of tokens and of sentences."""

    def __init__(
        self, kind: CrossEncoder, bart: Bart, rates: Rates, optimizer: Optimizer, batches: Iterable[Pairs]
    ) -> None:
        self.kind, self.bart, self.rates, self.optimizer = kind, bart, rates, optimizer
        self.pool = torch.cuda.graph_pool_handle()
        self.captured = {key: _Classes(self, *key) for key in _frequent(self._key(pairs) for pairs in batches)}

    def backward(self, pairs: Pairs, weight: int) -> Tensor | None:
        """Leave the gradients in the optimizer and return the loss; None if this size has no graph."""
        graph = self.captured.get(self._key(pairs))
        return graph and graph.replay(*self.kind.arrays(pairs), weight)

    def _key(self, pairs: Pairs) -> tuple[int, int]:
        return _rounded(self.kind.size(pairs) + 1, ROUNDING), sum(len(numbers) for _, numbers in pairs)


class _Classes:
    def __init__(self, owner: ClassGraphs, tokens: int, sentences: int) -> None:
        self.owner, device = owner, owner.bart.device
        self.ids = torch.full((2, tokens), PAD, dtype=torch.int64, device=device)
        self.starts = torch.linspace(0, tokens, sentences + 2, device=device).to(torch.int32)
        self.classes = torch.zeros(sentences, dtype=torch.int64, device=device)
        self.share = torch.ones((), device=device)
        self.graph, self.loss = _capture(self._pass, owner.pool)
        self.places = owner.optimizer.places()

    def replay(self, ids: np.ndarray, lengths: list[int], classes: np.ndarray, weight: int) -> Tensor:
        _fill(self.ids, _padded(ids, self.ids.shape[1], PAD))
        _fill(self.starts, _starts(lengths, len(lengths) + 1, self.ids.shape[1]))
        _fill(self.classes, classes)
        self.share.fill_(1 / weight)
        self.graph.replay()
        self.owner.optimizer.take(self.places)
        return self.loss.clone()

    def _pass(self) -> Tensor:
        owner = self.owner
        segments = _segments(self.starts, self.ids.shape[1], owner.bart)
        logits = owner.kind.logits(owner.bart, self.ids, segments, owner.rates)[:-1]
        loss = functional.cross_entropy(logits, self.classes, reduction="sum") * self.share
        owner.optimizer.record(loss)
        return loss.detach()


class TokenGraphs:
    """Loss and gradients of the tokens of phrases. All graphs have as many sequences as the largest batch and one more,
    so that only the numbers of tokens tell them apart."""

    def __init__(self, kind: Seq2Seq, bart: Bart, rates: Rates, optimizer: Optimizer, batches: Sequence[Pairs]) -> None:
        self.kind, self.bart, self.rates, self.optimizer = kind, bart, rates, optimizer
        self.slots = max(map(len, batches)) + 1
        self.pool = torch.cuda.graph_pool_handle()
        self.captured = {key: _Tokens(self, *key) for key in _frequent(self._key(pairs) for pairs in batches)}

    def backward(self, pairs: Pairs, weight: int) -> Tensor | None:
        """Leave the gradients in the optimizer and return the loss; None if this size has no graph."""
        graph = self.captured.get(self._key(pairs))
        return graph and graph.replay(*self.kind.arrays(pairs), weight)

    def _key(self, pairs: Pairs) -> tuple[int, int]:
        missing = self.slots - len(pairs)
        texts, targets = self.kind.sizes(pairs)
        return _rounded(texts + missing, ROUNDING), _rounded(targets + missing, ROUNDING_TARGETS)


class _Tokens:
    def __init__(self, owner: TokenGraphs, tokens: int, targets: int) -> None:
        self.owner, device, slots = owner, owner.bart.device, owner.slots
        self.texts = torch.full((tokens,), PAD, dtype=torch.int64, device=device)
        self.ids = torch.full((2, targets), START, dtype=torch.int64, device=device)
        self.read = torch.linspace(0, tokens, slots + 1, device=device).to(torch.int32)
        self.written = torch.linspace(0, targets, slots + 1, device=device).to(torch.int32)
        self.share = torch.ones((), device=device)
        self.graph, self.loss = _capture(self._pass, owner.pool)
        self.places = owner.optimizer.places()

    def replay(self, texts: np.ndarray, ids: np.ndarray, read: list[int], lengths: list[int], weight: int) -> Tensor:
        _fill(self.texts, _padded(texts[None], len(self.texts), PAD)[0])
        _fill(self.ids, _padded(ids, self.ids.shape[1], START))  # the loss leaves `<s>` out
        _fill(self.read, _starts(read, self.owner.slots, len(self.texts)))
        _fill(self.written, _starts(lengths, self.owner.slots, self.ids.shape[1]))
        self.share.fill_(1 / weight)
        self.graph.replay()
        self.owner.optimizer.take(self.places)
        return self.loss.clone()

    def _pass(self) -> Tensor:
        owner = self.owner
        read = _segments(self.read, len(self.texts), owner.bart)
        written = _segments(self.written, self.ids.shape[1], owner.bart)
        loss = owner.kind.token_loss(owner.bart, self.texts, self.ids, read, written, written, owner.rates) * self.share
        owner.optimizer.record(loss)
        return loss.detach()


Graphs = ClassGraphs | TokenGraphs


def _capture(compute: Callable[[], Tensor], pool: tuple[int, int]) -> tuple[torch.cuda.CUDAGraph, Tensor]:
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):  # kernels choose their plans before they are recorded
        compute()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        loss = compute()
    return graph, loss


def _frequent(keys: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the sizes that get a graph, the largest first: later graphs reuse its memory."""
    counts = Counter(key for key in keys if key[0] <= LARGEST)
    return sorted((key for key, _ in counts.most_common(MOST)), reverse=True)


def _rounded(number: int, step: int) -> int:
    return -(-number // step) * step


def _padded(rows: np.ndarray, size: int, value: int) -> np.ndarray:
    padded = np.full((len(rows), size), value, dtype=np.int64)
    padded[:, : rows.shape[1]] = rows
    return padded


def _starts(lengths: list[int], slots: int, total: int) -> np.ndarray:
    """Return where each sequence starts, and the end: after the real ones a long one, then some of one token each."""
    starts = np.zeros(slots + 1, dtype=np.int32)
    np.cumsum(lengths, out=starts[1 : len(lengths) + 1])
    short = slots - len(lengths) - 1
    starts[len(lengths) + 1 :] = np.arange(total - short, total + 1)
    return starts


def _segments(starts: Tensor, tokens: int, bart: Bart) -> Segments:
    return Segments((0,) * (len(starts) - 1), starts, min(bart.shape.positions, tokens))


def _fill(tensor: Tensor, values: np.ndarray) -> None:
    tensor.copy_(torch.from_numpy(values).pin_memory(), non_blocking=True)
