"""Files made of a release. A new format is one module here and one line in FORMATS."""

from __future__ import annotations

from annotation.releasing.exports.base import Format
from tesa_site.kernel.registry import Registry

FORMATS: Registry[Format] = Registry(
    "export format",
    {
        "jsonl": "annotation.releasing.exports.jsonl:JSONL",
        "csv": "annotation.releasing.exports.tables:AGGREGATED",
        "annotations": "annotation.releasing.exports.tables:ANNOTATIONS",
        "published": "annotation.releasing.exports.published:PUBLISHED",
        "huggingface": "annotation.releasing.exports.huggingface:HUGGING_FACE",
        "mturk": "annotation.releasing.exports.mturk:MTURK",
        "standoff": "annotation.releasing.exports.standoff:STANDOFF",
    },
)
