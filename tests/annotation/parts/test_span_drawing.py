"""A text with its marks as HTML: every character once, a line below the words for each mark, its label behind them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import pytest
from hypothesis import given

from annotation.parts.base import Prompt
from annotation.parts.span_drawing import LEVELS, text_html, underlines
from annotation.parts.span_marks import MarkedSpan
from tests.annotation.parts.test_spans import ADA, asked, marked


@dataclass
class Piece:
    start: int
    end: int
    classes: list[str]
    text: str = ""
    tags: list[str] = field(default_factory=list)


class Pieces(HTMLParser):
    """What a browser makes of a drawn text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.pieces: list[Piece] = []
        self.paragraphs = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "div":
            self.paragraphs += 1
        elif tag == "b":
            self.pieces[-1].tags.append(values["data-tag"])
        else:
            self.pieces.append(
                Piece(int(values["data-start"]), int(values["data-end"]), values.get("class", "").split())
            )

    def handle_data(self, data: str) -> None:
        self.pieces[-1].text += data


def drawn(task: Prompt, *spans: MarkedSpan) -> Pieces:
    return Pieces(text_html(task.texts["report"], task.options, spans))


def words_below(pieces: Pieces, name: str) -> str:
    """Return the words that have a line of this class."""
    return "".join(own.text for own in pieces.pieces if name in own.classes)


@given(marked())
def test_every_character_stands_there_once_with_its_place(case: tuple[Prompt, list[MarkedSpan]]):
    task, spans = case
    text = task.texts["report"]
    page = drawn(task, *spans)

    assert "".join(own.text for own in page.pieces) == text
    assert all(text[own.start : own.end] == own.text for own in page.pieces)


@given(marked())
def test_every_mark_has_its_label_behind_its_last_word(case: tuple[Prompt, list[MarkedSpan]]):
    task, spans = case
    page = drawn(task, *spans)

    for piece in page.pieces:
        assert sorted(piece.tags) == sorted(own.label.title() for own in spans if own.end == piece.end)
        covering = [own for own in spans if own.start <= piece.start and piece.end <= own.end]
        assert ("spans__in" in piece.classes) == bool(covering)


@given(marked())
def test_marks_that_overlap_have_lines_of_their_own_as_long_as_there_are_any(case: tuple[Prompt, list[MarkedSpan]]):
    task, spans = case
    lines = underlines(spans, task.options)

    for left in lines:
        for right in lines:
            is_other = left.span != right.span
            if is_other and left.span.start < right.span.end and right.span.start < left.span.end:
                assert left.level != right.level or left.level == LEVELS - 1


def test_the_inner_mark_is_next_to_the_words_and_each_line_begins_with_a_gap():
    task = asked(overlap="nested")
    page = drawn(task, MarkedSpan(37, 47, "place"), MarkedSpan(37, 42, "person"))

    assert words_below(page, "u0-1") == "Arden"
    assert words_below(page, "u1-2") == "Arden Hill"
    (first,) = [own for own in page.pieces if own.text == "Arden" and own.start == 37]
    assert {"f0", "f1"} <= {*first.classes}
    assert first.tags == ["Person"]


def test_a_text_is_drawn_paragraph_by_paragraph():
    page = drawn(asked("Ada left.\n\n  Bo stayed.\r\nCleo came.\n"))

    assert page.paragraphs == 3
    assert [own.text for own in page.pieces if not own.text.strip()] == [" ", "\n\n", "  ", " ", "\r\n", " ", "\n"]


@pytest.mark.parametrize("text", ["<b>Ada</b> & Ben", "Ada <script>"])
def test_markup_in_a_text_is_text(text: str):
    assert not re.search("<(b|script)>", text_html(text, asked().options))


def test_a_label_with_markup_is_text():
    task = asked(ADA, labels=[{"id": "x", "label": '"><script>'}])

    assert "<script>" not in text_html(ADA, task.options, [MarkedSpan(0, 3, "x")])


def test_many_marks_over_most_of_a_long_text_are_drawn():
    task = asked("ab " * 16_000, overlap="any")
    spans = [MarkedSpan(3 * number, 47_000 + 3 * number - 1, "person") for number in range(300)]

    assert len(drawn(task, *spans).pieces) == 32_000
