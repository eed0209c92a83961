"""A text with its marks as HTML: an element for each piece, underlines by classes, and labels behind the last word.

The script draws the same classes when somebody marks, so a page looks alike with and without it. `u0-2` means the line
next to the words in colour 2, `f0` that a mark begins there. Long texts are drawn paragraph by paragraph, so that a
browser lays out only what has changed.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from annotation.parts.span_attributes import missing
from annotation.parts.span_marks import MarkedSpan
from annotation.parts.span_tokens import pieces_of
from annotation.parts.spans_options import OfferedLabel, SpansOptions, offered_labels

LEVELS = 4  # of underlines
NEW_LINE = "\n\r"


@dataclass(frozen=True)
class Underline:
    """A mark as it is drawn."""

    span: MarkedSpan
    level: int  # 0: next to the words
    label: OfferedLabel
    is_open: bool = False  # an answer about it is missing

    @property
    def tag(self) -> str:
        """The label; with dots while an answer about the mark is missing."""
        words = escape(f"{self.label.words} …" if self.is_open else self.label.words)
        return f'<b class="spans__tag spans--{self.label.colour}" data-mark="{self.span.key}" data-tag="{words}"></b>'


def underlines(spans: Sequence[MarkedSpan], options: SpansOptions) -> list[Underline]:
    """Return where marks are drawn, the shortest first: next to the words, and below each other where they overlap."""
    labels = {own.id: own for own in offered_labels(options)}
    rows: list[list[tuple[int, int]]] = [[] for _ in range(LEVELS - 1)]
    drawn = []
    for span in sorted(spans, key=lambda own: own.end - own.start):
        level = next((level for level, row in enumerate(rows) if _is_free(row, span)), LEVELS - 1)
        if level < len(rows):
            insort(rows[level], (span.start, span.end))
        is_open = bool(missing(span.attributes, span.label, options.attributes))
        drawn.append(Underline(span, level, labels[span.label], is_open))
    return drawn


def _is_free(row: Sequence[tuple[int, int]], span: MarkedSpan) -> bool:
    at = bisect_left(row, (span.end,))  # the first that begins behind the mark
    return at == 0 or row[at - 1][1] <= span.start


def text_html(text: str, options: SpansOptions, spans: Sequence[MarkedSpan] = ()) -> str:
    """Return the text with an element around every piece, so that each character stands there exactly once."""
    drawn = underlines(spans, options)
    beginning, ending = _by_place(drawn, "start"), _by_place(drawn, "end")
    html, inside, names = ['<div class="spans__lines">'], dict[str, Underline](), ""
    for start, end, is_token in _pieces(text, options.unit):
        first, last = beginning.get(start, ()), ending.get(end, ())
        if first:
            inside |= {own.span.key: own for own in first}
            names = _class_names(inside.values())
        begins = "".join(f" f{own.level}" for own in first)
        shown = f' class="{names}{begins}"' if names else ""
        token = " data-token" if is_token else ""
        words = escape(text[start:end], quote=False)
        tags = "".join(own.tag for own in last)
        html.append(f'<span data-start="{start}" data-end="{end}"{token}{shown}>{words}{tags}</span>')
        if last:
            for own in last:
                del inside[own.span.key]
            names = _class_names(inside.values())
        if not is_token and end < len(text) and text[end - 1] in NEW_LINE:
            html.append('</div><div class="spans__lines">')
    return "".join([*html, "</div>"])


def _pieces(text: str, unit: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the pieces of a text, each with a new line at its end alone: what is behind it belongs to the next line."""
    for start, end, is_token in pieces_of(text, unit):
        cut = max(text.rfind(sign, start, end) for sign in NEW_LINE) + 1
        if not is_token and start < cut < end:
            yield start, cut, False
            yield cut, end, False
        else:
            yield start, end, is_token


def _by_place(drawn: Iterable[Underline], edge: str) -> Mapping[int, list[Underline]]:
    places: dict[int, list[Underline]] = defaultdict(list)
    for own in drawn:
        places[getattr(own.span, edge)].append(own)
    return places


def _class_names(inside: Iterable[Underline]) -> str:
    colours = {own.level: own.label.colour for own in inside}
    return " ".join(["spans__in", *(f"u{level}-{colours[level]}" for level in sorted(colours))]) if colours else ""
