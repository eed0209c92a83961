"""Which examples make a batch, and in which order batches are learned from: as fairseq counts, without torch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

Batch = list[int]  # positions of examples


@dataclass(frozen=True, slots=True)
class Example:
    """A task with the candidates to learn from together; `length` is that of its longest sequence."""

    task: int
    candidates: tuple[int, ...]
    length: int


def make_batches(
    examples: Sequence[Example], *, max_sentences: int, max_tokens: int, is_sorted: bool, seed: int
) -> list[Batch]:
    """Return the batches of every epoch: a shuffled order, sorted by length or not, cut where a limit would be passed.

    The tokens of a batch are its sentences times its longest one. An example beyond a limit is a batch of its own.
    """
    order = [*range(len(examples))]
    random.Random(f"{seed} batches").shuffle(order)  # noqa: S311  (a shuffle, not a secret)
    if is_sorted:
        order.sort(key=lambda number: examples[number].length)
    batches: list[Batch] = []
    sentences = longest = 0
    for number in order:
        example = examples[number]
        many, long = sentences + len(example.candidates), max(longest, example.length)
        is_full = (max_sentences and many > max_sentences) or (max_tokens and many * long > max_tokens)
        if not batches or (is_full and batches[-1]):
            batches.append([])
            many, long = len(example.candidates), example.length
        batches[-1].append(number)
        sentences, longest = many, long
    return batches


def updates_of(batches: Sequence[Batch], *, accumulate: int, seed: int, epoch: int) -> list[list[Batch]]:
    """Return the updates of an epoch in its own order; each holds `accumulate` batches, the last one may hold fewer."""
    order = [*batches]
    random.Random(f"{seed} epoch {epoch}").shuffle(order)  # noqa: S311
    return [order[at : at + accumulate] for at in range(0, len(order), accumulate)]
