"""Plain values: JSON with its canonical form and hash, numbers and times as text, batches."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from itertools import islice
from typing import TypeAlias, TypeVar

# Created once: json.dumps creates an encoder for each call, which takes as long as encoding a short value.
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
    """Return the canonical JSON of a value: sorted keys, no spaces, no NaN, non-ASCII characters kept."""
    return _ENCODER.encode(value)


def rounded(number: float, places: int = 3) -> str:
    """Return the number rounded half away from zero, as Django's floatformat shows it on pages."""
    decimal = Decimal(repr(float(number))).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return str(abs(decimal) if decimal.is_zero() else decimal)


def counted(number: int, singular: str, plural: str = "") -> str:
    """Return "1 answer" or "1,000 answers"; `plural` is needed only if it is not the singular with an s."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


def money(amount: Decimal, currency: str) -> str:
    """Return an amount as people read it: $1,234.50, or EUR 1,234.50."""
    return f"{'$' if currency == 'USD' else f'{currency} '}{amount:,.2f}"


def elapsed(seconds: float) -> str:
    """Return a duration as text: 0.4 s, 12 s, 1 min 30 s, 16 h 31 min, 3 days 4 h."""
    if seconds < 9.95 and not float(seconds).is_integer():
        return f"{rounded(seconds, 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 1:
        return f"{rest} s"
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours = minutes // 60
    return f"{hours} h {minutes % 60:02d} min" if hours < 48 else f"{hours // 24} days {hours % 24} h"


def short_moment(moment: datetime, now: datetime) -> str:
    """Return a time as people say it now: just now, 2 min ago, 14:20, yesterday, 9 Nov, 9 Nov 2025."""
    minutes, days = int((now - moment).total_seconds() // 60), (now.date() - moment.date()).days
    if 0 <= minutes < 60:
        return f"{minutes} min ago" if minutes else "just now"
    if days in (0, 1):
        return "yesterday" if days else f"{moment:%H:%M}"
    return f"{moment.day} {moment:%b}" + (f" {moment.year}" if moment.year != now.year else "")


def whole_number(text: str) -> int | None:
    """Parse digits from outside; None if the text is not a number or is longer than any row's id."""
    return int(text) if text.isdecimal() and len(text) <= LONGEST_ID else None


def storable(text: str) -> str:
    """Return the text as every database can store it: NUL removed, lone surrogates replaced."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def content_hash(value: Json) -> str:
    """Return the SHA-256 of the canonical JSON as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()
