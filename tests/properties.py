"""How many examples a property is tried with."""

from __future__ import annotations

from hypothesis import settings


def at_most(examples: int) -> settings:
    """Try a property whose examples take long with no more than so many, and never with more than others get."""
    return settings(max_examples=min(examples, settings().max_examples))
