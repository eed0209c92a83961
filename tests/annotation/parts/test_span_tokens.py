"""Where a text may be cut when people mark pieces of it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.parts.span_tokens import characters, pieces_of, tokens_of, words

FAMILY = "👨‍👩‍👧"
WORDS = ["Ada", "l'arbre", "e\u0301", "ﷺ", "مطر", "東京", "#", "12-15"]
PIECES = [*WORDS, " ", "  ", "\r\n", "\n", FAMILY, "👍🏽", "🇩🇪", "\u200f", "\u200b"]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text(max_size=40))


def in_words(text: str) -> list[str]:
    return [text[own.start : own.end] for own in words(text)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Ada Lind, 42.", ["Ada", "Lind", ",", "42", "."]),
        ("l'arbre", ["l", "'", "arbre"]),
        ("Cafe\u0301 au lait", ["Cafe\u0301", "au", "lait"]),
        (f"a{FAMILY}b", ["a", FAMILY, "b"]),
        ("👍🏽👍", ["👍🏽", "👍"]),
        ("🇩🇪🇫🇷🇩", ["🇩🇪", "🇫🇷", "🇩"]),
        ("one\r\ntwo", ["one", "two"]),
        ("می\u200cخواهم مطر", ["می\u200cخواهم", "مطر"]),
        ("東京 Tower", ["東", "京", "Tower"]),
        ("\u200f  \u200b ", []),
        ("", []),
    ],
)
def test_a_text_is_cut_into_words_and_signs(text: str, tokens: list[str]):
    assert in_words(text) == tokens


@given(TEXTS, st.sampled_from(["words", "characters"]))
def test_every_character_is_in_exactly_one_piece(text: str, unit: str):
    pieces = [*pieces_of(text, unit)]

    assert "".join(text[start:end] for start, end, _ in pieces) == text
    assert [start for start, _, _ in pieces[1:]] == [end for _, end, _ in pieces[:-1]]
    assert all(start < end for start, end, _ in pieces)
    assert [(start, end) for start, end, is_token in pieces if is_token] == [
        (own.start, own.end) for own in tokens_of(text, unit)
    ]


@given(TEXTS)
def test_nothing_is_cut_inside_a_character_of_several_parts(text: str):
    edges = {edge for own in characters(text) for edge in (own.start, own.end)}
    edges |= {edge for own in words(text) for edge in (own.start, own.end)}

    for edge in edges - {0, len(text)}:
        assert text[edge - 1 : edge + 1] != "\r\n"
        after_a_line = text[edge - 1] in "\r\n"
        assert after_a_line or unicodedata.category(text[edge]) not in ("Mn", "Mc", "Me", "Cf")
        assert after_a_line or text[edge] not in "🏻🏼🏽🏾🏿"


@given(TEXTS)
def test_a_token_begins_and_ends_with_something_that_can_be_seen(text: str):
    assert all(not text[own.start].isspace() and not text[own.end - 1].isspace() for own in words(text))
