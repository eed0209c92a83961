"""CoNLL columns with BIO tags: token, start, end, tag. A document begins with -DOCSTART- and its id."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from annotation.parts.span_files.bio import LEFT_OUT_FILE, left_out_lines, outermost, tags_of
from annotation.parts.span_files.released import ReleasedText, SpanFormat
from annotation.parts.span_marks import MarkedSpan
from annotation.releasing.exports.base import ExportSource

START = "-DOCSTART-"


class ConllBio(SpanFormat):
    name: ClassVar[str] = "conll"
    label: ClassVar[str] = "CoNLL (BIO)"
    about: ClassVar[str] = (
        "Columns: token, start, end, BIO tag (zipped). A token has one tag: of marks that overlap, the outermost is "
        f"kept, and {LEFT_OUT_FILE} lists the others, and texts that nobody answered. Pages of marks are left out."
    )
    suffix: ClassVar[str] = ""

    def write(self, source: ExportSource, out: Path) -> None:
        out.mkdir(parents=True, exist_ok=True)
        with (
            (out / "marks.conll").open("w", encoding="utf-8", newline="\n") as marks,
            (out / LEFT_OUT_FILE).open("w", encoding="utf-8", newline="\n") as missing,
        ):
            for own in self.released(source):
                kept, left_out = outermost(own.spans or ())
                missing.writelines(left_out_lines(own, left_out))
                if own.spans is not None:
                    marks.write(as_columns(own, kept))


def as_columns(own: ReleasedText, apart: Sequence[MarkedSpan]) -> str:
    """Return the lines of a text; blanks inside a token, such as one that bears an accent, become “_”."""
    lines = [f"{START}\t{own.id}\t-\tO", ""]
    for token, tag in zip(own.tokens, tags_of(own.tokens, apart), strict=True):
        words = "".join("_" if sign.isspace() else sign for sign in own.text[token.start : token.end])
        lines.append(f"{words}\t{token.start}\t{token.end}\t{tag}")
    return "\n".join(lines) + "\n\n"
