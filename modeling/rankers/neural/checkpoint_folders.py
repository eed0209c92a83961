"""What a folder of weights holds, read without torch: workers report it, pages list it, and a bad one is refused early.

A usable folder has the Hugging Face layout: config.json of a BART, weights as safetensors (one file, or shards with an
index) or pytorch_model.bin, and tokenizer.json or vocab.json with merges.txt. A folder with model.pt has fairseq's
layout and is converted once (`fairseq_layout.py`).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

from kernel.errors import InvalidInput, TesaError
from kernel.json_fields import Row, number_field, object_value
from kernel.values import Json, content_hash
from modeling.json_rows import located
from modeling.rankers.neural.work_folder import sha256_of

SINGLE, INDEX, PICKLE = "model.safetensors", "model.safetensors.index.json", "pytorch_model.bin"
CONVERTED, COMPARED = "conversion.json", "comparison.json"  # of a folder that was fairseq's
LICENCES = ("LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE")
CONFIG_NAMES = {
    "vocabulary": "vocab_size",
    "width": "d_model",
    "encoder_layers": "encoder_layers",
    "decoder_layers": "decoder_layers",
    "encoder_heads": "encoder_attention_heads",
    "decoder_heads": "decoder_attention_heads",
    "encoder_inner": "encoder_ffn_dim",
    "decoder_inner": "decoder_ffn_dim",
}
MOST_HEADER = 100 * 1024 * 1024
_hashes: dict[Path, tuple[int, int, str]] = {}


@dataclass(frozen=True)
class BartShape:
    """The sizes that decide a BART's tensors."""

    vocabulary: int
    width: int
    encoder_layers: int
    decoder_layers: int
    encoder_heads: int
    decoder_heads: int
    encoder_inner: int
    decoder_inner: int
    positions: int = 1024

    def to_config(self) -> dict[str, Json]:
        """Return the config.json of the Hugging Face layout."""
        return {
            "model_type": "bart",
            **{name: getattr(self, field) for field, name in CONFIG_NAMES.items()},
            "max_position_embeddings": self.positions,
            "activation_function": "gelu",
            "scale_embedding": False,
            "bos_token_id": 0,
            "pad_token_id": 1,
            "eos_token_id": 2,
            "decoder_start_token_id": 2,
        }


# Made in code, with random weights: they show that everything works, not how good BART is.
PRESETS: Mapping[str, BartShape] = {
    "tiny": BartShape(2048, 64, 2, 2, 2, 2, 128, 128, 512),
    "random-bart-base": BartShape(50265, 768, 6, 6, 12, 12, 3072, 3072),
    "random-bart-large": BartShape(50265, 1024, 12, 12, 16, 16, 4096, 4096),
}


@dataclass(frozen=True)
class CheckpointInfo:
    """A folder as pages list it. `problem` is one sentence if it cannot be used."""

    name: str
    layout: str  # hugging-face, fairseq or preset
    problem: str = ""
    parameters: int = 0
    size: int = 0  # bytes
    sha256: str = ""
    licence: str = ""
    origin: str = ""  # of a converted folder: whether it was compared with fairseq's

    def to_json(self) -> dict[str, Json]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def checkpoints_in(folder: Path) -> list[CheckpointInfo]:
    """Return every checkpoint folder inside this one, by name; none if it does not exist."""
    paths = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    return [describe_folder(path) for path in paths]


def describe_folder(folder: Path) -> CheckpointInfo:
    """Return what the folder holds. Hashes are kept while size and time of a file stay the same."""
    if not (folder / "config.json").exists() and (folder / "model.pt").exists():
        problem = "fairseq's layout: convert it once with models_add"
        return CheckpointInfo(folder.name, "fairseq", problem, size=(folder / "model.pt").stat().st_size)
    licence = next((name for name in LICENCES if (folder / name).exists()), "")
    try:
        read_shape(folder)
        files = weight_files(folder)
        check_tokenizer_files(folder)
        parameters = (
            0 if files[0].name == PICKLE else sum(prod(s) for file in files for s in tensor_shapes(file).values())
        )
    except TesaError as error:
        return CheckpointInfo(folder.name, "hugging-face", error.message, licence=licence)
    size = sum(file.stat().st_size for file in files)
    return CheckpointInfo(
        folder.name, "hugging-face", "", parameters, size, weights_hash(files), licence, _origin(folder)
    )


def _origin(folder: Path) -> str:
    if not (folder / CONVERTED).exists():
        return ""
    how = "compared with it" if (folder / COMPARED).exists() else "not compared with it"
    return f"converted from fairseq, {how}"


def read_config(folder: Path) -> Row:
    path = folder / "config.json"
    if not path.exists():
        raise InvalidInput(f"{folder.name} has no config.json: it is not a checkpoint in the Hugging Face layout")
    with located(f"{folder.name}/config.json"):
        try:
            return object_value(json.loads(path.read_text(encoding="utf-8")), "config")
        except ValueError as error:
            raise InvalidInput("this is not JSON") from error


def read_shape(folder: Path) -> BartShape:
    """Return the sizes from config.json; raise InvalidInput unless it is a BART as we compute it."""
    row = read_config(folder)
    with located(f"{folder.name}/config.json"):
        if row.get("model_type") != "bart":
            raise InvalidInput(f"the architecture is {row.get('model_type')!r}; only bart can be used")
        if row.get("activation_function", "gelu") != "gelu" or row.get("scale_embedding"):
            raise InvalidInput("a BART with another activation or with scaled embeddings cannot be used")
        sizes = {field: number_field(row, name) or 0 for field, name in CONFIG_NAMES.items()}
        if missing := [CONFIG_NAMES[field] for field, size in sizes.items() if not size]:
            raise InvalidInput("must be a number above zero", field=missing[0])
        sizes["positions"] = number_field(row, "max_position_embeddings") or 1024
        shape = BartShape(**sizes)
    if shape.width % shape.encoder_heads or shape.width % shape.decoder_heads:
        raise InvalidInput("d_model must be a multiple of the number of heads", where=f"{folder.name}/config.json")
    return shape


def weight_files(folder: Path) -> list[Path]:
    """Return the files with the weights; raise InvalidInput if one is missing."""
    if (folder / SINGLE).exists():
        return [folder / SINGLE]
    if (folder / INDEX).exists():
        with located(f"{folder.name}/{INDEX}"):
            names = object_value(
                object_value(json.loads((folder / INDEX).read_text(encoding="utf-8")), "index").get("weight_map"),
                "weight_map",
            )
        files = [folder / Path(str(name)).name for name in dict.fromkeys(names.values())]
        if missing := [file.name for file in files if not file.exists()]:
            raise InvalidInput(f"{folder.name} lacks {missing[0]}, one of its {len(files)} files of weights")
        return files
    if (folder / PICKLE).exists():
        return [folder / PICKLE]
    raise InvalidInput(f"{folder.name} has no weights: {SINGLE}, {INDEX} or {PICKLE}")


def check_tokenizer_files(folder: Path) -> None:
    if not (folder / "tokenizer.json").exists() and not all(
        (folder / n).exists() for n in ("vocab.json", "merges.txt")
    ):
        raise InvalidInput(f"{folder.name} has no tokenizer.json, and no vocab.json with merges.txt")


def tensor_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor of a safetensors file from its heading."""
    problem = InvalidInput("this is not a whole safetensors file", where=f"{path.parent.name}/{path.name}")
    with path.open("rb") as file:
        start = file.read(8)
        size = struct.unpack("<Q", start)[0] if len(start) == 8 else MOST_HEADER + 1
        if size > MOST_HEADER:
            raise problem
        try:
            heading = json.loads(file.read(size))
            entries = {name: entry for name, entry in heading.items() if name != "__metadata__"}
            end = max((entry["data_offsets"][1] for entry in entries.values()), default=0)
            shapes = {name: tuple(entry["shape"]) for name, entry in entries.items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise problem from error
    if path.stat().st_size != 8 + size + end:
        raise problem
    return shapes


def weights_hash(files: list[Path]) -> str:
    """Return the SHA-256 of the weights: of the one file, or of the shards' hashes."""
    hashes = [_hash(file) for file in files]
    return hashes[0] if len(hashes) == 1 else content_hash([*hashes])


def _hash(path: Path) -> str:
    status = path.stat()
    known = _hashes.get(path)
    if known is None or known[:2] != (status.st_size, status.st_mtime_ns):
        known = _hashes[path] = (status.st_size, status.st_mtime_ns, sha256_of(path))
    return known[2]
