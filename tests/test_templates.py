"""Templates: what Django would print instead of running it, counted nouns, and the length of lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "templates"
TEMPLATES = sorted({*FOLDER.rglob("*.*")} - {FOLDER / "README.md"})


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_tag_is_broken_over_lines(path: Path):
    lines = path.read_text().splitlines()
    broken = [
        number
        for number, line in enumerate(lines, 1)
        if any(line.count(start) != line.count(end) for start, end in (("{{", "}}"), ("{%", "%}")))
    ]

    assert broken == []


PLURAL = re.compile(
    r"\|(?:count|length) \}\} (?:answers|people|tasks|instances|articles|annotations|runs|participants|campaigns)\b"
)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_things_are_counted_with_their_singular(path: Path):
    """One answer is no "1 answers": the filter `counted` knows both."""
    assert PLURAL.findall(path.read_text()) == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_lines_are_short_enough_to_be_read(path: Path):
    long = [number for number, line in enumerate(path.read_text().splitlines(), 1) if len(line) > 160]

    assert long == []
