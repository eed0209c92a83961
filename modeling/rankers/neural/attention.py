"""Attention over packed sequences: all tokens of a batch in one row after another, without padding.

On a GPU in half precision, flash attention reads the packed rows as they are. Elsewhere torch's own attention takes one
sequence after the other; without dropout both give the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Segments:
    """Where each sequence starts and ends in a packed tensor."""

    lengths: tuple[int, ...]
    starts: Tensor  # int32, with the total as last value
    longest: int

    @classmethod
    def of(cls, lengths: Sequence[int], device: torch.device) -> Segments:
        starts = np.zeros(len(lengths) + 1, dtype=np.int32)
        np.cumsum(lengths, out=starts[1:])
        return cls(tuple(lengths), on_device(starts, device), max(lengths))

    def singles(self) -> Segments:
        """Return segments of one row for each of these sequences."""
        many = len(self.lengths)
        return Segments((1,) * many, torch.arange(many + 1, dtype=torch.int32, device=self.starts.device), 1)


def on_device(values: np.ndarray, device: torch.device) -> Tensor:
    """Return the values as a tensor; the copy to a GPU does not wait for it."""
    tensor = torch.from_numpy(values)
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


def attend(
    query: Tensor, key: Tensor, value: Tensor, asking: Segments, asked: Segments, *, dropout: float, is_causal: bool
) -> Tensor:
    """Return rows × heads × size: each sequence of `asking` attends to the one of `asked` with its number."""
    if query.is_cuda and query.dtype in (torch.bfloat16, torch.float16):
        return torch.ops.aten._flash_attention_forward(
            query, key, value, asking.starts, asked.starts, asking.longest, asked.longest, dropout, is_causal, False
        )[0]
    pieces = zip(*(_pieces(x, at) for x, at in ((query, asking), (key, asked), (value, asked))), strict=True)
    attended = [
        functional.scaled_dot_product_attention(*piece, dropout_p=dropout, is_causal=is_causal) for piece in pieces
    ]
    return torch.cat([rows[0].transpose(0, 1) for rows in attended])


def _pieces(rows: Tensor, segments: Segments) -> list[Tensor]:
    """Return each sequence as 1 × heads × length × size."""
    return [piece.transpose(0, 1)[None] for piece in rows.split(segments.lengths)]
