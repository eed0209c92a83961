"""Tasks with annotations as Label Studio imports them.

The project's configuration must have `<Text name="text" value="$text"/>` and `<Labels name="label" toName="text">`
with a `<Label>` for the id of each label; for what is asked about marks, `<Choices name="sure" toName="text"
perRegion="true">` with the ids of the options, or `<TextArea name="page" toName="text" perRegion="true">`, also for
pages. Offsets count code points, and CR LF as two, as in its editor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from annotation.parts.span_files.released import ReleasedText, SpanFormat
from annotation.parts.span_marks import MarkedSpan
from annotation.releasing.exports.base import ExportSource
from annotation.task_types.base import JsonObject
from kernel.values import Json, canonical_json

CONTROL, OBJECT, TYPE = "label", "text", "labels"
CHOICES, WRITTEN = "choices", "textarea"  # types of answers about a mark


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
    results = [result for number, span in enumerate(spans, 1) for result in _results(own, str(number), span)]
    return {"data": {"text": own.text, "id": own.id}, "annotations": [{"result": results}]}


def _results(own: ReleasedText, number: str, span: MarkedSpan) -> Iterator[Json]:
    """Yield a mark, and each answer about it under the same id."""
    place = {"start": span.start, "end": span.end}
    words = own.text[span.start : span.end]
    yield _result(number, CONTROL, TYPE, {**place, "text": words, TYPE: [span.label]})
    choices = {asked.name for asked in own.attributes if asked.options}
    for name, value in span.attributes:
        values: list[Json] = [value] if isinstance(value, str) else [*value]
        if name in choices:
            yield _result(number, name, CHOICES, {**place, "text": words, CHOICES: values})
        else:
            yield _result(number, name, WRITTEN, {**place, "text": values})


def _result(number: str, control: str, type_: str, value: JsonObject) -> JsonObject:
    return {"id": number, "from_name": control, "to_name": OBJECT, "type": type_, "value": value}
