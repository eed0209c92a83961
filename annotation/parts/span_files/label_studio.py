"""Tasks with annotations as Label Studio imports them.

The project's configuration must have `<Text name="text" value="$text"/>` and `<Labels name="label" toName="text">`
with a `<Label>` for the id of each label; for pages of marks, `<TextArea name="page" toName="text" perRegion="true"/>`
with the attribute's name. Offsets count code points, and CR LF as two, as in its editor.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from annotation.parts.span_files.released import ReleasedText, SpanFormat
from annotation.parts.span_marks import MarkedSpan
from annotation.releasing.exports.base import ExportSource
from annotation.task_types.base import JsonObject
from kernel.values import Json, canonical_json

CONTROL, OBJECT, TYPE, PAGES = "label", "text", "labels", "textarea"


class LabelStudio(SpanFormat):
    name: ClassVar[str] = "label_studio"
    label: ClassVar[str] = "Label Studio"
    about: ClassVar[str] = (
        "JSON to import: a task with one annotation for each text. Its labels are named “label” and the text “text”. "
        "Texts that nobody answered are left out."
    )
    suffix: ClassVar[str] = "-label-studio.json"

    def write(self, source: ExportSource, out: Path) -> None:
        with out.open("w", encoding="utf-8", newline="\n") as file:
            file.write("[")
            for number, (own, spans) in enumerate(self.answered(source)):
                file.write(("," if number else "") + "\n" + canonical_json(as_task(own, spans)))
            file.write("\n]\n")


def as_task(own: ReleasedText, spans: Sequence[MarkedSpan]) -> JsonObject:
    results: list[Json] = []
    for number, span in enumerate(spans, 1):
        region: JsonObject = {"start": span.start, "end": span.end, "text": own.text[span.start : span.end]}
        about: JsonObject = {"id": str(number), "to_name": OBJECT}
        results.append({**about, "from_name": CONTROL, "type": TYPE, "value": {**region, TYPE: [span.label]}})
        results += [
            {**about, "from_name": name, "type": PAGES, "value": {**region, "text": [*value]}}
            for name, value in span.attributes
            if not isinstance(value, str)
        ]
    return {"data": {"text": own.text, "id": own.id}, "annotations": [{"result": results}]}
