"""Sources of backgrounds. A new encyclopedia is one module here and one line in BACKGROUND_SOURCES."""

from __future__ import annotations

from corpus.backgrounds.base import SourceFactory
from kernel.registry import Registry

BACKGROUND_SOURCES: Registry[SourceFactory] = Registry(
    "background source",
    {
        "wikipedia": "corpus.backgrounds.live:from_config",
        "dump": "corpus.backgrounds.dump:from_config",
    },
)
