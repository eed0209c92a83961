"""Sources of articles. A new format is one module here and one line in SOURCES."""

from __future__ import annotations

from corpus.sources.base import Source
from kernel.registry import Registry

SOURCES: Registry[Source] = Registry(
    "source",
    {
        "nitf": "corpus.sources.nitf:NITF",
        "reuters21578": "corpus.sources.reuters21578:REUTERS21578",
        "jsonl": "corpus.sources.jsonl:JSONL",
        "text": "corpus.sources.text:TEXT",
    },
)
