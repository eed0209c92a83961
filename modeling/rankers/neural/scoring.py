"""Scores of many tasks in packed passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch

from modeling.rankers.neural.checkpoints import Model
from modeling.rankers.neural.kinds import NeuralKind, Seq2Seq
from modeling.rankers.neural.machine import Machine
from modeling.rankers.neural.texts import TaskIds

TOKENS = 65_536  # of one pass on a GPU


def score_tasks(
    model: Model,
    kind: NeuralKind,
    tasks: Sequence[TaskIds],
    machine: Machine,
    report: Callable[[int], None] = lambda done: None,
) -> list[list[float]]:
    """Return one number per candidate for each task, in their order.

    A GPU scores many tasks in one pass. A CPU takes them one by one, so that no task changes another's last digits.
    """
    mine = machine.share(tasks)
    scores: list[list[float]] = []
    with torch.no_grad():
        for chunk in _chunks(mine, kind, TOKENS if machine.device.type == "cuda" else 0):
            scores += kind.scores(model.bart, chunk)
            report(len(scores) * machine.world)
    return machine.gather(scores, len(tasks))


def _chunks(tasks: Sequence[TaskIds], kind: NeuralKind, most: int) -> Iterator[list[TaskIds]]:
    chunk: list[TaskIds] = []
    size = 0
    for task in tasks:
        times = 1 if isinstance(kind, Seq2Seq) else len(task.candidates)
        tokens = times * len(task.text) + sum(map(len, task.candidates))
        if chunk and size + tokens > most:
            yield chunk
            chunk, size = [], 0
        chunk.append(task)
        size += tokens
    if chunk:
        yield chunk
