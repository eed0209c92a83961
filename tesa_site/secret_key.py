"""Estimate how random a secret key is."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

FEWEST_BITS = 128
ZLIB_FRAME = 8  # bytes that zlib adds to whatever it compresses


def random_bits(key: str) -> float:
    """Return the lowest of three estimates of a key's entropy in bits.

    Counting characters detects "aaaa", the steps between neighbours "abcdefgh", and compression repeated words.
    Random keys of 50 digits score at least 140, so a limit of FEWEST_BITS refuses none of them.
    """
    codes = [*key.encode()]
    steps = [after - before for before, after in pairwise(codes)]
    compressed = 8.0 * (len(zlib.compress(bytes(codes), 9)) - ZLIB_FRAME)
    return min(len(codes) * _entropy(codes), len(codes) * _entropy(steps), compressed)


def _entropy(values: Sequence[int]) -> float:
    """Return the Shannon entropy per value, in bits."""
    shares = [count / len(values) for count in Counter(values).values()]
    return -sum(share * math.log2(share) for share in shares)
