from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.names import parse_name
from corpus.names.lists import split_names
from tests.corpus.article_entities import entities_of

PERSON, LOCATION, ORGANIZATION = EntityType


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Hale, Walter", ["Walter Hale"]),
        ("Hale, Walter and Ida", ["Walter Hale", "Ida Hale"]),
        ("HALE, WALTER AND IDA", ["Walter Hale", "Ida Hale"]),
        ("Hale, Walter F and Ida Corvo", ["Walter F. Hale", "Ida Corvo"]),
        ("Hale, Walter, and Ida Corvo", ["Walter Hale", "Ida Corvo"]),
        ("Hale, Walter, Ida and Otto", ["Walter Hale", "Ida Hale", "Otto Hale"]),
        ("Sacco, Nicola and Vanzetti, Bartolomeo", ["Nicola Sacco", "Bartolomeo Vanzetti"]),
        ("Sacco, Nicola, and Vanzetti, Bartolomeo", ["Nicola Sacco", "Bartolomeo Vanzetti"]),
        ("HALE, WALTER; CORVO, IDA", ["Walter Hale", "Ida Corvo"]),
        ("Hale, Walter (Sen); Corvo, Ida (Rep; Ohio)", ["Walter Hale", "Ida Corvo"]),
        ("Walter and Ida Hale", ["Walter Hale", "Ida Hale"]),
        ("Walter Hale and Ida Corvo", ["Walter Hale", "Ida Corvo"]),
        ("Hale, Mr and Mrs Walter", ["Mr. and Mrs. Walter Hale"]),
        ("Corvo, Bela, and Brothers", ["Bela Corvo"]),
        ("Anderson, Andy", ["Andy Anderson"]),
        ("Albert, Prince of Saxony and Arden", ["Albert, Prince of Saxony and Arden"]),
    ],
)
def test_a_name_that_lists_people_loses_nobody(text: str, people: list[str]):
    assert [parse_name(name, PERSON).canonical for name in split_names(text, PERSON)] == people


@pytest.mark.parametrize(
    "text", ["Quill and Larch", "Hale, Walter and Ida, Foundation", "Science and Arts, Academy of"]
)
def test_a_body_with_several_founders_is_one_body(text: str):
    assert split_names(text, ORGANIZATION) == (text,)


def test_everybody_on_a_list_is_an_entity_of_the_article():
    article = SourceArticle("1", "", (), tags=(Tag("HALE, WALTER AND IDA", PERSON), Tag("Arden; Elmton", LOCATION)))

    assert [entity.name for entity in entities_of(article)] == ["Arden", "Elmton", "Ida Hale", "Walter Hale"]


WORDS = st.sampled_from(["Hale", "Walter", "and", "Ida", ",", ";", "(", ")", "F.", "Jr", "of"])


@given(st.text(max_size=60) | st.lists(WORDS).map(" ".join))
def test_any_text_gives_at_least_one_name(text: str):
    names = split_names(text, PERSON)

    assert names
    assert all(split_names(name, PERSON) for name in names)
