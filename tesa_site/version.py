"""The version is the newest numbered heading of CHANGELOG.md."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path


@cache
def version() -> str:
    text = (Path(__file__).parent.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    match = re.search(r"^## \[?(\d[^\]\s]*)", text, re.MULTILINE)
    return match.group(1) if match else "0"
