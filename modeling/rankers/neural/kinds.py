"""The two rankers: what they learn from, their loss, and their scores.

cross-encoder  `<s> text </s> candidate </s>` through encoder and decoder; the state of the last token is classified.
seq2seq        the text through the encoder, the candidate through the decoder; the score is its mean log-probability.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from modeling.rankers.neural.attention import Segments, on_device
from modeling.rankers.neural.bart import Bart, Rates
from modeling.rankers.neural.batches import Example
from modeling.rankers.neural.settings import NeuralSettings, Seq2SeqSettings
from modeling.rankers.neural.texts import END, START, Ids, TaskIds

LOGIT_ROWS = 4096  # rows of the vocabulary's logits at once: 0.8 GB in fp32 for BART's vocabulary
Pairs = Sequence[tuple[TaskIds, Sequence[int]]]  # tasks with the numbers of the candidates that are meant


class NeuralKind(Protocol):
    is_sorted: bool
    convention: str

    def examples(self, tasks: Sequence[TaskIds]) -> list[Example]:
        """Return what one epoch learns from."""

    def weight(self, example: Example, task: TaskIds) -> int:
        """Return what the example counts in the mean loss: sentences, target tokens or tasks."""

    def loss(self, bart: Bart, pairs: Pairs, rates: Rates) -> Tensor:
        """Return the sum of the loss over the pairs, to be divided by their weight."""

    def scores(self, bart: Bart, tasks: Sequence[TaskIds]) -> list[list[float]]:
        """Return one number per candidate for each task."""


class CrossEncoder:
    is_sorted = False
    convention = "probability of aggregation"

    def __init__(self, settings: NeuralSettings, label: int) -> None:
        self.settings, self.label = settings, label  # the class that means aggregation

    def examples(self, tasks: Sequence[TaskIds]) -> list[Example]:
        return _examples(tasks, self.settings.loss == "listwise", self._length)

    def weight(self, example: Example, task: TaskIds) -> int:
        return 1 if self.settings.loss == "listwise" else len(example.candidates)

    def loss(self, bart: Bart, pairs: Pairs, rates: Rates) -> Tensor:
        ids, lengths, classes = self.arrays(pairs)
        logits = self.logits(bart, on_device(ids, bart.device), Segments.of(lengths, bart.device), rates)
        if self.settings.loss == "listwise":
            golds = [task.labels[number] for task, numbers in pairs for number in numbers]
            return _listwise(logits[:, self.label] - logits[:, 1 - self.label], golds, [len(n) for _, n in pairs])
        return functional.cross_entropy(logits, on_device(classes, bart.device), reduction="sum")

    def scores(self, bart: Bart, tasks: Sequence[TaskIds]) -> list[list[float]]:
        ids, lengths, _ = self.arrays([(task, range(len(task.candidates))) for task in tasks])
        logits = self.logits(bart, on_device(ids, bart.device), Segments.of(lengths, bart.device), Rates())
        return _split(logits.softmax(-1)[:, self.label], tasks)

    def size(self, pairs: Pairs) -> int:
        """Return the number of tokens that `arrays` has in a row."""
        return sum(self._length(task, number) for task, numbers in pairs for number in numbers)

    def arrays(self, pairs: Pairs) -> tuple[Ids, list[int], Ids]:
        """Return the tokens of encoder and decoder in two rows, the length of each sequence, and its class."""
        chosen = [(task, number) for task, numbers in pairs for number in numbers]
        sequences = [
            np.concatenate(([START], task.text, [END], task.candidates[number], [END])) for task, number in chosen
        ]
        shifted = [np.concatenate(([END], ids[:-1])) for ids in sequences]
        classes = [self.label if task.labels[number] else 1 - self.label for task, number in chosen]
        ids = np.stack((np.concatenate(sequences), np.concatenate(shifted)))
        return ids, [len(sequence) for sequence in sequences], np.array(classes, dtype=np.int64)

    def _length(self, task: TaskIds, number: int) -> int:
        return len(task.text) + len(task.candidates[number]) + 3

    def logits(self, bart: Bart, ids: Tensor, segments: Segments, rates: Rates) -> Tensor:
        memory = bart.encode(ids[0], segments, rates)
        return bart.classify(bart.decode(ids[1], segments, memory, segments, segments, rates, only_last=True))


class Seq2Seq:
    is_sorted = True

    def __init__(self, settings: Seq2SeqSettings) -> None:
        self.settings = settings
        self.counts_start = settings.score == "original"
        self.convention = f"mean log-probability {'with' if self.counts_start else 'without'} <s>"

    def examples(self, tasks: Sequence[TaskIds]) -> list[Example]:
        if self.settings.loss == "listwise":
            return _examples(tasks, True, self._length)
        examples = _examples(tasks, False, self._length)
        return [example for example in examples if tasks[example.task].labels[example.candidates[0]]]

    def weight(self, example: Example, task: TaskIds) -> int:
        if self.settings.loss == "listwise":
            return 1
        return sum(len(task.candidates[number]) + 1 for number in example.candidates)

    def loss(self, bart: Bart, pairs: Pairs, rates: Rates) -> Tensor:
        if self.settings.loss == "listwise":
            golds = [task.labels[number] for task, numbers in pairs for number in numbers]
            return _listwise(self._means(bart, pairs, rates), golds, [len(numbers) for _, numbers in pairs])
        texts, ids, read, lengths = self.arrays(pairs)
        segments = Segments.of(lengths, bart.device)
        return self.token_loss(
            bart, on_device(texts, bart.device), on_device(ids, bart.device), Segments.of(read, bart.device), segments,
            self._readers(pairs, lengths, bart.device), rates,
        )  # fmt: skip

    def token_loss(
        self, bart: Bart, texts: Tensor, ids: Tensor, read: Segments, segments: Segments, readers: Segments,
        rates: Rates,
    ) -> Tensor:  # fmt: skip
        """Return the sum of the loss over all tokens of the phrases but `<s>`."""
        memory = bart.encode(texts, read, rates)
        states = bart.decode(ids[0], segments, memory, read, readers, rates)
        smoothing = self.settings.label_smoothing
        return functional.cross_entropy(
            bart.logits(states), ids[1], ignore_index=START, label_smoothing=smoothing, reduction="sum"
        )

    def sizes(self, pairs: Pairs) -> tuple[int, int]:
        """Return the numbers of tokens that `arrays` has in its texts and in a row of its targets."""
        ends = 1 + (not self.counts_start)
        targets = sum(len(task.candidates[number]) + ends for task, numbers in pairs for number in numbers)
        return sum(len(task.text) + 2 for task, _ in pairs), targets

    def arrays(self, pairs: Pairs, *, has_start: bool | None = None) -> tuple[Ids, Ids, list[int], list[int]]:
        """Return the texts, the decoder's input and targets in two rows, and the lengths of texts and of targets.

        A text is encoded once for all its candidates.
        """
        has_start = not self.counts_start if has_start is None else has_start
        texts = [np.concatenate(([START], task.text, [END])) for task, _ in pairs]
        start: Ids = np.array([START] * has_start, dtype=np.int64)
        targets = [
            np.concatenate((start, task.candidates[number], [END])) for task, numbers in pairs for number in numbers
        ]
        inputs = [np.concatenate(([END], target[:-1])) for target in targets]
        ids = np.stack((np.concatenate(inputs), np.concatenate(targets)))
        return np.concatenate(texts), ids, [len(text) for text in texts], [len(target) for target in targets]

    def scores(self, bart: Bart, tasks: Sequence[TaskIds]) -> list[list[float]]:
        pairs = [(task, range(len(task.candidates))) for task in tasks]
        return _split(self._means(bart, pairs, Rates()), tasks)

    def _length(self, task: TaskIds, number: int) -> int:
        return max(len(task.text), len(task.candidates[number])) + 2

    def _readers(self, pairs: Pairs, lengths: Sequence[int], device: torch.device) -> Segments:
        """Cut the targets into one piece for each text."""
        ends = np.cumsum([len(numbers) for _, numbers in pairs])
        return Segments.of([sum(lengths[start:end]) for start, end in zip([0, *ends], ends, strict=False)], device)

    def _means(self, bart: Bart, pairs: Pairs, rates: Rates) -> Tensor:
        """Return the mean log-probability of the tokens of each candidate, in the chosen convention."""
        texts, packed, read, lengths = self.arrays(pairs, has_start=True)
        reading, ids = Segments.of(read, bart.device), on_device(packed, bart.device)
        memory = bart.encode(on_device(texts, bart.device), reading, rates)
        readers = self._readers(pairs, lengths, bart.device)
        rows = bart.decode(ids[0], Segments.of(lengths, bart.device), memory, reading, readers, rates)
        targets = ids[1]
        ignored = -100 if self.counts_start else START
        pieces = [
            functional.cross_entropy(bart.logits(states), wanted, reduction="none", ignore_index=ignored)
            for states, wanted in zip(rows.split(LOGIT_ROWS), targets.split(LOGIT_ROWS), strict=True)
        ]
        sizes = on_device(np.array(lengths), bart.device)
        owner = torch.repeat_interleave(torch.arange(len(lengths), device=bart.device), sizes, output_size=len(rows))
        sums = torch.zeros(len(lengths), device=bart.device).index_add(0, owner, -torch.cat(pieces))
        return sums / (sizes if self.counts_start else sizes - 1)


def make_kind(settings: NeuralSettings, label: int = 1) -> NeuralKind:
    return Seq2Seq(settings) if isinstance(settings, Seq2SeqSettings) else CrossEncoder(settings, label)


def _examples(tasks: Sequence[TaskIds], is_listwise: bool, length: Callable[[TaskIds, int], int]) -> list[Example]:
    examples = []
    for at, task in enumerate(tasks):
        numbers = range(len(task.candidates))
        groups = [tuple(numbers)] if is_listwise else [(number,) for number in numbers]
        examples += [Example(at, group, max(length(task, number) for number in group)) for group in groups]
    return examples


def _listwise(scores: Tensor, golds: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """Return the sum over tasks of the cross-entropy between the softmax of the scores and equal shares for golds."""
    losses, at = [], 0
    for piece in scores.split([*sizes]):
        shares = np.array(golds[at : at + len(piece)], dtype=np.float32)
        at += len(piece)
        losses.append(-(piece.log_softmax(0) * on_device(shares / max(shares.sum(), 1.0), scores.device)).sum())
    return torch.stack(losses).sum()


def _split(values: Tensor, tasks: Sequence[TaskIds]) -> list[list[float]]:
    numbers, rows = iter(values.double().tolist()), []
    for task in tasks:
        rows.append([next(numbers) for _ in task.candidates])
    return rows
