"""brat stand-off: ID.txt with the text, ID.ann with a line for each mark, and annotation.conf with the labels.

A mark over several lines is written in pieces, because brat allows no line break inside one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from annotation.parts.span_attributes import SpanAttribute
from annotation.parts.span_files.released import SpanFormat
from annotation.parts.span_marks import MarkedSpan
from annotation.releasing.exports.base import ExportSource

LINE = re.compile("[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")  # between the characters at which Python splits lines
NO_CHOICES: Mapping[str, Sequence[str]] = {}
OVERLAPS = "<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>"


class Brat(SpanFormat):
    name: ClassVar[str] = "brat"
    label: ClassVar[str] = "brat"
    about: ClassVar[str] = (
        "A folder of .txt and .ann files with annotation.conf (zipped); pages of marks are notes. Texts that nobody "
        "answered are left out."
    )
    suffix: ClassVar[str] = ""

    def write(self, source: ExportSource, out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "annotation.conf").write_text(configuration(self.labels, self.choices), encoding="utf-8", newline="\n")
        for own, spans in self.answered(source):
            name = own.id.replace(":", "-")
            (out / f"{name}.txt").write_text(own.text, encoding="utf-8", newline="")
            lines = [*lines_of(own.text, spans), *lines_about(spans, own.attributes)]
            (out / f"{name}.ann").write_text("".join(lines), encoding="utf-8", newline="")


def lines_of(text: str, spans: Sequence[MarkedSpan]) -> Iterator[str]:
    for number, span in enumerate(spans, 1):
        pieces = [*pieces_of_lines(text, span)]
        places = ";".join(f"{start} {end}" for start, end in pieces)
        yield f"T{number}\t{span.label} {places}\t{' '.join(text[start:end] for start, end in pieces)}\n"


def lines_about(spans: Sequence[MarkedSpan], attributes: Sequence[SpanAttribute]) -> Iterator[str]:
    """Yield the answers about marks: options as attributes, and texts as notes."""
    choices = {own.name for own in attributes if own.options}
    answers = [(number, name, value) for number, span in enumerate(spans, 1) for name, value in span.attributes]
    for at, (number, name, value) in enumerate((own for own in answers if own[1] in choices), 1):
        yield f"A{at}\t{name} T{number} {value}\n"
    for at, (number, name, value) in enumerate((own for own in answers if own[1] not in choices), 1):
        words = value if isinstance(value, str) else " | ".join(value)
        yield f"#{at}\tAnnotatorNotes T{number}\t{name}: {words}\n"


def pieces_of_lines(text: str, span: MarkedSpan) -> Iterator[tuple[int, int]]:
    """Yield the parts of a mark that stand on one line each, without blank ones."""
    for line in LINE.finditer(text, span.start, span.end):
        if line[0].strip():
            yield line.span()


def configuration(labels: Iterable[str], choices: Mapping[str, Sequence[str]] = NO_CHOICES) -> str:
    """Return annotation.conf: without it brat draws no label. Marks may overlap in any way."""
    entities = "\n".join(labels)
    asked = "".join(f"\n{name}\tArg:<ENTITY>, Value:{'|'.join(ids)}" for name, ids in choices.items())
    behind = f"\n{asked}" if asked else ""
    return f"[entities]\n\n{entities}\n\n[relations]\n\n{OVERLAPS}\n\n[events]\n\n[attributes]{behind}\n"
