"""Access keys. A secret is derived from the installation's key, so that it is stored nowhere."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets


def new_key_id() -> tuple[str, str]:
    """Return the id of a new access key, and its salt."""
    return "AKIA" + "".join(secrets.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") for _ in range(16)), secrets.token_hex(8)


def derive_secret(installation_key: str, key_id: str, salt: str) -> str:
    """Return the secret of an access key: 40 characters, always the same ones."""
    digest = hmac.new(installation_key.encode(), f"mturk secret\n{key_id}\n{salt}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest)[:40].decode()


def own_key_id(installation_key: str, account: str) -> str:
    """Return the id of the key that this installation itself uses for its account of that name."""
    digest = hmac.new(installation_key.encode(), f"mturk key id\n{account}".encode(), hashlib.sha256).digest()
    return "AKIA" + base64.b32encode(digest)[:16].decode()
