"""Names that stand for people outside the application: keyed, so that nobody can work back to an id."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection

LENGTH = 12  # hexadecimal digits: 48 bits, no two alike among any crowd we know
SIMULATED = "sim-"


def pseudonym(worker: str, *, scope: str, key: str) -> str:
    """Return the same name for the same person within a scope, and another one in every other scope."""
    inner = hmac.new(key.encode(), f"pseudonyms of {scope}".encode(), hashlib.sha256).digest()
    return hmac.new(inner, worker.encode(), hashlib.sha256).hexdigest()[:LENGTH]


class Pseudonyms:
    """The same person has one pseudonym within a release, and another one in the next.

    Pseudonyms of simulated participants begin with "sim-".
    """

    def __init__(self, key: str, name: str, version: int, simulated: Collection[str] = ()) -> None:
        self._simulated = simulated
        self._key = hmac.new(key.encode(), f"tesa release\n{name}\n{version}".encode(), hashlib.sha256).digest()

    def of(self, worker: str) -> str:
        prefix = SIMULATED if worker in self._simulated else "w"
        return prefix + hmac.new(self._key, worker.encode(), hashlib.sha256).hexdigest()[:LENGTH]
