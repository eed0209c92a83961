"""brat stand-off: ID.txt with the text, ID.ann with a line for each mark, and annotation.conf with the labels.

A mark over several lines is written in pieces, because brat allows no line break inside one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from annotation.parts.span_files.released import SpanFormat
from annotation.parts.span_marks import MarkedSpan
from annotation.releasing.exports.base import ExportSource

LINE = re.compile("[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")  # between the characters at which Python splits lines
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
        (out / "annotation.conf").write_text(configuration(self.labels), encoding="utf-8", newline="\n")
        for own, spans in self.answered(source):
            name = own.id.replace(":", "-")
            (out / f"{name}.txt").write_text(own.text, encoding="utf-8", newline="")
            (out / f"{name}.ann").write_text("".join(lines_of(own.text, spans)), encoding="utf-8", newline="")


def lines_of(text: str, spans: Sequence[MarkedSpan]) -> Iterator[str]:
    for number, span in enumerate(spans, 1):
        pieces = [*pieces_of_lines(text, span)]
        places = ";".join(f"{start} {end}" for start, end in pieces)
        yield f"T{number}\t{span.label} {places}\t{' '.join(text[start:end] for start, end in pieces)}\n"
        notes = [f"{name}: {' | '.join(value)}" for name, value in span.attributes if not isinstance(value, str)]
        if notes:
            yield f"#{number}\tAnnotatorNotes T{number}\t{'; '.join(notes)}\n"


def pieces_of_lines(text: str, span: MarkedSpan) -> Iterator[tuple[int, int]]:
    """Yield the parts of a mark that stand on one line each, without blank ones."""
    for line in LINE.finditer(text, span.start, span.end):
        if line[0].strip():
            yield line.span()


def configuration(labels: Iterable[str]) -> str:
    """Return annotation.conf: without it brat draws no label. Marks may overlap in any way."""
    entities = "\n".join(labels)
    return f"[entities]\n\n{entities}\n\n[relations]\n\n{OVERLAPS}\n\n[events]\n\n[attributes]\n"
