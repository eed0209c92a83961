from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from corpus.contexts import Context, ContextKind, find_contexts
from corpus.groups import group_keys
from corpus.tuples import find_tuples
from tests.corpus.readings import PLACES, TYPES, grids, make_reading


def place(kind: ContextKind, first: int, last: int, entities: Iterable[str]) -> Context:
    return Context(kind, first, last, tuple(entities), title="", text="", mentions=())


def body(first: int, last: int, entities: Iterable[str]) -> Context:
    return place(ContextKind.CONTENT, first, last, entities)


def abstract(entities: Iterable[str]) -> Context:
    return place(ContextKind.ABSTRACT, 0, 3, entities)


def together(*places: Context) -> bool:
    return len(set(group_keys("a1", places))) == 1


def test_windows_that_overlap_and_share_two_entities_are_one_group():
    assert together(body(0, 1, "AB"), body(1, 3, "ABC"))


def test_windows_that_only_touch_are_apart():
    assert not together(body(0, 1, "AB"), body(2, 3, "AB"))


def test_windows_that_share_one_entity_are_apart():
    assert not together(body(0, 1, "AB"), body(0, 1, "BC"))


def test_a_chain_of_overlaps_is_one_group():
    assert together(body(0, 1, "AB"), body(4, 5, "BC"), body(1, 2, "ABC"), body(2, 4, "BCD"))


def test_a_short_window_inside_a_long_one_does_not_break_the_chain():
    assert together(body(0, 5, "ABCDEF"), body(1, 1, "AB"), body(4, 6, "ABCD"))


def test_the_abstract_joins_all_windows_of_its_own_tuple():
    assert together(body(0, 1, "AB"), body(7, 8, "AB"), abstract("AB"))


def test_abstracts_of_tuples_that_share_two_entities_are_one_group():
    assert together(abstract("AB"), abstract("ABC"))
    assert not together(abstract("AB"), abstract("BC"))


def test_an_abstract_does_not_overlap_the_body_sentences_of_the_same_number():
    assert not together(abstract("ABC"), body(0, 1, "AB"))


def test_the_key_depends_on_the_article_and_on_the_smallest_member():
    smallest, larger = body(0, 1, "AB"), body(1, 2, "AB")

    assert group_keys("a1", [smallest]) == group_keys("a1", [larger, smallest])[:1]
    assert group_keys("a1", [smallest]) != group_keys("a2", [smallest])
    assert group_keys("a1", [smallest]) != group_keys("a1", [larger])


def test_no_contexts_give_no_groups():
    assert group_keys("a1", []) == ()


ENTITIES = st.sets(st.sampled_from("ABCDE"), min_size=2, max_size=4).map(lambda entities: tuple(sorted(entities)))
PLACED = st.builds(
    lambda first, length, entities: body(first, first + length, entities),
    st.integers(0, 8),
    st.integers(0, 3),
    ENTITIES,
) | ENTITIES.map(abstract)


def are_linked(context: Context, other: Context) -> bool:
    if context.entities == other.entities and ContextKind.ABSTRACT in (context.kind, other.kind):
        return True
    overlap = context.kind == other.kind and context.first <= other.last and other.first <= context.last
    return overlap and len(set(context.entities) & set(other.entities)) >= 2


def brute_force(places: list[Context]) -> list[int]:
    """Groups by linking every pair until nothing changes."""
    labels = list(range(len(places)))
    changed = True
    while changed:
        changed = False
        for first, second in combinations(range(len(places)), 2):
            if are_linked(places[first], places[second]) and labels[first] != labels[second]:
                labels[first] = labels[second] = min(labels[first], labels[second])
                changed = True
    return labels


@given(st.lists(PLACED, unique=True))
def test_groups_are_those_of_linking_every_pair_by_hand(places):
    keys, labels = group_keys("a1", places), brute_force(places)

    assert len(set(zip(keys, labels, strict=True))) == len(set(keys)) == len(set(labels))


@given(st.lists(PLACED, unique=True), st.randoms(use_true_random=False))
def test_the_order_of_the_contexts_does_not_matter(places, lot):
    shuffled = places.copy()
    lot.shuffle(shuffled)

    assert dict(zip(places, group_keys("a1", places), strict=True)) == dict(
        zip(shuffled, group_keys("a1", shuffled), strict=True)
    )


@given(grids(PLACES[:5]))
def test_contexts_of_an_article_are_grouped_as_they_come(grid):
    reading = make_reading(grid, grid[0] if grid else [])
    found_tuples = find_tuples(reading, TYPES, article_id="a1", seed=0)
    contexts = [context for t in found_tuples.tuples for context in find_contexts(reading, t.entities)]

    keys = group_keys("a1", contexts)

    assert len(keys) == len(contexts)
    assert all(len(key) == 64 for key in keys)
