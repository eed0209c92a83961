"""Where articles come from. A new format is one module here and one line in SOURCES."""

from __future__ import annotations

from corpus.sources.base import Source
from tesa_site.kernel.registry import Registry

SOURCES: Registry[Source] = Registry(
    "source",
    {
        "nitf": "corpus.sources.nitf:NITF",
        "text": "corpus.sources.text:TEXT",
    },
)
