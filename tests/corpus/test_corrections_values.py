"""Corrections as values: what people said holds whenever entities are decided anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType, Tag
from corpus.corrections import Correction, CorrectionKind, NameGroup, corrected
from corpus.entities import EntityIndex, EntityTable
from tests.corpus.article_entities import entity_named

PERSON, LOCATION, ORGANIZATION = EntityType
MERGE, SPLIT, RETYPE, RENAME = (CorrectionKind(kind) for kind in ("merge", "split", "retype", "rename"))
DISCARD, ACCEPT = CorrectionKind.DISCARD, CorrectionKind.ACCEPT


def decide(texts: list[str], *corrections: Correction, type: EntityType = PERSON) -> EntityTable:
    index = EntityIndex()
    for text in texts:
        index.add([Tag(text, type, "indexing_service")])
    return index.decide(corrections)


def names_and_types(table: EntityTable) -> list[tuple[str, str]]:
    return [(entity.name, entity.type.value) for entity in table.entities]


TWO = ["Lind, Ida", "Lind, Ida", "Linde, Ida"]


def test_a_merged_entity_bears_the_names_of_both_and_is_called_like_the_other():
    table = decide(TWO, Correction(MERGE, ("ida lind",), ("ida linde",), "Ida Linde"))

    (entity,) = table.entities
    assert (entity.name, entity.strict, entity.loose) == ("Ida Linde", ("Ida Lind",), ("Lind", "Linde"))
    assert entity_named(table, Tag("Lind, Ida", PERSON)) is entity


def test_a_variant_that_comes_later_goes_where_its_entity_went():
    merge = Correction(MERGE, ("ida lind",), ("ida linde",), "Ida Linde")

    assert names_and_types(decide([*TWO, "Lind, Ida B"], merge)) == [("Ida Linde", "person")]


def test_names_of_two_types_become_one_entity_of_the_others_type():
    index = EntityIndex()
    index.add([Tag("Arden Times", LOCATION), Tag("The Arden Times", ORGANIZATION)])
    merge = Correction(MERGE, ("arden times",), ("the arden times",), "The Arden Times")

    assert names_and_types(index.decide([merge])) == [("The Arden Times", "organization")]


def test_a_name_split_off_is_an_entity_of_its_own():
    table = decide(["Lind, Ida", "Lind, Ida B", "Lind, Ida B"], Correction(SPLIT, ("ida lind",)))

    assert names_and_types(table) == [("Ida B. Lind", "person"), ("Ida Lind", "person")]


def test_splitting_off_all_names_changes_nothing():
    assert names_and_types(decide(["Lind, Ida"], Correction(SPLIT, ("ida lind",)))) == [("Ida Lind", "person")]


def test_a_new_type_holds_for_tags_of_the_old_one():
    table = decide(["Patagonia"], Correction(RETYPE, ("patagonia",), value="organization"), type=LOCATION)

    assert names_and_types(table) == [("Patagonia", "organization")]
    assert entity_named(table, Tag("Patagonia", LOCATION)) is table.entities[0]


def test_a_new_name_keeps_the_old_one_as_an_alias():
    (entity,) = decide(["Lind, Ida"], Correction(RENAME, ("ida lind",), value="Ida Lindqvist")).entities

    assert (entity.name, entity.strict) == ("Ida Lindqvist", ("Ida Lind",))


def test_two_entities_that_are_given_one_name_are_one():
    assert names_and_types(decide(TWO, Correction(RENAME, ("ida linde",), value="Ida Lind"))) == [
        ("Ida Lind", "person")
    ]


def test_a_discarded_entity_is_nobody():
    table = decide(TWO, Correction(DISCARD, ("ida lind",)))

    assert names_and_types(table) == [("Ida Linde", "person")]
    assert entity_named(table, Tag("Lind, Ida", PERSON)) is None


def test_a_correction_of_a_name_that_is_gone_does_nothing():
    gone = [Correction(kind, ("olof berg",), ("ida lind",), "person") for kind in CorrectionKind]

    assert decide(TWO, *gone) == decide(TWO)


def test_later_corrections_see_what_earlier_ones_did():
    merge = Correction(MERGE, ("ida lind",), ("ida linde",), "Ida Linde")

    assert decide(TWO, merge, Correction(SPLIT, ("ida lind",))).entities == decide(TWO).entities
    assert names_and_types(decide(TWO, merge, Correction(DISCARD, ("ida lind",)))) == []


NAMES = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3, unique=True).map(tuple)
CORRECTIONS = st.lists(
    st.builds(Correction, st.sampled_from(CorrectionKind), NAMES, NAMES, st.sampled_from(EntityType).map(str))
)


@given(CORRECTIONS)
def test_no_name_is_ever_lost_or_doubled_but_by_discarding(corrections):
    groups = [NameGroup({name}, PERSON) for name in "abcdef"]

    names = sorted(name for group in corrected(groups, corrections) for name in group.names)

    assert len(names) == len(set(names))
    if not any(correction.kind is DISCARD for correction in corrections):
        assert names == [*"abcdef"]
