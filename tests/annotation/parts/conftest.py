from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _titles(invented_titles: None) -> None:
    """Parts are tested without a database."""
