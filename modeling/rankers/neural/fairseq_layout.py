"""fairseq's BART folders (model.pt, dict.txt, encoder.json, vocab.bpe) turned into Hugging Face folders, once.

Every tensor is converted, or dropped for a stated reason; a tensor that is neither refuses the folder.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import models
from torch import Tensor

from kernel.atomic_files import read_lines, write_lines
from kernel.errors import InvalidInput
from kernel.values import Json, canonical_json
from modeling.fairseq_files import LABELS
from modeling.rankers.neural.bart import OFFSET, from_hugging_face, shapes_of
from modeling.rankers.neural.checkpoint_folders import CONVERTED, LICENCES, SINGLE, BartShape
from modeling.rankers.neural.texts import SPECIALS, byte_level

MASK = "<mask>"
FILES = ("model.pt", "dict.txt", "encoder.json", "vocab.bpe")
TIED = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "decoder.output_projection.weight")
HEAD = re.compile(r"classification_heads\.([^.]+)\.(.+)")


@dataclass(frozen=True)
class Conversion:
    """What became of each tensor: its new name, or why it was dropped."""

    converted: Mapping[str, str]
    dropped: Mapping[str, str]
    shape: BartShape


def convert(source: Path, target: Path, *, head: str = "", is_trusted: bool = False) -> Conversion:
    """Write the Hugging Face folder `target`, whole or not at all; `head` names the classification head to keep.

    Nothing in model.pt is run unless `is_trusted`: then it is unpickled, so only for files whose author you trust.
    """
    if missing := [name for name in FILES if not (source / name).exists()]:
        raise InvalidInput(f"{source.name} has no {missing[0]}; fairseq's layout needs {', '.join(FILES)}")
    if target.exists():
        raise InvalidInput(f"{target} exists already: choose another name")
    checkpoint = _unpickled(source / "model.pt", is_trusted=is_trusted)
    tensors = checkpoint.get("model")
    if not isinstance(tensors, Mapping):
        raise InvalidInput("there are no weights under “model”", where=f"{source.name}/model.pt")
    renamed, converted, dropped = rename(tensors, head)
    vocabulary = _vocabulary(source, rows=len(renamed["model.shared.weight"]))
    shape = _shape(renamed, _heads(checkpoint, "encoder"), _heads(checkpoint, "decoder"))
    _check_complete(renamed, shape)
    config = shape.to_config() | {"architectures": ["BartForConditionalGeneration"]}
    if head:
        config |= {"id2label": {str(number): name for number, name in enumerate(_labels(source))}}
        config["architectures"] = ["BartForSequenceClassification"]
    aside = target.with_name(f".{target.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    save_file(renamed, aside / SINGLE, metadata={"format": "pt"})
    write_lines(aside / "config.json", [canonical_json(config)])
    write_lines(aside / "tokenizer.json", [_tokenizer(source, vocabulary)])
    for name in LICENCES:
        if (source / name).exists():
            shutil.copyfile(source / name, aside / name)
    accounts: dict[str, Json] = {"converted": dict(converted), "dropped": dict(dropped)}
    write_lines(aside / CONVERTED, [canonical_json(accounts)])
    aside.rename(target)
    return Conversion(converted, dropped, shape)


def _unpickled(path: Path, *, is_trusted: bool) -> Mapping[str, object]:
    try:
        with torch.serialization.safe_globals([argparse.Namespace]):  # old checkpoints keep their arguments in one
            loaded = torch.load(path, map_location="cpu", weights_only=not is_trusted)
    except Exception as error:  # unpickling raises whatever it likes
        problem = "this file holds more than weights, or is damaged: convert it with --trust if you trust its author"
        raise InvalidInput(problem, where=f"{path.parent.name}/{path.name}") from error
    return loaded if isinstance(loaded, Mapping) else {}


def rename(tensors: Mapping[str, Tensor], head: str) -> tuple[dict[str, Tensor], dict[str, str], dict[str, str]]:
    """Return the tensors under Hugging Face's names, the new name of each, and why the others were dropped."""
    renamed: dict[str, Tensor] = {}
    converted: dict[str, str] = {}
    dropped: dict[str, str] = {}
    shared = next((tensors[name] for name in TIED if name in tensors), None)
    if shared is None:
        raise InvalidInput("the checkpoint has no embeddings: it is not a BART")
    for name, tensor in tensors.items():
        is_head = HEAD.fullmatch(name)
        if name in TIED:
            if not torch.equal(tensor, shared):
                raise InvalidInput(f"{name} differs from the other embeddings: only tied embeddings can be converted")
            new = "model.shared.weight"
        elif name.endswith((".version", "._float_tensor")):
            dropped[name] = "a mark of fairseq's, not a weight"
            continue
        elif is_head and is_head[1] != head:
            dropped[name] = f"the classification head {is_head[1]} was not asked for"
            continue
        elif is_head:
            new = f"classification_head.{is_head[2]}"
        elif name.startswith(("encoder.", "decoder.")):
            new = f"model.{name}"
        else:
            raise InvalidInput(f"the tensor {name} is none of BART's")
        renamed[new], converted[name] = tensor.float().contiguous(), new
    if head and not any(name.startswith("classification_head.") for name in renamed):
        raise InvalidInput(f"the checkpoint has no classification head {head!r}")
    return renamed, converted, dropped


def as_fairseq(tensors: Mapping[str, Tensor], head: str) -> dict[str, Tensor]:
    """Return tensors of a Hugging Face folder under fairseq's names: the inverse of `rename`."""
    renamed: dict[str, Tensor] = dict.fromkeys(TIED, tensors["model.shared.weight"].float())
    for name, tensor in tensors.items():
        if name.startswith("classification_head."):
            renamed[f"classification_heads.{head}.{name.removeprefix('classification_head.')}"] = tensor.float()
        elif name != "model.shared.weight":
            renamed[name.removeprefix("model.")] = tensor.float()
    return renamed | {f"{side}.version": torch.tensor([3.0]) for side in ("encoder", "decoder")}


def _shape(tensors: Mapping[str, Tensor], encoder_heads: int, decoder_heads: int) -> BartShape:
    rows, width = tensors["model.shared.weight"].shape

    def layers(side: str) -> int:
        pattern = re.compile(rf"model\.{side}\.layers\.(\d+)\.")
        return len({match[1] for name in tensors if (match := pattern.match(name))})

    def inner(side: str) -> int:
        name = f"model.{side}.layers.0.fc1.weight"
        return len(tensors[name]) if name in tensors else 0

    positions = tensors.get("model.encoder.embed_positions.weight")
    if positions is None:
        raise InvalidInput("the checkpoint has no learned positions: it is not a BART")
    return BartShape(
        rows, width, layers("encoder"), layers("decoder"), encoder_heads or max(width // 64, 1),
        decoder_heads or max(width // 64, 1), inner("encoder"), inner("decoder"), len(positions) - OFFSET,
    )  # fmt: skip


def _heads(checkpoint: Mapping[str, object], side: str) -> int:
    """Return the number of attention heads from the arguments in the checkpoint; 0 if it has none."""
    arguments = checkpoint.get("args")
    return int(getattr(arguments, f"{side}_attention_heads", 0) or 0)


def _check_complete(tensors: Mapping[str, Tensor], shape: BartShape) -> None:
    ours = from_hugging_face(tensors)
    wanted = shapes_of(shape, has_head=any(name.startswith("classification_head.") for name in tensors))
    for name, size in wanted.items():
        if name not in ours or tuple(ours[name].shape) != size:
            raise InvalidInput(f"the tensor {name} is missing or has another shape than {size}")
    if unknown := [name for name in ours if name not in wanted]:
        raise InvalidInput(f"the tensor {unknown[0]} is none of BART's")


def _vocabulary(source: Path, *, rows: int) -> dict[str, int]:
    """Return the tokens with the numbers of the weights: dict.txt puts GPT-2's tokens in fairseq's own order."""
    names = {number: token for token, number in json.loads((source / "encoder.json").read_text("utf-8")).items()}
    vocabulary = {token: number for number, token in enumerate(SPECIALS)}
    for number, line in enumerate(read_lines(source / "dict.txt"), start=len(SPECIALS)):
        key = line.split(" ")[0]
        vocabulary[names[int(key)] if key.isdecimal() and int(key) in names else key] = number
    if len(vocabulary) == rows - 1:
        vocabulary[MASK] = rows - 1  # the checkpoint was trained with a mask that dict.txt does not list
    if len(vocabulary) != rows:
        raise InvalidInput(f"dict.txt gives {len(vocabulary):,} tokens, but the weights have rows for {rows:,}")
    return vocabulary


def _tokenizer(source: Path, vocabulary: Mapping[str, int]) -> str:
    pairs = [tuple(line.split(" ")) for line in read_lines(source / "vocab.bpe") if not line.startswith("#version")]
    merges = [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]
    tokenizer = byte_level(models.BPE(dict(vocabulary), merges, unk_token="<unk>"))  # noqa: S106
    tokenizer.add_special_tokens([token for token in (*SPECIALS, MASK) if token in vocabulary])
    return str(tokenizer.to_str())


def _labels(source: Path) -> list[str]:
    """Return the names of the classes in the order of the label dictionary, where the folder has one."""
    path = source / "label.dict.txt"
    return [line.split(" ")[0] for line in read_lines(path)] if path.exists() else [*LABELS]
