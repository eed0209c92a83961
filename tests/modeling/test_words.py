from __future__ import annotations

import pytest

from kernel.errors import InvalidInput, WrongState
from modeling.stop_words import STOP_WORDS
from modeling.words import PREPARATIONS, check_prepared, noun_lemma, preparation


@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("politicians", "politician"),
        ("countries", "country"),
        ("leaves", "leaf"),
        ("glasses", "glass"),
        ("xyzzys", "xyzzys"),
        ("headmistresseses", "headmistress"),
        ("xyzzyses", "xyzzyses"),
    ],
)
def test_a_noun_loses_its_endings_until_wordnet_knows_it(word: str, lemma: str):
    assert noun_lemma(word) == lemma


def test_the_papers_preparation_lemmatises_texts_but_not_candidates():
    paper = preparation("paper")

    assert paper.text("The French politicians, of course, met.") == ("french", "politician", "course", "met")
    assert paper.candidate("the French politicians") == ("french", "politicians")
    assert paper.entity("The Beach Boys") == ("the", "beach", "boys")


def test_words_that_matter_in_phrases_for_entities_are_no_stop_words():
    kept = "us former first top show"

    assert len(STOP_WORDS) == 179
    assert preparation("paper").candidate(f"the {kept} politicians") == (*kept.split(), "politicians")
    assert preparation("tesa").candidate(f"the {kept} politicians") == (*kept.split(), "politician")


def test_only_our_preparation_takes_off_possessive_endings_and_curly_quotes():
    text = "Iraq's “first” leaders’ and Iran’s"

    assert preparation("paper").text(text) == ("iraqs", "“first”", "leaders’", "iran’s")
    assert preparation("tesa").text(text) == ("iraq", "first", "leader", "iran")


def test_our_preparation_drops_contractions_whole_and_leaves_words_in_ss_alone():
    tesa = preparation("tesa")

    assert tesa.text("It's ours; they won't, can't and haven’t, we'll see the boss") == ("see", "boss")
    assert tesa.candidate("bosses") == ("boss",)


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


def test_what_version_1_prepared_is_refused_with_a_sentence():
    assert [known.version for known in PREPARATIONS.values()] == [2, 2]
    check_prepared("tesa 2", "tesa 2", what="Run 3")
    for label in ("paper 1", ""):
        with pytest.raises(WrongState, match=r"Run 3 was made with version 1 of the preparation 'paper'.*run it again"):
            check_prepared(label, "paper 2", what="Run 3")
