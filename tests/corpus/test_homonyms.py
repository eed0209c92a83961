"""Places that share a name are told apart by what the index puts in brackets."""

from __future__ import annotations

import pytest

from corpus.articles import EntityType, Tag
from corpus.entities import EntityIndex, EntityTable
from corpus.homonyms import handle_of
from tests.corpus.article_entities import entity_named

PERSON, LOCATION, ORGANIZATION = EntityType


def decide(type: EntityType, *texts: str) -> EntityTable:
    index = EntityIndex()
    for text in texts:
        index.add([Tag(text, type, "indexing_service")])
    return index.decide()


@pytest.mark.parametrize(
    ("type", "texts", "names"),
    [
        (LOCATION, ["Rochester (NY)", "Rochester (Minn)"], ["Rochester, Minnesota", "Rochester, New York"]),
        (LOCATION, ["ROCHESTER (NY)", "Rochester (MINN)"], ["Rochester, Minnesota", "Rochester, New York"]),
        (LOCATION, ["Springfield, Ill", "Springfield (Mass)"], ["Springfield, Illinois", "Springfield, Massachusetts"]),
        (LOCATION, ["Paris (France)", "Paris (Tex)"], ["Paris, France", "Paris, Texas"]),
        (LOCATION, ["Cambridge (Eng)", "Cambridge (Mass)"], ["Cambridge, England", "Cambridge, Massachusetts"]),
        (LOCATION, ["Willow (Mashpee, Mass)", "Willow (Conn)"], ["Willow, Connecticut", "Willow, Massachusetts"]),
        (LOCATION, ["Rochester (NY)", "Rochester (NYS)", "Rochester"], ["Rochester"]),
        (LOCATION, ["Rochester (NY)", "Rochester"], ["Rochester"]),
        (LOCATION, ["Chelsea (NYC)", "Chelsea (NY)"], ["Chelsea"]),
        (LOCATION, ["Orange (County)", "Orange (NJ)"], ["Orange"]),
        (LOCATION, ["Washington (DC)", "Washington (State)"], ["Washington", "Washington State"]),
        (ORGANIZATION, ["Trinity Church (NYC)", "Trinity Church (Mass)"],
         ["Trinity Church (Massachusetts)", "Trinity Church (New York)"]),
        (ORGANIZATION, ["Trinity Church (NYC)", "Trinity Church (Band)"], ["Trinity Church"]),
        (PERSON, ["Lind, Ida (Pres)", "Lind, Ida (Sen)", "Lind, Ida (Repr)", "Lind, Ida (Rev)"], ["Ida Lind"]),
        (PERSON, ["Lind, Ida (Ga)", "Lind, Ida (Minn)"], ["Ida Lind"]),
    ],
)  # fmt: skip
def test_only_different_places_in_brackets_tell_two_of_one_name_apart(type, texts, names):
    assert [entity.name for entity in decide(type, *texts).entities] == names


def test_a_bare_name_of_several_places_is_none_of_them():
    table = decide(LOCATION, "Rochester (NY)", "Rochester (NY)", "Rochester (Minn)", "Rochester")

    assert [entity.name for entity in table.entities] == ["Rochester", "Rochester, Minnesota", "Rochester, New York"]
    assert entity_named(table, Tag("ROCHESTER (NYS)", LOCATION)) is table.entities[2]
    assert entity_named(table, Tag("Rochester", LOCATION)) is table.entities[0]


def test_each_is_still_called_by_the_short_name_in_a_text():
    (first, second) = decide(LOCATION, "Rochester (NY)", "Rochester (Minn)").entities

    assert "Rochester" in first.strict
    assert "Rochester" in second.strict
    assert "Rochester, Minn" in first.strict


@pytest.mark.parametrize("text", ["Rochester, Minnesota", "Rochester (Minn)", "ROCHESTER (MINN)"])
def test_the_name_it_is_given_leads_back_to_it(text: str):
    assert handle_of(Tag(text, LOCATION)) == "rochester (minnesota)"
