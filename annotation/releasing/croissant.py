"""Croissant 1.0 metadata of a Hugging Face folder: which files there are, and which fields they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from annotation.releasing.consensus_words import consensus_note
from annotation.releasing.facts import Facts
from kernel.fields import DATE, DECIMAL, NUMBER, TRUTH, Field

TYPES = {NUMBER: "sc:Integer", DECIMAL: "sc:Float", TRUTH: "sc:Boolean", DATE: "sc:Date"}
# Croissant's own terms that have no type
TERMS = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format",
    "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references",
    "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField", "transform",
)  # fmt: skip
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "sc": "https://schema.org/",
    **{term: f"cr:{term}" for term in TERMS},
}


def croissant(facts: Facts, hashes: Mapping[str, str]) -> dict[str, Any]:
    """Return the description; `hashes` are the SHA-256 of data/<name>.jsonl by name: a table, or “table-part”."""
    tables = facts.tables
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": facts.slug,
        "description": " ".join(filter(None, _description(facts))),
        "version": f"{facts.version}.0.0",
        "datePublished": facts.frozen_on.isoformat(),
        "url": f"urn:sha256:{facts.content_hash}",
        "citeAs": f"{facts.title} ({facts.frozen_on.year}), content {facts.content_hash}",
        **({"license": facts.licence} if facts.licence else {}),
        "distribution": [_file(name, digest) for name, digest in hashes.items()],
        "recordSet": [_records(name, tables[name.partition("-")[0]]) for name in hashes],
    }


def _description(facts: Facts) -> Sequence[str]:
    return facts.simulated_note, facts.description or facts.title, consensus_note(facts.recipe)


def _file(table: str, digest: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": f"{table}-file",
        "name": f"{table}-file",
        "contentUrl": f"data/{table}.jsonl",
        "encodingFormat": "application/jsonlines",
        "sha256": digest,
    }


def _records(table: str, fields: Sequence[Field]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table,
        "name": table,
        "field": [_field(field, table, f"{table}-file") for field in fields],
    }


def _field(field: Field, within: str, file: str, above: tuple[str, ...] = ()) -> dict[str, Any]:
    """Describe a field. `above` names the column and the objects that it is in; none: it is a column itself."""
    name = f"{within}/{quote(field.name, safe='')}"
    described: dict[str, Any] = {"@type": "cr:Field", "@id": name, "name": name, "description": field.about}
    column, *inside = (*above, field.name)
    if field.many:
        described["repeated"] = True
    if field.fields:
        own = {"source": {"fileObject": {"@id": file}, "extract": {"column": field.name}}}
        subs = [_field(sub, name, file, (*above, field.name)) for sub in field.fields]
        return described | own | {"subField": subs}
    described["dataType"] = TYPES.get(field.type, "sc:Text")
    source: dict[str, Any] = {"fileObject": {"@id": file}, "extract": {"column": column}}
    if inside:
        source["transform"] = {"jsonPath": _json_path(inside)}
    return described | {"source": source}


def _json_path(names: Sequence[str]) -> str:
    if all(name.isascii() and name.isidentifier() for name in names):
        return ".".join(names)
    escaped = [name.replace("\\", "\\\\").replace("'", "\\'") for name in names]
    return "$" + "".join(f"['{name}']" for name in escaped)
