"""Values that cross borders: JSON, its canonical form, and the hash that serves as identity."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from itertools import islice
from typing import TypeAlias, TypeVar

# Made once: json.dumps makes a new one for each call, which takes as long as writing a short value.
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
LONGEST_ID = 18  # digits
T = TypeVar("T")
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of `size`; the last one may be shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def canonical_json(value: Json) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, no NaN, non-ASCII kept."""
    return _ENCODER.encode(value)


def rounded(number: float, places: int = 3) -> str:
    """Return the number with so many decimals, halves away from zero: what Django's floatformat shows on pages."""
    found = Decimal(repr(float(number))).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return str(abs(found) if found.is_zero() else found)


def counted(number: int, one: str, many: str = "") -> str:
    """Return "1 answer" or "1,000 answers"; `many` is the plural where it is not the singular with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def elapsed(seconds: float) -> str:
    """Return a time for people: 0.4 s, 12 s, 1 min 30 s, 16 h 31 min, 3 days 4 h."""
    if seconds < 9.95 and not float(seconds).is_integer():
        return f"{rounded(seconds, 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 1:
        return f"{rest} s"
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours = minutes // 60
    return f"{hours} h {minutes % 60:02d} min" if hours < 48 else f"{hours // 24} days {hours % 24} h"


def whole_number(text: str) -> int | None:
    """Return the number that a text from outside is; None where it is none, or longer than any row's id."""
    return int(text) if text.isdecimal() and len(text) <= LONGEST_ID else None


def storable(text: str) -> str:
    """Return the text as every database takes it: without NUL, lone surrogates replaced."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def content_hash(value: Json) -> str:
    """Return 64 hexadecimal digits that are equal exactly when the canonical JSON is equal."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()
