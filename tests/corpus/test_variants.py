from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType
from corpus.variants import joined

PERSON, ORGANIZATION = EntityType.PERSON, EntityType.ORGANIZATION


def test_a_bare_name_joins_the_only_name_with_an_initial():
    assert joined([(), ("l",)], PERSON) == {(): ("l",), ("l",): ("l",)}


def test_a_bare_name_that_fits_two_people_joins_neither_and_they_stay_apart():
    details = [(), ("w",), ("h", "w")]

    assert joined(details, PERSON) == {detail: detail for detail in details}


def test_an_initial_joins_the_middle_name_it_stands_for_and_takes_the_bare_name_along():
    assert set(joined([(), ("w",), ("wilson",)], PERSON).values()) == {("wilson",)}


def test_a_bare_name_does_not_join_a_whole_middle_name():
    assert joined([(), ("paul",)], PERSON) == {(): (), ("paul",): ("paul",)}


def test_a_company_without_its_form_joins_the_only_form():
    assert joined([(), ("corp",)], ORGANIZATION)[()] == ("corp",)
    assert joined([(), ("corp",), ("inc",)], ORGANIZATION)[()] == ()


DETAILS = st.lists(st.lists(st.sampled_from(["w", "wilson", "h", "herbert", "q"]), max_size=3).map(tuple), max_size=8)


@given(DETAILS, st.sampled_from(EntityType))
def test_what_others_join_stays_itself_and_order_does_not_count(details: list[tuple[str, ...]], type: EntityType):
    into = joined(details, type)

    assert all(into[root] == root for root in into.values())
    assert into == joined([*reversed(details)], type)


@given(DETAILS)
def test_people_whose_initials_conflict_are_never_joined(details: list[tuple[str, ...]]):
    for detail, root in joined(details, PERSON).items():
        assert [word[0] for word in detail] == [word[0] for word in root[: len(detail)]]
