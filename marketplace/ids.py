"""Ids as the protocol's clients expect them: capitals and digits."""

from __future__ import annotations

import secrets

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def entity_id() -> str:
    """Return an id of a HIT, HIT type, assignment or qualification type."""
    return "3" + _letters(29)


def worker_id() -> str:
    return "A" + _letters(13)


def secret() -> str:
    return secrets.token_urlsafe(24)


def _letters(count: int) -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(count))
