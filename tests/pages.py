"""How tests read a page."""

from __future__ import annotations

from typing import Any


def shown(response: Any) -> str:
    """Return a page's HTML on one line, as a browser takes it: a template may break lines anywhere."""
    return " ".join(response.content.decode().split()).replace(" >", ">")
