"""Models read from checkpoint folders or made in code, and trained models written as Hugging Face folders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor

from kernel.atomic_files import write_lines
from kernel.errors import InvalidInput
from kernel.values import Json, canonical_json
from modeling.fairseq_files import LABELS
from modeling.rankers.neural.bart import Bart, Weights, from_hugging_face, shapes_of, to_hugging_face
from modeling.rankers.neural.checkpoint_folders import (
    PICKLE,
    PRESETS,
    SINGLE,
    BartShape,
    check_tokenizer_files,
    read_config,
    read_shape,
    weight_files,
    weights_hash,
)
from modeling.rankers.neural.machine import Machine
from modeling.rankers.neural.request import TaskText
from modeling.rankers.neural.texts import learn_tokenizer, load_tokenizer

GOLD = LABELS[1]
HEAD = "classification_head."


@dataclass
class Model:
    """A BART with its tokenizer. `label` is the class that means aggregation, None without a classification head."""

    shape: BartShape
    weights: Weights
    tokenizer: Tokenizer
    label: int | None = None
    sha256: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def bart(self) -> Bart:
        return Bart(self.shape, self.weights)


def open_model(
    checkpoint: str, rows: Sequence[TaskText], machine: Machine, *, has_head: bool, seed: int, vocabulary: Path
) -> Model:
    """Return the model to start from. `vocabulary` keeps the tokenizer of a model that is made in code."""
    if checkpoint in PRESETS:
        return _made_in_code(PRESETS[checkpoint], rows, machine, has_head=has_head, seed=seed, vocabulary=vocabulary)
    folder = Path(checkpoint)
    if not folder.is_dir():
        raise InvalidInput(f"there is no checkpoint folder {folder}, and no preset of that name ({', '.join(PRESETS)})")
    shape = read_shape(folder)
    files = weight_files(folder)
    check_tokenizer_files(folder)
    tokenizer = load_tokenizer(folder, shape.vocabulary)
    tensors = from_hugging_face(read_tensors(files))
    head = {name: tensors.pop(name) for name in list(tensors) if name.startswith(HEAD)}
    label = _label_of(read_config(folder), head) if has_head else None
    if label is not None:
        tensors |= head
    shapes = shapes_of(shape, has_head=has_head)
    if unknown := [name for name in tensors if name not in shapes]:
        raise InvalidInput(f"{folder.name} holds a tensor that BART does not have: {unknown[0]}")
    weights = Weights(shapes, dtype=machine.dtype, device=machine.device)
    model = Model(shape, weights, tokenizer, label, weights_hash(files))
    if has_head and label is None:
        weights.start_head(seed)
        tensors |= {name: view for name, view in weights.views.items() if name.startswith(HEAD)}
        model.label = 1
        model.notes.append(
            "The checkpoint has no classification head for aggregations: training starts with a new one."
        )
    weights.fill(tensors)
    return model


def _made_in_code(
    shape: BartShape, rows: Sequence[TaskText], machine: Machine, *, has_head: bool, seed: int, vocabulary: Path
) -> Model:
    if not vocabulary.exists() and machine.is_first:
        learned = [row for row in rows if row.part == "train"] or rows
        texts = [text for row in learned for text in (row.text, *(phrase for phrase, _ in row.candidates))]
        write_lines(vocabulary, [learn_tokenizer(texts, shape.vocabulary).to_str()])
    machine.agree(None)  # the others wait until the file is there
    weights = Weights(shapes_of(shape, has_head=has_head), dtype=machine.dtype, device=machine.device)
    weights.start_at_random(seed)
    note = "Random weights: this run shows that everything works, not how good BART is."
    return Model(shape, weights, Tokenizer.from_file(str(vocabulary)), 1 if has_head else None, "", [note])


def read_tensors(files: Sequence[Path]) -> dict[str, Tensor]:
    """Return the tensors of all files. A pickle is read as weights only: nothing in it is run."""
    tensors: dict[str, Tensor] = {}
    for file in files:
        where = f"{file.parent.name}/{file.name}"
        try:
            tensors |= (
                torch.load(file, map_location="cpu", weights_only=True) if file.name == PICKLE else load_file(file)
            )
        except SafetensorError as error:
            raise InvalidInput("this is not a whole safetensors file", where=where) from error
        except Exception as error:  # unpickling raises whatever it likes
            raise InvalidInput(
                "this file cannot be read as weights only, so it is not read at all", where=where
            ) from error
    return tensors


def _label_of(config: Mapping[str, Json], head: Mapping[str, Tensor]) -> int | None:
    """Return the class that is called aggregation; None unless the head has two classes and one has that name."""
    names = config.get("id2label")
    if f"{HEAD}out_proj.weight" not in head or len(head[f"{HEAD}out_proj.weight"]) != 2 or not isinstance(names, dict):
        return None
    numbers = [int(number) for number, name in names.items() if name == GOLD and number in ("0", "1")]
    return numbers[0] if numbers else None


def save_model(model: Model, folder: Path) -> None:
    """Write the model as a Hugging Face folder, which appears whole or not at all."""
    aside = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    config = model.shape.to_config()
    if model.label is None:
        config["architectures"] = ["BartForConditionalGeneration"]
    else:
        names = [LABELS[0], GOLD] if model.label else [GOLD, LABELS[0]]
        config["architectures"] = ["BartForSequenceClassification"]
        config |= {
            "id2label": {str(n): name for n, name in enumerate(names)},
            "label2id": {name: n for n, name in enumerate(names)},
        }
    write_lines(aside / "config.json", [canonical_json(config)])
    write_lines(aside / "tokenizer.json", [canonical_json(json.loads(model.tokenizer.to_str()))])
    save_file(to_hugging_face(model.weights), aside / SINGLE, metadata={"format": "pt"})
    shutil.rmtree(folder, ignore_errors=True)
    aside.rename(folder)
