"""Names that stand for people outside the application: keyed, so that nobody can work back to an id."""

from __future__ import annotations

import hashlib
import hmac

LENGTH = 12  # hexadecimal digits: 48 bits, no two alike among any crowd we know


def pseudonym(worker: str, *, scope: str, key: str) -> str:
    """Return the same name for the same person within a scope, and another one in every other scope."""
    inner = hmac.new(key.encode(), f"pseudonyms of {scope}".encode(), hashlib.sha256).digest()
    return hmac.new(inner, worker.encode(), hashlib.sha256).hexdigest()[:LENGTH]
