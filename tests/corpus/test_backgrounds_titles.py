"""When a title names an entity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType
from corpus.backgrounds.base import Page, Query
from corpus.backgrounds.titles import Match, bare_titles, match_title, split_qualifier, title_key

PERSON, LOCATION, ORGANIZATION = EntityType.PERSON, EntityType.LOCATION, EntityType.ORGANIZATION


@pytest.mark.parametrize(
    ("title", "other"),
    [
        ("Núñez-Lind", "nunez lind"),
        ("Ida_Lind", "Ida Lind"),
        ("J. R. Lind", "J.R. Lind"),
        ("JR Lind", "J.R. Lind"),
        ("O’Dell", "O'Dell"),
        ("Lind & Sons", "Lind and Sons"),
        ("St. Oda", "St Oda"),
        ("Mercury (planet)", "mercury (Planet)"),
    ],
)
def test_spellings_of_one_title_have_one_key(title, other):
    assert title_key(title) == title_key(other)


@pytest.mark.parametrize(("title", "other"), [("Mercury (planet)", "Mercury"), ("Mercury (planet)", "Mercury planet")])
def test_a_qualifier_makes_another_title(title, other):
    assert title_key(title) != title_key(other)


@given(st.text(max_size=40))
def test_every_title_has_a_key_that_is_its_own_key(title):
    key = title_key(title)

    assert bool(key) == bool(title.strip())
    assert title_key(key) == title_key(title_key(key))


def test_qualifiers_are_taken_off():
    assert split_qualifier("Mercury (planet)") == ("Mercury", "planet")
    assert split_qualifier("(planet)") == ("(planet)", "")
    assert bare_titles("Arden, Merrow") == ["Arden"]
    assert bare_titles("Arden") == []


@pytest.mark.parametrize(
    ("type_", "name", "title", "match"),
    [
        (PERSON, "Ida Lind", "Ida Lind", Match.TITLE),
        (PERSON, "Ida Lind", "ida_lind", Match.TITLE),
        (PERSON, "Ida Lind", "Ida Lind (pilot)", Match.QUALIFIED),
        (PERSON, "Ida Lind", "Ida Marie Lind", Match.LONGER),
        (PERSON, "Ida M. Lind", "Ida Marie Lind", Match.LONGER),
        (PERSON, "Ida M. Lind", "Ida Lind (pilot)", Match.LONGER),
        (PERSON, "Ida M. Lind", "Ida Rosa Lind", Match.NONE),
        (PERSON, "Hugh Pell 3d", "Hugh Pell III", Match.TITLE),
        (PERSON, "Hugh Pell Jr.", "Hugh Pell", Match.LONGER),
        (PERSON, "Hugh Pell Jr.", "Hugh Pell Sr.", Match.NONE),
        (PERSON, "Ida Lind", "Ida Lindt", Match.NONE),
        (PERSON, "Ida Lind", "Ada Lind", Match.NONE),
        (PERSON, "I. Lind", "Ida Lind", Match.NONE),
        (PERSON, "Ida Lind", "Death of Ida Lind", Match.NONE),
        (ORGANIZATION, "Orlop Corp.", "Orlop", Match.TITLE),
        (ORGANIZATION, "Orlop Inc.", "Orlop Corporation", Match.TITLE),
        (ORGANIZATION, "Orlop Bank", "Orlop Museum", Match.NONE),
        (ORGANIZATION, "APA", "Arden Port Authority", Match.ALIAS),
        (ORGANIZATION, "Civic Union", "The Civic Union", Match.TITLE),
        (LOCATION, "Arden", "Arden, Merrow", Match.QUALIFIED),
        (LOCATION, "Arden, Merrow", "Arden", Match.LONGER),
        (LOCATION, "Lake Ulver", "Ulver", Match.LONGER),
        (LOCATION, "Ulver", "Lake Ulver", Match.NONE),
        (LOCATION, "Arden", "Ardenne", Match.NONE),
    ],
)
def test_how_a_title_names_an_entity(type_, name, title, match):
    assert match_title(Query(name, type_), Page(title, "")) is match


def test_aliases_of_either_side_count_less_than_the_title():
    assert match_title(Query("Ida Lind", PERSON, strict=("Ida Moor",)), Page("Ida Moor", "")) is Match.ALIAS
    assert match_title(Query("Ida Moor", PERSON), Page("Ida Lind", "", aliases=("Ida Moor",))) is Match.ALIAS
    assert match_title(Query("Ida Lind", PERSON, loose=("Lind",)), Page("Lind", "")) is Match.LOOSE


def test_a_redirect_counts_in_full_only_when_the_page_gives_the_name():
    page = Page("Lind sisters", "", redirected_from="Ida Lind")

    assert (
        match_title(Query("Ida Lind", PERSON), page, "The Lind sisters, Ida and Rosa, were pilots.") is Match.REDIRECT
    )
    assert match_title(Query("Ida Lind", PERSON), page, "The sisters were pilots.") is Match.ALIAS
