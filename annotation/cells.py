"""Cells of tables that people open in a spreadsheet."""

from __future__ import annotations

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run a cell that opens with one of these


def guarded(value: object) -> object:
    """Return a text that is not taken for a formula: an apostrophe stands before it; anything else as it is."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
