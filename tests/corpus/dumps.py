"""Makers of dumps."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from corpus.backgrounds.base import Page


def row(title: str, text: str = "It is what it is.", **fields: Any) -> dict[str, Any]:
    return {"title": title, "text": text, **fields}


def write(folder: Path, *rows: Any, name: str = "pages.jsonl") -> Path:
    path = folder / name
    lines = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in rows)
    path.write_bytes(gzip.compress(lines.encode()) if name.endswith(".gz") else lines.encode())
    return path


def title_of(page: Page | None) -> str | None:
    return page.title if page else None
