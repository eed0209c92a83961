from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.folding import fold, folded_words


@pytest.mark.parametrize(
    ("name", "other"),
    [
        pytest.param("R.W. Apple Jr.", "R. W. APPLE JR", id="dots-and-case"),
        pytest.param("RW Apple", "R. W. Apple", id="initials-stand-together"),
        pytest.param("Ségolène Royal", "Segolene Royal", id="accents"),
        pytest.param("Lech Wałęsa", "Lech Walesa", id="letters-that-do-not-decompose"),
        pytest.param("Søren Kierkegaard", "Soren Kierkegaard", id="slashed-o"),
        pytest.param("O’Connor", "O'Connor", id="curly-apostrophe"),
        pytest.param("Hastings–on–Hudson", "Hastings-on-Hudson", id="dashes"),
        pytest.param("U.S.", "US", id="abbreviation"),
        pytest.param("  New\tYork ", "new york", id="spaces"),
    ],
)
def test_spellings_of_one_name_fold_alike(name: str, other: str):
    assert fold(name) == fold(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [("Jean Valjean", "Jeanval Jean"), ("Bush", "Busch"), ("New York", "Newark"), ("नई", "नइ")],
)
def test_different_names_do_not_fold_alike(name: str, other: str):
    assert fold(name) != fold(other)


def test_folded_words_are_found_whole_and_beside_punctuation():
    text = folded_words('"The Senate," said Eliot L. Spitzer\'s aide; nobody else.')

    assert folded_words("The Senate") in text
    assert folded_words("Eliot L. Spitzer") in text
    assert folded_words("liot") not in text


@given(st.text())
def test_folding_twice_changes_nothing(text: str):
    assert fold(fold(text)) == fold(text)
