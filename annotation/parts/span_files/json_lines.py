"""JSON lines of marked texts: offsets, words and labels, with what each person marked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from annotation.parts.span_files.released import CONSENSUS, ReleasedText, SpanFormat
from annotation.parts.span_marks import MarkedSpan, spans_of
from annotation.releasing.exports.base import ExportSource
from annotation.releasing.exports.jsonl import line_of
from annotation.task_types.base import JsonObject


class MarkLines(SpanFormat):
    name: ClassVar[str] = "marks"
    label: ClassVar[str] = "Marks"
    about: ClassVar[str] = (
        "JSON lines: one line for each text, with its marks (start, end, label, words) and those of each annotator."
    )
    suffix: ClassVar[str] = "-marks.jsonl"

    def write(self, source: ExportSource, out: Path) -> None:
        with out.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(line_of(as_line(own)) for own in self.released(source))


def as_line(own: ReleasedText) -> JsonObject:
    """Return the line of a text; its `spans` are null where nobody answered."""
    spans = None if own.spans is None else described(own.text, own.spans)
    if spans and own.origin == CONSENSUS:
        agreed = own.row["consensus"][own.part]["spans"]
        spans = [{**span, "support": marked["support"]} for span, marked in zip(spans, agreed, strict=True)]
    return {
        "id": own.id, "key": own.row["key"], "group": own.group, "part": own.part, "column": own.column,
        "text": own.text, "spans": spans, "from": own.origin,
        "annotations": [_annotation(own, annotation) for annotation in own.row["annotations"]],
    }  # fmt: skip


def described(text: str, spans: Iterable[MarkedSpan]) -> list[Any]:
    """Return marks with their words, character for character."""
    return [{**span.to_json(), "words": text[span.start : span.end]} for span in spans]


def _annotation(own: ReleasedText, annotation: Any) -> JsonObject:
    marked = (annotation["final"] or {}).get(own.part)
    spans = None if marked is None else described(own.text, spans_of(marked))
    return {"annotator": annotation["annotator"], "simulated": annotation["simulated"], "spans": spans}
