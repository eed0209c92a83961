from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.task_types.aggregation.cleaning.english import american, is_known, singular
from annotation.task_types.aggregation.cleaning.spelling import Vocabulary, edit_distance, suggest_spelling
from annotation.task_types.aggregation.cleaning.variants import group_variants, variant_key


@pytest.mark.parametrize(
    ("plural", "expected"),
    [
        ("women", "woman"),
        ("cities", "city"),
        ("businessmen", "businessman"),
        ("boxes", "box"),
        ("wives", "wife"),
        ("congress", "congress"),
        ("politics", "politics"),
        ("news", "news"),
        ("people", "people"),
        ("united", "united"),
        ("gas", "gas"),
        ("blorps", "blorps"),
    ],
)
def test_a_known_plural_has_its_singular_and_any_other_word_stays(plural: str, expected: str):
    assert singular(plural) == expected


def test_british_spellings_meet_american_ones():
    assert [american(word) for word in ["labour", "organisations", "axe", "cos"]] == [
        "labor",
        "organizations",
        "axe",
        "cos",
    ]


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("labour leaders", "labor leader", True),
        ("the two super-powers", "superpowers", True),
        ("business men", "businessmen", True),
        ("neighbouring countries", "neighboring country", True),
        ("café owners", "cafe owners", True),
        ("actors & singers", "actors and singers", True),
        ("asian countries", "asian cities", False),
        ("politicians", "politics", False),
        ("workers", "works", False),
    ],
)
def test_phrases_are_variants_when_only_number_spelling_or_hyphens_differ(left: str, right: str, same: bool):
    assert (variant_key(left) == variant_key(right)) is same


def test_the_most_frequent_variant_stands_for_its_group_then_a_plural():
    phrases = ["port", "ports", "a port", "harbour", "harbor", "harbour", "bays"]

    assert group_variants(phrases) == {
        "port": "ports",
        "ports": "ports",
        "a port": "ports",
        "harbour": "harbour",
        "harbor": "harbour",
        "bays": "bays",
    }


@given(st.lists(st.one_of(st.text(max_size=12), st.sampled_from(["ports", "port", "the ports", "harbour", "harbors"]))))
def test_a_representative_stands_for_itself_and_order_does_not_count(phrases: list[str]):
    groups = group_variants(phrases)

    assert set(groups) == set(phrases)
    assert all(groups[chosen] == chosen for chosen in groups.values())
    assert groups == group_variants([*reversed(phrases)])


@pytest.mark.parametrize(
    ("phrase", "best"),
    [
        ("asian countires", "countries"),
        ("politicicans", "politicians"),
        ("aquaintences", "acquaintances"),
        ("sudmrak ports", "sudmark"),
    ],
)
def test_a_misspelt_word_has_the_right_suggestion_first(phrase: str, best: str):
    vocabulary = Vocabulary.of(texts=["The minister of Sudmark spoke."])

    (suggestion,) = suggest_spelling(phrase, vocabulary)

    assert suggestion.instead[0] == best


def test_a_word_used_around_the_answer_comes_before_the_dictionary():
    (suggestion,) = suggest_spelling("portz", Vocabulary.of(texts=["Portu was a harbour."]))

    assert suggestion.instead[0] == "portu"


@pytest.mark.parametrize(
    "phrase", ["people with their own clubs", "towns from which this team came", "clubs without homes during winter"]
)
def test_words_of_grammar_are_no_misspellings(phrase: str):
    assert suggest_spelling(phrase, Vocabulary()) == ()


def test_words_of_the_passage_of_other_answers_and_of_english_are_left_alone():
    vocabulary = Vocabulary.of(texts=["Sudmark"], answers=["nourrish ports"] * 3)

    assert suggest_spelling("Sudmark nourrish harbour ministers", vocabulary) == ()
    assert suggest_spelling("Valmerian ports", Vocabulary.of(texts=["The ports of Valmere are old."])) == ()
    assert suggest_spelling("polticians", Vocabulary.of(texts=["Polticks are old."]))  # begins the sentence: no name
    assert [s.word for s in suggest_spelling("nourrish", Vocabulary.of(answers=["nourrish"] * 2))] == ["nourrish"]


@given(st.text(max_size=30), st.lists(st.text(max_size=20), max_size=3))
def test_suggestions_are_near_and_never_for_a_known_word(phrase: str, texts: list[str]):
    for suggestion in suggest_spelling(phrase, Vocabulary.of(texts=texts)):
        assert not is_known(suggestion.word)
        assert all(0 < edit_distance(suggestion.word, other, 2) <= 2 for other in suggestion.instead)


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_the_distance_is_symmetric_zero_only_for_equals_and_capped(left: str, right: str):
    assert edit_distance(left, right, 2) == edit_distance(right, left, 2) <= 3
    assert (edit_distance(left, right, 2) == 0) == (left == right)


@pytest.mark.parametrize(("left", "right", "distance"), [("ab", "ba", 1), ("port", "prt", 1), ("abcd", "wxyz", 3)])
def test_the_distance_counts_a_swap_once(left: str, right: str, distance: int):
    assert edit_distance(left, right, 2) == distance
