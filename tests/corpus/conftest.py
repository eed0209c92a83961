"""A pipeline that recognizes a few names."""

from __future__ import annotations

from typing import Any

import pytest

PATTERNS = {
    "Ida Lind": "PERSON", "Lind": "PERSON", "Olof Berg": "PERSON", "Arden": "GPE", "Lake Arden": "LOC",
    "the Arden Times": "ORG", "Monday": "DATE",
}  # fmt: skip


@pytest.fixture
def pipeline(tmp_path) -> str:
    """A small pipeline of rules, saved as a trained one would be."""
    import spacy

    nlp = spacy.blank("en")
    ruler: Any = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": label, "pattern": text} for text, label in PATTERNS.items()])
    nlp.meta["version"] = "1.2.3"
    nlp.to_disk(tmp_path / "rules")
    return str(tmp_path / "rules")
