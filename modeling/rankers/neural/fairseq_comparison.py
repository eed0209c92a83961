"""A converted checkpoint held against the original: the same tokens through fairseq and through our BART."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import torch

from kernel.errors import InvalidInput
from kernel.values import Json
from modeling.rankers.neural.attention import Segments, on_device
from modeling.rankers.neural.bart import Rates
from modeling.rankers.neural.checkpoints import Model, open_model
from modeling.rankers.neural.control import Control
from modeling.rankers.neural.fairseq_arguments import base_arguments
from modeling.rankers.neural.fairseq_commands import Commands
from modeling.rankers.neural.fairseq_data import write_dictionaries
from modeling.rankers.neural.machine import Machine
from modeling.rankers.neural.settings import Seq2SeqSettings
from modeling.rankers.neural.texts import END, START, Ids
from modeling.rankers.neural.work_folder import WorkFolder

LENGTHS = (1, 5, 12)  # tokens of the texts that are compared
TOLERANCE = 1e-3


def compare(source: Path, target: Path, *, is_trusted: bool) -> float:
    """Return the largest difference between logits of fairseq's folder and of the converted one.

    Raises InvalidInput if it is above the tolerance, or if fairseq cannot read the folder.
    """
    model = open_model(
        str(target), (), Machine.choose("cpu", "fp32"), has_head=False, seed=1, vocabulary=target / "tokenizer.json"
    )
    random = np.random.default_rng(1)
    texts = [random.integers(4, model.shape.vocabulary - 1, size=length) for length in LENGTHS]
    with tempfile.TemporaryDirectory() as name:
        folder = WorkFolder(Path(name))
        write_dictionaries(folder.path / "data", model.shape.vocabulary, labels=None)
        arguments = base_arguments(model.shape, Seq2SeqSettings(), folder.path / "data", is_cpu=True)
        job: dict[str, Json] = {
            "do": "logits",
            "arguments": [*arguments],
            "checkpoint": str((source / "model.pt").resolve()),
        }
        commands = Commands(folder.path, Control(folder), is_trusted=is_trusted)
        rows = commands.job("logits", job, [{"text": text.tolist()} for text in texts])
    differences = [
        (torch.tensor(row["logits"]) - _logits(model, text)).abs().max() for row, text in zip(rows, texts, strict=True)
    ]
    difference = float(torch.stack(differences).max())
    if not difference <= TOLERANCE:
        raise InvalidInput(f"the converted checkpoint differs from fairseq's by {difference:.2g}: it was not added")
    return difference


def _logits(model: Model, text: Ids) -> torch.Tensor:
    ids = np.concatenate(([START], text, [END]))
    segments = Segments.of([len(ids)], model.bart.device)
    with torch.no_grad():
        memory = model.bart.encode(on_device(ids, model.bart.device), segments, Rates())
        shifted = on_device(np.concatenate(([END], ids[:-1])), model.bart.device)
        states = model.bart.decode(shifted, segments, memory, segments, segments, Rates())
        return model.bart.logits(states)
