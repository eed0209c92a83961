"""Templates: what Django would print instead of running it, counted nouns, and the length of lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "templates"
TEMPLATES = sorted({*FOLDER.rglob("*.*")} - {FOLDER / "README.md"})


def places(is_fault: Callable[[str], object]) -> list[str]:
    """Return file and number of every line of a template that has this fault."""
    return [
        f"{path.relative_to(FOLDER)}:{number}"
        for path in TEMPLATES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if is_fault(line)
    ]


def is_broken(line: str) -> bool:
    return any(line.count(start) != line.count(end) for start, end in (("{{", "}}"), ("{%", "%}")))


def test_no_tag_is_broken_over_lines():
    assert places(is_broken) == []


PLURAL = re.compile(
    r"\|(?:count|length) \}\} (?:answers|people|tasks|instances|articles|annotations|runs|participants|campaigns)\b"
)


def test_things_are_counted_with_their_singular():
    """One answer is no "1 answers": the filter `counted` knows both."""
    assert places(PLURAL.search) == []


def test_lines_are_short_enough_to_be_read():
    assert places(lambda line: len(line) > 160) == []
