"""What Django would print as it stands instead of running it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEMPLATES = sorted((Path(__file__).parent.parent / "templates").rglob("*.*"))


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
