"""The first paragraph of a page, cleaned and cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.backgrounds.paragraphs import clean_paragraph, display_text, first_paragraph

pieces = st.sampled_from(
    [
        *"()[];:,./…–-'\" ",
        *(
            "(listen)",
            "born 1950",
            "/ˈardən/",
            "[ˈaː]",
            "Ар",
            "AR-dən",
            "Kessian: ",
            "[1]",
            "Arden",
            "is",
            "a town",
            ".",
        ),
        *("He", "  ", "\u200b", "\n", "(", ")", "(born", "né", "é", "US-based", "UK: ", "; ", ", ", " or ", "()"),
    ]
)
debris = st.lists(pieces, max_size=25).map("".join)
WORDS = ["Ida", "Lind", "sailed", "to", "Arden", "in", "1950", ".", "He", "left", "(", "a", "port", ")", ",", "and"]
prose = st.lists(st.sampled_from(WORDS), max_size=80)


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("Arden (listen) is a town.", "Arden is a town."),
        ("Arden ( (listen); Kessian: Ardún) is a town.", "Arden is a town."),
        ("Ida Lind ( ; born 1950) is a pilot.", "Ida Lind (born 1950) is a pilot."),
        (
            "Ida Lind (/ˈiːdə/ EE-də; 5 March 1950 – 3 May 2000) was a pilot.",
            "Ida Lind (5 March 1950 – 3 May 2000) was a pilot.",
        ),
        (
            "Ida Lind (/ˈiːdə/ 5 March 1950 – 3 May 2000) was a pilot.",
            "Ida Lind (5 March 1950 – 3 May 2000) was a pilot.",
        ),
        ("Arden (Kessian pronunciation: [ˈardən] (listen)) is a town.", "Arden is a town."),
        (
            "Arden (Kessian: Ардэн, romanized: Arden, formerly Port Arden) is a town.",
            "Arden (formerly Port Arden) is a town.",
        ),
        ("Ida Lind (née Moor, born 1950) is a pilot.", "Ida Lind (née Moor, born 1950) is a pilot."),
        ("Nela Vor (Nepali: नेला; born 1971) is a pilot.", "Nela Vor (born 1971) is a pilot."),
        ("Arden (阿寒湖, Akan-ko) is a lake.", "Arden is a lake."),
        ("Arden ( or ; Old Kessian: Ard) is a town.", "Arden is a town."),
        ("Arden (UK: , US: ) is a town.", "Arden is a town."),
        ("Arden () is a town.", "Arden is a town."),
        ("Arden (old town (upper (quarter))), is a place.", "Arden (old town (upper (quarter))), is a place."),
        ("Arden (Greek: Αρ (sic) [aˈr] (listen)), is a town.", "Arden is a town."),
        ("The Wendle is 23 km (14 mi) long.", "The Wendle is 23 km (14 mi) long."),
        ("The Arden Port Authority (APA) is an agency.", "The Arden Port Authority (APA) is an agency."),
        ("The line (US-based since 1950) sails.", "The line (US-based since 1950) sails."),
        ("Arden[1] is a town.[citation needed][2] It is old [note 3].", "Arden is a town. It is old."),
        ("He wrote [sic] and [the] rest.", "He wrote [sic] and [the] rest."),
        ("Lind  was an actor . He sang , badly ; twice .", "Lind was an actor. He sang, badly; twice."),
        (
            "Lind is an actor.He lives in Arden (Merrow).She too.",
            "Lind is an actor. He lives in Arden (Merrow). She too.",
        ),
        ("See arden.example and v.2 of U.S.A. maps.", "See arden.example and v.2 of U.S.A. maps."),
        ("Ida Lind ; born 1955) is a pilot.", "Ida Lind; born 1955) is a pilot."),
        ("Arden\u200b \u00a0is a town.", "Arden is a town."),
        ("Arden /ˈardən/ is a town with 3/4 of a mile.", "Arden is a town with 3/4 of a mile."),
        ("", ""),
    ],
)
def test_debris_goes_and_information_stays(raw, cleaned):
    assert clean_paragraph(raw) == cleaned


@given(debris)
def test_cleaning_what_is_clean_changes_nothing(text):
    cleaned = clean_paragraph(text)

    assert clean_paragraph(cleaned) == cleaned


@given(st.text(max_size=200))
def test_any_text_can_be_cleaned_and_comes_out_single_spaced(text):
    cleaned = clean_paragraph(text)

    assert cleaned == " ".join(cleaned.split())
    assert clean_paragraph(cleaned) == cleaned


@given(debris)
def test_no_empty_parentheses_and_no_balance_lost(text):
    cleaned = clean_paragraph(text)

    assert "()" not in cleaned.replace(")(", "")
    if text.count("(") == text.count(")") == 0:
        assert "(" not in cleaned
        assert ")" not in cleaned


@pytest.mark.parametrize(
    "text", ["(" * 5_000, "(" * 5_000 + ")" * 5_000, "(a;" * 2_000 + ")" * 2_000, "[1]" * 5_000, "/ə" * 9_000]
)
def test_thousands_of_brackets_do_no_harm(text):
    cleaned = clean_paragraph(text)

    assert clean_paragraph(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One two three four.\nFive.", "One two three four."),
        ("\n\n  Coordinates: 1 N\n\nArden is a town.\nIt rains.", "Arden is a town."),
        ("Arden\n", "Arden"),
        ("", ""),
    ],
)
def test_the_first_paragraph_is_the_first_line_that_says_something(text, first):
    assert first_paragraph(text) == first


def test_a_short_paragraph_is_shown_whole():
    assert display_text("Arden is a town ( ). It rains.") == "Arden is a town. It rains."


def test_a_long_paragraph_is_cut_at_the_end_of_a_sentence():
    text = "Arden is a town. Mr. Lind lives there. " + "It rains a lot. " * 50

    assert display_text(text, 55) == "Arden is a town. Mr. Lind lives there. It rains a lot."
    assert display_text(text, 50) == "Arden is a town. Mr. Lind lives there."


def test_a_first_sentence_that_does_not_fit_is_cut_behind_a_word():
    assert display_text("Arden, a town, has a harbor with many boats", 20) == "Arden, a town, has…"
    assert display_text("Arden, a town", 8) == "Arden…"
    assert display_text("Ardenardenarden", 8) == "Ardenar…"


@given(prose.map(" ".join), st.integers(1, 200))
def test_what_is_shown_fits_and_is_the_beginning_of_the_clean_text(text, limit):
    shown = display_text(text, limit)

    assert len(shown) <= limit
    assert clean_paragraph(text).startswith(shown.removesuffix("…"))
