"""Descriptions to start from: each is a YAML file beside this one, complete with instructions and practice."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = tuple(path.stem for path in sorted(FOLDER.glob("*.yaml")))


def text_of(name: str) -> str:
    return (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


@cache
def entries() -> tuple[tuple[str, str, str], ...]:
    """Return the name, the title and the first comment of each."""
    return tuple(_entries())


def _entries() -> Iterator[tuple[str, str, str]]:
    for name in NAMES:
        lines = text_of(name).splitlines()
        about = lines[0].removeprefix("#").strip() if lines[0].startswith("#") else ""
        title = next(line.partition(":")[2].strip() for line in lines if line.startswith("name:"))
        yield name, title, about
