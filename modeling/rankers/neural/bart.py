"""BART over packed sequences, with the weights of the Hugging Face layout in one flat tensor.

The projections that read the same input are stored as one (`qkv_proj`, and `MEMORY` of all the decoder's layers);
`from_hugging_face` and `to_hugging_face` join and split them. tests/modeling/neural/test_bart.py holds the result
against transformers' model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from math import prod

import torch
from torch import Tensor
from torch.nn import functional

from kernel.errors import InvalidInput
from modeling.rankers.neural.attention import Segments, attend
from modeling.rankers.neural.checkpoint_folders import BartShape

OFFSET = 2  # BART's first position has number 2
ALIGNMENT = 128  # elements; keeps every tensor of the flat one at an address that GPU kernels like
MEMORY = "model.decoder.memory_proj"  # keys and values of the encoded text, for one layer after the other
TIED = ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight")
SHARED = "model.shared.weight"
_LAYER = re.compile(r"model\.(encoder|decoder)\.layers\.(\d+)\.")


def shapes_of(shape: BartShape, *, has_head: bool) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor by our name."""
    width = shape.width
    shapes: dict[str, tuple[int, ...]] = {SHARED: (shape.vocabulary, width)}

    def linear(name: str, outputs: int, inputs: int) -> None:
        shapes.update({f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)})

    def norm(name: str) -> None:
        shapes.update({f"{name}.weight": (width,), f"{name}.bias": (width,)})

    for side, layers, inner in (
        ("encoder", shape.encoder_layers, shape.encoder_inner),
        ("decoder", shape.decoder_layers, shape.decoder_inner),
    ):
        shapes[f"model.{side}.embed_positions.weight"] = (shape.positions + OFFSET, width)
        norm(f"model.{side}.layernorm_embedding")
        for number in range(layers):
            layer = _layer(side, number)
            linear(f"{layer}.self_attn.qkv_proj", 3 * width, width)
            linear(f"{layer}.self_attn.out_proj", width, width)
            norm(f"{layer}.self_attn_layer_norm")
            if side == "decoder":
                linear(f"{layer}.encoder_attn.q_proj", width, width)
                linear(f"{layer}.encoder_attn.out_proj", width, width)
                norm(f"{layer}.encoder_attn_layer_norm")
            linear(f"{layer}.fc1", inner, width)
            linear(f"{layer}.fc2", width, inner)
            norm(f"{layer}.final_layer_norm")
    linear(MEMORY, shape.decoder_layers * 2 * width, width)
    if has_head:
        linear("classification_head.dense", width, width)
        linear("classification_head.out_proj", 2, width)
    return shapes


class Weights:
    """All tensors of a model as views of a flat one: one kernel updates them, one call adds up their gradients."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], *, dtype: torch.dtype, device: torch.device) -> None:
        self.shapes = dict(shapes)
        sizes = [-(-prod(size) // ALIGNMENT) * ALIGNMENT for size in shapes.values()]
        *self.starts, total = accumulate(sizes, initial=0)
        self.flat = torch.zeros(total, dtype=dtype, device=device)
        self.views = self.views_of(self.flat)

    def views_of(self, flat: Tensor) -> dict[str, Tensor]:
        """Return the tensors of another flat tensor of the same layout."""
        places = zip(self.shapes.items(), self.starts, strict=True)
        return {name: flat[at : at + prod(shape)].view(shape).detach() for (name, shape), at in places}

    def learn(self) -> None:
        """Let the weights have gradients."""
        for view in self.views.values():
            view.requires_grad_()

    def __getitem__(self, name: str) -> Tensor:
        return self.views[name]

    def fill(self, tensors: Mapping[str, Tensor]) -> None:
        """Copy tensors of our names; raise InvalidInput unless every one is there in its shape."""
        for name, view in self.views.items():
            if name not in tensors:
                raise InvalidInput(f"the checkpoint has no tensor {name}")
            if tensors[name].shape != view.shape:
                actual, wanted = tuple(tensors[name].shape), tuple(view.shape)
                raise InvalidInput(f"the tensor {name} has the shape {actual}; the configuration says {wanted}")
            view.data.copy_(tensors[name])
        if not bool(torch.isfinite(self.flat).all()):
            raise InvalidInput("the checkpoint contains weights that are not finite numbers")

    def start_at_random(self, seed: int) -> None:
        """Draw weights as BART does at the beginning: normal with deviation .02, biases 0, norms 1."""
        generator = torch.Generator().manual_seed(seed)
        for name, view in self.views.items():
            if "norm" in name:
                view.data.fill_(float(name.endswith("weight")))
            elif name.endswith("weight"):
                view.data.copy_(torch.randn(view.shape, generator=generator) * 0.02)

    def start_head(self, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        for name, view in self.views.items():
            if name.startswith("classification_head"):
                view.data.copy_(
                    torch.randn(view.shape, generator=generator) * 0.02 if view.dim() > 1 else torch.zeros(view.shape)
                )


def from_hugging_face(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors under our names; raise InvalidInput on a tensor that BART does not have."""
    tensors = dict(tensors)
    if not any(name.startswith("model.") for name in tensors):  # saved without a head
        tensors = {f"model.{name}": tensor for name, tensor in tensors.items()}
    bias = tensors.pop("final_logits_bias", None)
    if bias is not None and bool(bias.any()):
        raise InvalidInput("the checkpoint adds a bias to its output (final_logits_bias), which is not supported")
    copies = [tensors.pop(name) for name in TIED if name in tensors]
    shared = tensors.setdefault(SHARED, copies[0]) if copies else tensors.get(SHARED)
    if any(not torch.equal(copy, shared) for copy in copies):
        raise InvalidInput("the checkpoint's embeddings are not shared between encoder, decoder and output")
    for ours, parts in _joined(tensors).items():
        pieces = [tensors.pop(part, None) for part in parts]
        if any(piece is None for piece in pieces):
            raise InvalidInput(f"the checkpoint lacks one of the tensors {parts[0]} to {parts[-1]}")
        tensors[ours] = torch.cat([piece for piece in pieces if piece is not None])
    return tensors


def to_hugging_face(weights: Weights) -> dict[str, Tensor]:
    """Return the tensors under the names of the Hugging Face layout, on the CPU."""
    tensors = {name: view.detach().cpu() for name, view in weights.views.items()}
    for ours, parts in _joined(tensors).items():
        tensors |= dict(zip(parts, tensors.pop(ours).chunk(len(parts)), strict=True))
    return {name: tensor.contiguous() for name, tensor in tensors.items()}


def _joined(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of our joined tensors with those of their parts in the Hugging Face layout."""
    layers = sorted({(match[1], int(match[2])) for match in map(_LAYER.match, names) if match})
    joined: dict[str, list[str]] = {}
    for end in ("weight", "bias"):
        memory = [
            f"{_layer(*at)}.encoder_attn.{part}_proj.{end}" for at in layers if at[0] == "decoder" for part in "kv"
        ]
        if memory:
            joined[f"{MEMORY}.{end}"] = memory
        for at in layers:
            attention = f"{_layer(*at)}.self_attn"
            joined[f"{attention}.qkv_proj.{end}"] = [f"{attention}.{part}_proj.{end}" for part in "qkv"]
    return joined


def _layer(side: str, number: int) -> str:
    return f"model.{side}.layers.{number}"


@dataclass(frozen=True)
class Rates:
    """Dropout of a pass; none when scoring."""

    dropout: float = 0.0
    attention: float = 0.0


class Bart:
    """The forward pass. `ids` hold all sequences of a batch in a row, `segments` say where each one ends."""

    def __init__(self, shape: BartShape, weights: Weights) -> None:
        self.shape, self.weights = shape, weights

    @property
    def device(self) -> torch.device:
        return self.weights.flat.device

    def encode(self, ids: Tensor, segments: Segments, rates: Rates) -> Tensor:
        x = self._embed("encoder", ids, segments, rates)
        for number in range(self.shape.encoder_layers):
            layer = _layer("encoder", number)
            x = self._self_attention(layer, x, segments, rates, self.shape.encoder_heads, is_causal=False)
            x = self._inner(layer, x, rates)
        return x

    def decode(
        self, ids: Tensor, segments: Segments, memory: Tensor, read: Segments, readers: Segments, rates: Rates,
        *, only_last: bool = False,
    ) -> Tensor:  # fmt: skip
        """Return the decoder's states; with `only_last`, of the last token of each sequence.

        `memory` is the encoder's result and `read` its segments. `readers` cut the decoder's tokens into one piece for
        each sequence of the memory, so that several candidates read one encoded text.
        """
        x = self._embed("decoder", ids, segments, rates)
        heads, known = self.shape.decoder_heads, self._keys_and_values(memory)
        for number in range(self.shape.decoder_layers):
            layer = _layer("decoder", number)
            if only_last and number == self.shape.decoder_layers - 1:
                x = self._last_self_attention(layer, x, segments, rates)
                readers = segments.singles()
            else:
                x = self._self_attention(layer, x, segments, rates, heads, is_causal=True)
            query = self._linear(f"{layer}.encoder_attn.q_proj", x).unflatten(-1, (heads, -1))
            y = attend(query, *known[number], readers, read, dropout=rates.attention, is_causal=False)
            x = self._residual(f"{layer}.encoder_attn", x, y, rates)
            x = self._inner(layer, x, rates)
        return x

    def _keys_and_values(self, memory: Tensor) -> list[tuple[Tensor, Tensor]]:
        """Return what each layer of the decoder asks of the encoder's result: one product for all of them."""
        heads, layers = self.shape.decoder_heads, self.shape.decoder_layers
        projected = self._linear(MEMORY, memory).unflatten(-1, (2 * layers, heads, -1)).unbind(1)
        return [*zip(projected[::2], projected[1::2], strict=True)]

    def logits(self, states: Tensor) -> Tensor:
        """Return the scores of each token of the vocabulary, in fp32."""
        return functional.linear(states, self.weights[SHARED]).float()

    def classify(self, states: Tensor) -> Tensor:
        """Return two logits for each state, in fp32."""
        inner = torch.tanh(self._linear("classification_head.dense", states))
        return self._linear("classification_head.out_proj", inner).float()

    def _embed(self, side: str, ids: Tensor, segments: Segments, rates: Rates) -> Tensor:
        sizes = segments.starts.diff()
        starts = torch.repeat_interleave(segments.starts[:-1], sizes, output_size=len(ids))
        positions = torch.arange(OFFSET, len(ids) + OFFSET, device=ids.device) - starts
        x = functional.embedding(ids, self.weights[SHARED])
        x = x + functional.embedding(positions, self.weights[f"model.{side}.embed_positions.weight"])
        return _drop(self._norm(f"model.{side}.layernorm_embedding", x), rates.dropout)

    def _self_attention(
        self, layer: str, x: Tensor, segments: Segments, rates: Rates, heads: int, *, is_causal: bool
    ) -> Tensor:
        triple = self._linear(f"{layer}.self_attn.qkv_proj", x).unflatten(-1, (3, heads, -1))
        query, key, value = triple.unbind(1)
        y = attend(query, key, value, segments, segments, dropout=rates.attention, is_causal=is_causal)
        return self._residual(f"{layer}.self_attn", x, y, rates)

    def _last_self_attention(self, layer: str, x: Tensor, segments: Segments, rates: Rates) -> Tensor:
        """Attend from the last token of each sequence only: it may see all the others."""
        last, width = segments.starts[1:] - 1, self.shape.width
        weight, bias = (self.weights[f"{layer}.self_attn.qkv_proj.{part}"] for part in ("weight", "bias"))
        pair = functional.linear(x, weight[width:], bias[width:]).unflatten(-1, (2, self.shape.decoder_heads, -1))
        x = x.index_select(0, last)
        query = functional.linear(x, weight[:width], bias[:width]).unflatten(-1, (self.shape.decoder_heads, -1))
        key, value = pair.unbind(1)
        y = attend(query, key, value, segments.singles(), segments, dropout=rates.attention, is_causal=False)
        return self._residual(f"{layer}.self_attn", x, y, rates)

    def _residual(self, name: str, x: Tensor, y: Tensor, rates: Rates) -> Tensor:
        y = self._linear(f"{name}.out_proj", y.flatten(1))
        return self._norm(f"{name}_layer_norm", x + _drop(y, rates.dropout))

    def _inner(self, layer: str, x: Tensor, rates: Rates) -> Tensor:
        y = self._linear(f"{layer}.fc2", functional.gelu(self._linear(f"{layer}.fc1", x)))
        return self._norm(f"{layer}.final_layer_norm", x + _drop(y, rates.dropout))

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return functional.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm(self, name: str, x: Tensor) -> Tensor:
        return functional.layer_norm(
            x, (self.shape.width,), self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        )


def _drop(x: Tensor, rate: float) -> Tensor:
    return functional.dropout(x, rate) if rate else x
