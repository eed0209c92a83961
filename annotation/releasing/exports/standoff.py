"""Stand-off: the release without a word of any article. Ids, offsets and hashes stay; `rehydrate` puts the texts back.

The first line says which release it is and what the rebuilt file's hash must be. In a row, `title` and `context` become
`{"sha256", "length"}`, the context with `start`, its place in the article's body (paragraphs joined by a blank line) or
abstract; null where the article could not be looked up, and then the length and the hash find it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from annotation.releasing.exports.base import ExportSource
from annotation.releasing.exports.jsonl import line_of
from annotation.releasing.facts import ReleaseRow
from corpus.items.base import sha256
from corpus.items.instances import INSTANCE
from kernel.values import batches, canonical_json

SCHEMA = 1
PlaceFinder: TypeAlias = Callable[[Sequence[ReleaseRow]], Sequence[int | None]]  # where contexts begin in articles
BATCH = 500  # rows looked up together


def without_text(row: ReleaseRow, start: int | None) -> ReleaseRow:
    """Return the row with hashes in the place of the article's words, and its own hash as it will be again."""
    bare = INSTANCE.without_text(row)
    return {**bare, "context": {**bare["context"], "start": start}, "sha256": sha256(line_of(row))}


def with_text(row: Mapping[str, Any], title: str, context: str) -> ReleaseRow:
    """Return the whole row again."""
    return {**{name: row[name] for name in row if name != "sha256"}, "title": title, "context": context}


def header_of(source: ExportSource) -> dict[str, Any]:
    """Return the first line: which release it is, and what the whole rows hash to."""
    whole, rows = hashlib.sha256(), 0
    for row in source.rows():
        whole.update(line_of(row).encode("utf-8", "surrogatepass"))
        rows += 1
    facts = source.facts
    return {
        "standoff": SCHEMA,
        "release": facts.name,
        "version": facts.version,
        "content_hash": facts.content_hash,
        "recipe": facts.recipe,
        "rows": rows,
        "sha256": whole.hexdigest(),
    }


class Standoff:
    name: ClassVar[str] = "standoff"
    label: ClassVar[str] = "Stand-off"
    about: ClassVar[str] = "JSON lines without any article text; manage.py rehydrate restores it from your own copy."
    suffix: ClassVar[str] = "-standoff.jsonl"

    def write(self, source: ExportSource, out: Path) -> None:
        places: PlaceFinder = source.places or (lambda rows: [None] * len(rows))
        header = header_of(source)
        with out.open("w", encoding="utf-8", newline="\n") as file:
            file.write(canonical_json(header) + "\n")
            for some in batches(source.rows_with_progress(), BATCH):
                placed_rows = zip(some, places(some), strict=True)
                file.writelines(line_of(without_text(row, start)) for row, start in placed_rows)


STANDOFF = Standoff()
