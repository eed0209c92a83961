"""transformers' own training step, on the batches that a training of ours has seen.

Scaled dot product attention, batches padded to their longest sequence, torch's fused AdamW, no schedule and no
clipping, as in ours. On a GPU twice: weights in fp32 under autocast, as its Trainer does with `bf16=True`, and weights
in bf16, which is faster and less exact (ours keeps fp32 masters). Both are limited by the processor that starts the
kernels, and vary with it: the median of pieces of 20 updates is given.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from modeling.rankers.neural.batches import Batch
from modeling.rankers.neural.checkpoint_folders import BartShape
from modeling.rankers.neural.kinds import CrossEncoder, NeuralKind, Pairs, Seq2Seq
from modeling.rankers.neural.machine import Machine
from modeling.rankers.neural.settings import NeuralSettings, Seq2SeqSettings
from modeling.rankers.neural.training import Training

PADDING, IGNORED = 1, -100
PIECE = 20  # updates


class PeerTraining:
    """A model of transformers with random weights of the same shape, and its optimizer."""

    def __init__(self, shape: BartShape, settings: NeuralSettings, machine: Machine, *, weights: torch.dtype) -> None:
        from transformers import BartConfig, BartForConditionalGeneration, BartForSequenceClassification

        torch.manual_seed(1)
        self.settings, self.machine = settings, machine
        self.is_autocast = weights is torch.float32 and machine.precision == "bf16"
        rates = {"dropout": settings.dropout, "attention_dropout": settings.attention_dropout}
        config = BartConfig(**shape.to_config(), num_labels=2, **rates)
        kind = BartForConditionalGeneration if isinstance(settings, Seq2SeqSettings) else BartForSequenceClassification
        self.model = kind(config).to(machine.device, weights).train()
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=settings.learning_rate, betas=(settings.beta1, settings.beta2),
            eps=settings.epsilon, weight_decay=settings.weight_decay, fused=machine.device.type == "cuda",
        )  # fmt: skip

    def update(self, kind: NeuralKind, batches: Sequence[Pairs]) -> None:
        """Learn from the batches of one update."""
        for pairs in batches:
            with torch.autocast(self.machine.device.type, torch.bfloat16, enabled=self.is_autocast):
                loss = self._loss(kind, pairs)
            (loss / len(batches)).backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def _loss(self, kind: NeuralKind, pairs: Pairs) -> Tensor:
        if isinstance(kind, CrossEncoder):
            return self._classes(kind, pairs)
        assert isinstance(kind, Seq2Seq)
        return self._generative(kind, pairs)

    def _classes(self, kind: CrossEncoder, pairs: Pairs) -> Tensor:
        ids, lengths, classes = kind.arrays(pairs)
        inputs = self._padded(ids[0], lengths, PADDING)
        answer = self.model(
            input_ids=inputs, attention_mask=(inputs != PADDING).long(), labels=self._moved(torch.from_numpy(classes))
        )
        loss: Tensor = answer.loss
        return loss

    def _generative(self, kind: Seq2Seq, pairs: Pairs) -> Tensor:
        texts, ids, read, lengths = kind.arrays(pairs)
        inputs, targets = self._padded(texts, read, PADDING), self._padded(ids[1], lengths, IGNORED)
        logits = self.model(
            input_ids=inputs,
            attention_mask=(inputs != PADDING).long(),
            decoder_input_ids=self._padded(ids[0], lengths, PADDING),
        ).logits
        smoothing = kind.settings.label_smoothing
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), label_smoothing=smoothing)

    def _padded(self, ids: np.ndarray, lengths: Sequence[int], filler: int) -> Tensor:
        pieces = torch.from_numpy(ids).split([*lengths])
        return self._moved(pad_sequence([*pieces], batch_first=True, padding_value=filler))

    def _moved(self, ids: Tensor) -> Tensor:
        is_cuda = self.machine.device.type == "cuda"
        return (ids.pin_memory() if is_cuda else ids).to(self.machine.device, non_blocking=True)


def compare(training: Training, machine: Machine, updates: Sequence[Sequence[Batch]], seconds: float) -> str:
    """Return how long transformers takes for one of these updates, which took our training this many seconds."""
    names = {"fp32 weights under autocast": torch.float32, "bf16 weights": torch.bfloat16}
    if machine.precision != "bf16":
        names = {machine.precision: torch.float32}
    work = [[_pairs(training, batch) for batch in batches] for batches in updates]
    parts = []
    for name, weights in names.items():
        theirs = _seconds_an_update(
            PeerTraining(training.model.shape, training.settings, machine, weights=weights), training.kind, work
        )
        parts.append(f"{1000 * theirs:.1f} ms with {name}: {theirs / seconds:.2f} times as long")
    return "transformers' own step on the same batches " + ", ".join(parts)


def _seconds_an_update(peer: PeerTraining, kind: NeuralKind, work: Sequence[Sequence[Pairs]]) -> float:
    for batches in work[:PIECE]:
        peer.update(kind, batches)
    seconds = []
    for start in range(0, len(work), PIECE):
        piece = work[start : start + PIECE]
        peer.machine.wait()
        before = time.perf_counter()
        for batches in piece:
            peer.update(kind, batches)
        peer.machine.wait()
        seconds.append((time.perf_counter() - before) / len(piece))
    return statistics.median(seconds)


def _pairs(training: Training, batch: Batch) -> Pairs:
    examples = [training.examples[number] for number in batch]
    return [(training.train[example.task], example.candidates) for example in examples]
