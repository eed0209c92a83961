"""What a page's first sentence says it is about."""

from __future__ import annotations

import pytest

from corpus.articles import EntityType
from corpus.backgrounds.base import Page
from corpus.backgrounds.page_types import birth_year, types_of

PERSON, LOCATION, ORGANIZATION = EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION


@pytest.mark.parametrize(
    ("opening", "types"),
    [
        ("Ida Lind (1861–1939) collected mosses.", {PERSON}),
        ("Ida Lind (born 3 May 1950) flies.", {PERSON}),
        ("Ida Lind was a Kessian film, stage and television actress.", {PERSON}),
        ("Ida Lind is currently governor of Merrow.", {PERSON}),
        ("Ida Lind and Rosa Lind were Kessian builders and mountaineers.", {PERSON}),
        ("Ida Lind is known for her work on mosses.", {PERSON}),
        ("Arden is the capital and largest city of Merrow.", {LOCATION}),
        ("Ulver is a body of water in Merrow.", {LOCATION}),
        ("Ulver is the name of several lakes in Merrow.", {LOCATION}),
        ("The Wendle is one of the longest rivers of Merrow.", {LOCATION}),
        ("Karsk is a city and a municipal board in Highfell.", {LOCATION, ORGANIZATION}),
        ("The Arden Rovers are a football club from Arden.", {ORGANIZATION}),
        ("Orlop was a family owned shipping company in Arden.", {ORGANIZATION}),
        ("Orlop is a maker of trucks.", {ORGANIZATION}),
        ("The Arden Museum is a museum in Arden.", {LOCATION, ORGANIZATION}),
        ("Arden Nights is a 1982 film by Ida Lind.", set()),
        ("Lind is a surname.", set()),
        ("The Arden War was a war between Merrow and Karsk.", set()),
        ("Arden lies on the Wendle.", None),
        ("", None),
    ],
)
def test_the_first_sentence_tells_the_type_or_nothing(opening, types):
    assert types_of(Page("Anything", ""), opening) == types


def test_the_source_knows_better_and_a_qualifier_speaks_before_the_sentence():
    assert types_of(Page("Arden", "", type=ORGANIZATION), "Arden is a town.") == {ORGANIZATION}
    assert types_of(Page("Arden (band)", ""), "Arden plays.") == {ORGANIZATION}
    assert types_of(Page("Orlop (United Provinces)", ""), "Orlop is a company.") == {ORGANIZATION}


@pytest.mark.parametrize(
    ("opening", "year"),
    [
        ("Ida Lind (born 3 May 1950) is a pilot.", 1950),
        ("Ida Lind (1861–1939) was a botanist.", 1861),
        ("Ida Lind is a pilot (since 1990).", 1990),
        ("Ida Lind is a pilot.", None),
    ],
)
def test_the_year_of_birth_is_read_behind_the_name(opening, year):
    assert birth_year(opening) == year
