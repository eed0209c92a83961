"""Names for people that tell nothing: keyed, so that nobody can try known ids; different in every release."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection

LENGTH = 12
SIMULATED = "sim-"


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
