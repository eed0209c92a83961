"""Colours for a few series, told apart by colour-blind readers too; shapes say the same a second time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a67c00", "#56b4e9", "#8a8580", "#b3261e")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
MOST = len(COLOURS)


def colour_and_shape(field: str, series: Sequence[str], *, above: bool = False) -> dict[str, Any]:
    """Return the encodings of a series: one legend for both, at the right or above."""
    place = {"orient": "top", "columns": 4, "columnPadding": 30} if above else {"orient": "right"}
    legend = {"title": None, "labelLimit": 220, "symbolOpacity": 1, **place}
    domain = [*series]
    base = {"field": field, "type": "nominal", "sort": domain, "legend": legend}
    return {
        "color": {**base, "scale": {"domain": domain, "range": [*COLOURS[: len(domain)]]}},
        "shape": {**base, "scale": {"domain": domain, "range": [*SHAPES[: len(domain)]]}},
    }
