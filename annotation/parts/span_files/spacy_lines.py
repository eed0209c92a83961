"""JSON lines as Prodigy reads them and spaCy's documents are made of: text, tokens and spans.

The tokens give the text again, character for character: `ws` is one blank behind a token, and all other blanks are
tokens of their own, as in spaCy. `token_end` is the last token of a mark, not the one behind it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from annotation.parts.span_files.released import ReleasedText, SpanFormat
from annotation.parts.span_marks import MarkedSpan
from annotation.parts.span_tokens import Token
from annotation.releasing.exports.base import ExportSource
from annotation.releasing.exports.jsonl import line_of
from annotation.task_types.base import JsonObject

BLANK = " "


class SpacyLines(SpanFormat):
    name: ClassVar[str] = "spacy"
    label: ClassVar[str] = "spaCy and Prodigy"
    about: ClassVar[str] = "JSON lines with text, tokens and spans. Texts that nobody answered are left out."
    suffix: ClassVar[str] = "-spacy.jsonl"

    def write(self, source: ExportSource, out: Path) -> None:
        with out.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(line_of(as_prodigy(own, spans)) for own, spans in self.answered(source))


def as_prodigy(own: ReleasedText, spans: Sequence[MarkedSpan]) -> JsonObject:
    tokens = with_blanks(own.text, own.tokens)
    return {
        "text": own.text,
        "tokens": [
            {"text": own.text[start:end], "start": start, "end": end, "id": number, "ws": has_blank}
            for number, (start, end, has_blank) in enumerate(tokens)
        ],
        "spans": [_span(span, tokens) for span in spans],
        "meta": {"id": own.id},
    }


def _span(span: MarkedSpan, tokens: Sequence[tuple[int, int, bool]]) -> Any:
    first = bisect_left(tokens, span.start, key=lambda token: token[0])
    last = bisect_right(tokens, span.end, key=lambda token: token[1]) - 1
    return {**span.to_json(), "token_start": first, "token_end": last}


def with_blanks(text: str, tokens: Sequence[Token]) -> list[tuple[int, int, bool]]:
    """Return (start, end, whether a blank follows) of tokens that leave no character out."""
    full: list[tuple[int, int, bool]] = []
    at = 0
    for start, end in [*((token.start, token.end) for token in tokens), (len(text), len(text))]:
        if at < start and full and text[at] == BLANK:
            full[-1] = (*full[-1][:2], True)
            at += 1
        if at < start:
            full.append((at, start, False))
        if start < end:
            full.append((start, end, False))
        at = end
    return full
