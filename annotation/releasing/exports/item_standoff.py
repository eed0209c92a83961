"""Stand-off of items that came in files: a hash and a length in place of each text, found again by the key."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from annotation.releasing.exports.base import ExportSource
from annotation.releasing.exports.jsonl import line_of
from annotation.releasing.exports.standoff import header_of
from corpus.items import ITEM_KINDS
from corpus.items.base import sha256
from kernel.values import canonical_json


@dataclass(frozen=True)
class ItemStandoff:
    """`item_kind` says what the rows are about."""

    item_kind: str
    name: ClassVar[str] = "standoff"
    label: ClassVar[str] = "Stand-off"
    about: ClassVar[str] = "JSON lines without any text; manage.py rehydrate restores it from your own file of items."
    suffix: ClassVar[str] = "-standoff.jsonl"

    def write(self, source: ExportSource, out: Path) -> None:
        kind = ITEM_KINDS[self.item_kind]
        header = {**header_of(source), "item_kind": self.item_kind}
        with out.open("w", encoding="utf-8", newline="\n") as file:
            file.write(canonical_json(header) + "\n")
            for row in source.rows_with_progress():
                file.write(line_of({**kind.without_text(row), "sha256": sha256(line_of(row))}))
