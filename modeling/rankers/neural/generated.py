"""Phrases for many tasks, generated in passes that fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from tokenizers import Tokenizer

from modeling.rankers.neural.checkpoints import Model
from modeling.rankers.neural.generating import Hypothesis, Options, generate
from modeling.rankers.neural.machine import Machine
from modeling.rankers.neural.texts import TaskIds

ON_A_CPU = 32  # texts at once
MEMORY = 0.5  # of a GPU's free memory, for keys, values and logits


def generate_phrases(
    model: Model,
    options: Options,
    tasks: Sequence[TaskIds],
    machine: Machine,
    report: Callable[[int], None] = lambda done: None,
) -> list[list[tuple[str, float]]]:
    """Return phrases and their scores for each task, the best first; of phrases that differ in case only the best."""
    mine, phrases = machine.share(tasks), []
    size = texts_at_once(model, options, machine)
    for start in range(0, len(mine), size):
        chunk = mine[start : start + size]
        hypotheses = generate(model.bart, [task.text for task in chunk], options)
        phrases += [distinct(row, model.tokenizer) for row in hypotheses]
        report(len(phrases) * machine.world)
    return machine.gather(phrases, len(tasks))


def texts_at_once(model: Model, options: Options, machine: Machine) -> int:
    """Return how many texts are generated for together."""
    if machine.device.type != "cuda":
        return ON_A_CPU
    shape, item = model.shape, model.weights.flat.element_size()
    past = 2 * 2 * shape.decoder_layers * shape.width * item * (options.longest + 1)  # two buffers of keys and values
    memory = 2 * shape.decoder_layers * shape.width * item * shape.positions
    each = options.beams * (past + 3 * 4 * shape.vocabulary) + memory
    free: int = torch.cuda.mem_get_info(machine.device)[0]
    return max(int(free * MEMORY / each), 1)


def distinct(hypotheses: Sequence[Hypothesis], tokenizer: Tokenizer) -> list[tuple[str, float]]:
    """Return the phrases with their scores, without empty ones and repetitions that differ in case only."""
    phrases: dict[str, tuple[str, float]] = {}
    for hypothesis in hypotheses:
        phrase = " ".join(tokenizer.decode([*hypothesis.ids], skip_special_tokens=True).split())
        if phrase:
            phrases.setdefault(phrase.casefold(), (phrase, hypothesis.score))
    return [*phrases.values()]
