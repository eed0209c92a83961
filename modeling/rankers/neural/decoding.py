"""BART's decoder one token at a time, for many sentences with several hypotheses each.

Keys and values of earlier tokens are kept in two buffers per layer. Choosing which hypotheses go on copies from one to
the other, so that their addresses stay the same and nothing is allocated for each token.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from modeling.rankers.neural.attention import Segments, attend, on_device
from modeling.rankers.neural.bart import OFFSET, SHARED, Bart, Rates
from modeling.rankers.neural.texts import END, START, Ids

BLOCK = 32  # tokens; buffers grow by this many
ENCODED = 65_536  # tokens of one pass of the encoder


class Decoder(Bart):
    """Begins with one hypothesis for each text; `reorder` makes it several."""

    def __init__(self, bart: Bart, texts: Sequence[Ids]) -> None:
        super().__init__(bart.shape, bart.weights)
        self.sentences = len(texts)
        self.length = 0  # tokens read so far
        self.past: list[Tensor] = [self._buffer(self.sentences, BLOCK) for _ in range(self.shape.decoder_layers)]
        self.spare: list[Tensor] = list(self.past)
        self.readers = Segments.of([1] * self.sentences, self.device)
        self.read, self.memory = self._encode(texts)

    def step(self, ids: Tensor) -> Tensor:
        """Read one token of each hypothesis and return the logits of the next one, in fp32."""
        heads, at = self.shape.decoder_heads, self.length
        x = functional.embedding(ids, self.weights[SHARED])
        x = x + self.weights["model.decoder.embed_positions.weight"][at + OFFSET]
        x = self._norm("model.decoder.layernorm_embedding", x)
        for number, past in enumerate(self.past):
            layer = f"model.decoder.layers.{number}"
            triple = self._linear(f"{layer}.self_attn.qkv_proj", x).unflatten(-1, (3, heads, -1))
            past[at] = triple[:, 1:].transpose(0, 1)
            keys, values = past[: at + 1].permute(1, 2, 3, 0, 4)  # each hypotheses × heads × tokens × size
            y = functional.scaled_dot_product_attention(triple[:, 0, :, None], keys, values)
            x = self._residual(f"{layer}.self_attn", x, y[:, :, 0], Rates())
            query = self._linear(f"{layer}.encoder_attn.q_proj", x).unflatten(-1, (heads, -1))
            y = attend(query, *self.memory[number], self.readers, self.read, dropout=0.0, is_causal=False)
            x = self._residual(f"{layer}.encoder_attn", x, y, Rates())
            x = self._inner(layer, x, Rates())
        self.length += 1
        return self.logits(x)

    def reorder(self, order: Tensor) -> None:
        """Go on with these hypotheses: numbers of the present ones, the same number for each sentence."""
        rows, length = len(order), self.length
        for number, (past, spare) in enumerate(zip(self.past, self.spare, strict=True)):
            target = spare
            if spare is past or spare.shape[2] != rows or len(spare) <= length:
                target = self._buffer(rows, -(-(length + 1) // BLOCK) * BLOCK)
            torch.index_select(past[:length], 2, order, out=target[:length])
            self.past[number], self.spare[number] = target, past
        if rows != self.readers.starts.shape[0] - 1:
            self.readers = Segments.of([rows // self.sentences] * self.sentences, self.device)

    def _buffer(self, rows: int, tokens: int) -> Tensor:
        heads = self.shape.decoder_heads
        size = (tokens, 2, rows, heads, self.shape.width // heads)
        return torch.empty(size, dtype=self.weights.flat.dtype, device=self.device)

    def _encode(self, texts: Sequence[Ids]) -> tuple[Segments, list[tuple[Tensor, Tensor]]]:
        """Return the segments of the encoded texts, and their keys and values for each layer of the decoder."""
        sequences = [np.concatenate(([START], text, [END])) for text in texts]
        pieces, chunk, size = [], [sequences[0]], len(sequences[0])
        for ids in [*sequences[1:], None]:
            if ids is None or size + len(ids) > ENCODED:
                packed = Segments.of([len(sequence) for sequence in chunk], self.device)
                pieces.append(self.encode(on_device(np.concatenate(chunk), self.device), packed, Rates()))
                chunk, size = [], 0
            if ids is not None:
                chunk.append(ids)
                size += len(ids)
        segments = Segments.of([len(sequence) for sequence in sequences], self.device)
        return segments, self._keys_and_values(torch.cat(pieces))
