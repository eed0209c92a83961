from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.task_types.aggregation.writing_checks import check_answer
from annotation.task_types.base import Level

PEOPLE = ("Anna Lindqvist", "Otto Brandt", "Mary Kell Jr.")


def codes(text: str, entities=PEOPLE, entity_type="person", first_answer="") -> list[str]:
    remarks = check_answer(text, entities=entities, entity_type=entity_type, first_answer=first_answer)
    return [remark.code for remark in remarks]


@pytest.mark.parametrize(
    "text",
    [
        "Swedish painters",
        "the three Swedish painters",
        "US politicians",
        "US",
        "ten of a kind in a long row of painters",
        "U.S. companies",
        "IT companies",
        "it companies",
        "their lawyers",
        "all-star players",
        "One-time rivals",
        "people who painted harbours",
        "Northern places",
        "two of the best-known painters",
        "MSNBC anchors",
        "players of rhythm games",
        "people of Čtvrť",
    ],
)
def test_a_good_phrase_meets_no_question(text: str):
    assert codes(text) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        (" . ", "empty"),
        ("N/A", "empty"),
        ("n.a.", "empty"),
        ("not applicable", "empty"),
        ("I don't know", "empty"),
        ("12345", "letters"),
        ("1 & 2", "letters"),
        ("They", "pronoun"),
        ("both of them", "pronoun"),
        ("These three", "pronoun"),
        ("the", "pronoun"),
        ("THEY", "pronoun"),
        ("they are painters", "pronoun"),
        ("Anna Lindqvist, Otto Brandt and Mary Kell", "list"),
        ("Lindqvist & Brandt", "list"),
        ("the painters Lindqvist and Brandt", "entity"),
        ("the people Lindqvist and Brandt", "list"),
        ("Lindqvist, Brandt and their friends", "list"),
        ("The three people", "type"),
        ("2 people", "type"),
        ("both of the persons mentioned in this article", "type"),
        ("friends of Otto Brandt", "entity"),
        ("Lindqvist's friends", "entity"),
        ("painters and sculptors", "and"),
        ("painters & sculptors", "and"),
        ("a b c d e f g h i jj k of painters", "long"),
        ("qwrtpl painters", "nonsense"),
        ("asdfasdf", "nonsense"),
        ("paiiinters", "nonsense"),
        ("x", "nonsense"),
    ],
)
def test_each_oddity_has_its_code(text: str, code: str):
    assert code in codes(text)


def test_only_what_can_never_be_an_answer_blocks_and_then_nothing_else_is_asked():
    for text, code in [("", "empty"), ("they", "pronoun"), ("Lindqvist and Brandt", "list")]:
        remarks = check_answer(text, entities=PEOPLE, entity_type="person")
        assert [(remark.code, remark.level) for remark in remarks] == [(code, Level.BLOCK)]
    assert {f.level for f in check_answer("painters and people", entities=PEOPLE, entity_type="person")} == {Level.ASK}


@pytest.mark.parametrize("text", ["12345", "3", "a", "An", "the"])
def test_what_holds_no_noun_is_asked_for_a_noun_phrase(text: str):
    remarks = check_answer(text, entities=PEOPLE, entity_type="person")
    assert [(remark.level, remark.why) for remark in remarks] == [(Level.BLOCK, "Please write a noun phrase.")]


@given(st.text(st.characters(exclude_categories=["L"]), max_size=20))
def test_nothing_without_a_letter_can_be_submitted(text: str):
    remarks = check_answer(text, entities=PEOPLE, entity_type="person")
    assert [remark.level for remark in remarks] == [Level.BLOCK]


def test_a_second_answer_that_repeats_the_first_is_asked_about():
    assert codes("the two Painters", first_answer="painters.") == ["same"]
    assert codes("sculptors", first_answer="painters") == []


def test_two_names_joined_by_a_hyphen_are_a_phrase_not_a_list():
    places = ("Norland", "Sudmark")
    assert codes("the Norland-Sudmark border states", places, "location") == ["entity"]
    assert codes("Norland / Sudmark", places, "location") == ["list"]


def test_a_surname_they_share_is_a_family_not_a_name():
    assert codes("the Lindqvist sisters", ("Anna Lindqvist", "Eva Lindqvist"), "person") == []


def test_a_company_is_named_without_its_form_too():
    assert codes("Acme subsidiaries", ("Acme Inc.", "Brill Corp."), "organization") == ["entity"]


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=6), st.sampled_from(["person", "location", ""]))
def test_any_text_gets_findings_with_one_sentence_each(text: str, entities: list[str], entity_type: str):
    for remark in check_answer(text, entities=entities, entity_type=entity_type, first_answer=text):
        assert remark.why.endswith((".", "?"))


@given(st.lists(st.sampled_from(PEOPLE), min_size=2, max_size=5), st.sampled_from([", ", " and ", " & ", "/"]))
def test_names_in_a_row_are_a_list_whatever_stands_between_them(names: list[str], between: str):
    expected = "list" if len(set(names)) > 1 else "entity"
    assert expected in codes(between.join(names))
