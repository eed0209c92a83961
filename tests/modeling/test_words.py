from __future__ import annotations

import pytest

from modeling.words import noun_lemma, preparation
from tesa_site.kernel.errors import InvalidInput


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("politicians", "politician"),
        ("countries", "country"),
        ("leaves", "leaf"),
        ("glasses", "glass"),
        ("xyzzys", "xyzzys"),
    ],
)
def test_a_plural_noun_becomes_its_singular_when_wordnet_knows_it(word: str, lemma: str):
    assert noun_lemma(word) == lemma


def test_the_papers_preparation_lemmatises_texts_but_not_candidates():
    paper = preparation("paper")

    assert paper.text("The French politicians, of course, met.") == ("french", "politician", "course", "met")
    assert paper.candidate("the French politicians") == ("french", "politicians")
    assert paper.entity("The Beach Boys") == ("the", "beach", "boys")


def test_the_papers_preparation_lemmatises_before_lower_casing():
    assert preparation("paper").text("Politicians met politicians") == ("politicians", "met", "politician")


def test_our_preparation_brings_candidates_and_texts_to_the_same_words():
    tesa = preparation("tesa")

    assert tesa.candidate("French politicians") == ("french", "politician")
    assert tesa.text("Politicians' letters (to the French).") == ("politician", "letter", "french")
    assert tesa.text("") == ()


def test_an_unknown_preparation_is_named():
    with pytest.raises(InvalidInput, match="known: paper, tesa"):
        preparation("stemmed")
