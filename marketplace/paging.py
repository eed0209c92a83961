"""Page tokens: the last key of a page, bound to the query by a hash that only we can make."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from marketplace.errors import parameter

DEFAULT_SIZE = 10


def next_token(secret: str, query: Mapping[str, Any], last: int) -> str:
    return f"{last:x}-{_seal(secret, query, last)}"


def read_token(secret: str, query: Mapping[str, Any], token: str) -> int:
    """Return the last key of the page before; raise if the token was not made for this query."""
    number, _, seal = token.partition("-")
    try:
        last = int(number, 16)
    except ValueError:
        last = -1
    if not hmac.compare_digest(seal.encode(), _seal(secret, query, last).encode()):
        raise parameter("The NextToken does not belong to this query.")
    return last


def _seal(secret: str, query: Mapping[str, Any], last: int) -> str:
    text = json.dumps([last, query], sort_keys=True, default=str)
    return hmac.new(f"page {secret}".encode(), text.encode(), hashlib.sha256).hexdigest()[:32]
