"""Parts that questions can be made of: one line for each kind."""

from __future__ import annotations

from annotation.parts.base import Part
from kernel.registry import Registry

PARTS: Registry[Part] = Registry(
    "kind of part",
    {
        "text": "annotation.parts.text:TEXT",
        "choice": "annotation.parts.choice:CHOICE",
        "rating": "annotation.parts.rating:RATING",
        "ranking": "annotation.parts.ranking:RANKING",
        "spans": "annotation.parts.spans:SPANS",
    },
)
