"""What an annotator sees: lettered mentions, also nested ones, cards, and the prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.display import show
from corpus.frozen import FrozenMention
from corpus.highlights import Piece, Span, pieces
from corpus.phrases import entities_phrase, generic_phrase, prompt
from tests.corpus.frozen_instances import frozen_instances, make_frozen


def leaves(parts) -> str:
    return "".join(leaves(piece.parts) if piece.parts else piece.text for piece in parts)


def letters(parts) -> set[str]:
    return {piece.letter for piece in parts if piece.letter} | {x for piece in parts for x in letters(piece.parts)}


def test_a_mention_inside_another_becomes_a_part_of_it():
    text = "The University of Arden met."

    parts = list(pieces(text, [Span(18, 23, 1, "Arden"), Span(4, 23, 0, "University of Arden")]))

    inner = (Piece("University of "), Piece("Arden", "B", "Arden"))
    assert parts == [Piece("The "), Piece("University of Arden", "A", "University of Arden", inner), Piece(" met.")]


def test_two_entities_of_the_same_words_are_both_lettered():
    (piece,) = pieces("Arden", [Span(0, 5, 0, "Arden (town)"), Span(0, 5, 1, "Arden (county)")])

    assert letters([piece]) == {"A", "B"}


def test_of_two_mentions_that_cross_the_second_goes_on_where_the_first_ends():
    parts = list(pieces("abcdef", [Span(0, 4, 0, "x"), Span(2, 6, 1, "y")]))

    assert [(piece.text, piece.letter) for piece in parts] == [("abcd", "A"), ("ef", "B")]


@given(
    st.text(max_size=30), st.lists(st.tuples(st.integers(-2, 32), st.integers(-2, 32), st.integers(0, 5)), max_size=8)
)
def test_cutting_keeps_every_character_once(text, places):
    parts = list(pieces(text, [Span(start, end, entity, "n") for start, end, entity in places]))

    assert leaves(parts) == text == "".join(piece.text for piece in parts)


@given(frozen_instances())
def test_any_instance_can_be_shown(instance):
    shown = show(instance)

    assert "\n\n".join(leaves(paragraph) for paragraph in shown.paragraphs) == instance.context
    assert [card.name for card in shown.cards] == list(instance.entities)
    assert all(len(card.text) <= 600 for card in shown.cards)


def test_paragraphs_keep_their_mentions():
    mentions = (FrozenMention(0, 0, 8), FrozenMention(1, 16, 24))

    shown = show(make_frozen(context="Ida Lind sang.\n\nKarl Moe danced.", mentions=mentions))

    assert [[(p.text, p.letter) for p in paragraph] for paragraph in shown.paragraphs] == [
        [("Ida Lind", "A"), (" sang.", "")],
        [("Karl Moe", "B"), (" danced.", "")],
    ]


def test_a_card_stands_for_every_entity_also_where_nothing_is_known():
    known, unknown = show(make_frozen()).cards

    assert (known.letter, known.text) == ("A", "Ida Lind (1861–1939) was a botanist.")
    assert (unknown.letter, unknown.name, unknown.text) == ("B", "Karl Moe", "")


@pytest.mark.parametrize(
    ("type", "n", "phrase"),
    [("person", 2, "the two people"), ("location", 3, "the three areas"), ("organization", 6, "the six organizations")],
)
def test_the_generic_phrase_names_type_and_number(type, n, phrase):
    assert generic_phrase(type, n) == phrase


def test_names_are_read_out_with_commas_and_and():
    assert entities_phrase(["A", "B"]) == "A and B"
    assert entities_phrase(["A", "B", "C"]) == "A, B and C"
    assert prompt("person", ["A", "B", "C"]) == "In this article, A, B and C are discussed. The three people …"
