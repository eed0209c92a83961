from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType
from corpus.contexts import find_contexts, read_article
from corpus.mentions import Named, build_index
from corpus.tuples import EntityTuple, FoundTuples, find_tuples
from tests.corpus.readings import PLACES, TYPES, Grid, grids, make_reading

A, B, C, D = PLACES[:4]


def tuples(
    body: Grid, abstract: Sequence[Sequence[str]] = (), article_id: str = "a1", seed: int = 7, limit: int = 100
) -> FoundTuples:
    return find_tuples(make_reading(body, abstract), TYPES, article_id=article_id, seed=seed, limit=limit)


def keys(found_tuples: FoundTuples) -> list[tuple[str, ...]]:
    return [entity_tuple.entities for entity_tuple in found_tuples.tuples]


def test_entities_of_one_sentence_give_all_their_subsets():
    found_tuples = tuples([[[C, A, B]]])

    assert keys(found_tuples) == [(A, B), (A, B, C), (A, C), (B, C)]
    assert (found_tuples.cut, found_tuples.crowded) == (0, 0)


def test_a_larger_tuple_may_span_more_sentences_than_a_smaller_one():
    assert keys(tuples([[[A], [B], [C]]])) == [(A, B), (A, B, C), (B, C)]


def test_entities_far_apart_meet_only_in_the_abstract():
    apart = [[[A], [], [], [B]]]

    assert keys(tuples(apart)) == []
    assert keys(tuples(apart, abstract=[[A], [], [], [], [B]])) == [(A, B)]


def test_entities_of_different_types_are_never_put_together():
    named = [Named("Arden", EntityType.LOCATION, "Arden"), Named("Lind", EntityType.PERSON, "Lind")]
    reading = read_article(build_index(named), "", ["Arden and Lind."])

    assert find_tuples(reading, {n.key: n.type for n in named}, article_id="a", seed=0).tuples == ()


def test_entities_whose_type_is_not_given_are_left_out():
    reading = make_reading([[[A, B, C]]])

    found_tuples = find_tuples(reading, {A: EntityType.LOCATION, B: EntityType.LOCATION}, article_id="a", seed=0)

    assert found_tuples.tuples == (EntityTuple(EntityType.LOCATION, (A, B)),)


def test_a_window_of_eight_gives_all_subsets_and_one_of_nine_only_neighbours():
    eight, nine = tuples([[PLACES[:8]]], limit=999), tuples([[PLACES[:9]]], limit=999)

    assert len(eight.tuples) == 28 + 56 + 70 + 56 + 28
    assert len(nine.tuples) == 8 + 7 + 6 + 5 + 4
    assert (eight.crowded, nine.crowded) == (0, 5)


def test_neighbours_are_taken_in_text_order():
    crowd = list(reversed(PLACES[:9]))
    crowd[0], crowd[4] = crowd[4], crowd[0]

    pairs = [entities for entities in keys(tuples([[crowd]])) if len(entities) == 2]

    assert pairs == sorted(tuple(sorted(pair)) for pair in pairwise(crowd))


def test_what_is_above_the_limit_is_cut_by_lot_and_counted():
    full, cut = tuples([[PLACES[:8]]], limit=999), tuples([[PLACES[:8]]])

    assert len(cut.tuples) == 100
    assert cut.cut == 138
    assert set(cut.tuples) < set(full.tuples)


def test_the_lot_depends_on_the_seed_and_on_the_article():
    first = tuples([[PLACES[:8]]])

    assert tuples([[PLACES[:8]]]) == first
    assert tuples([[PLACES[:8]]], seed=8).tuples != first.tuples
    assert tuples([[PLACES[:8]]], article_id="a2").tuples != first.tuples


def test_an_article_with_eighteen_people_gives_a_hundred_tuples_each_with_a_context():
    people = [Named(f"p{n}", EntityType.PERSON, f"Tove{n} Lind{n}", (), (f"Lind{n}",)) for n in range(18)]
    types = {person.key: person.type for person in people}
    listing = "They were " + ", ".join(person.canonical for person in people) + "."
    paragraphs = [listing, *(f"Mr. Lind{n} met Mr. Lind{(n * 7 + 3) % 18}. Nobody spoke." for n in range(18))]
    reading = read_article(build_index(people), "", paragraphs, abstract=listing)

    found_tuples = find_tuples(reading, types, article_id="a", seed=1)
    contexts = [find_contexts(reading, entity_tuple.entities) for entity_tuple in found_tuples.tuples]

    assert len(found_tuples.tuples) == 100
    assert found_tuples.crowded > 0
    assert all(contexts)


@given(grids(), grids().map(lambda grid: grid[0] if grid else []))
def test_tuples_are_exactly_the_sets_that_have_a_context(grid, abstract):
    reading = make_reading(grid, abstract)

    found_tuples = find_tuples(reading, TYPES, article_id="a", seed=0, limit=999)

    expected = {
        entities
        for size in range(2, 7)
        for entities in combinations(sorted(PLACES[:4]), size)
        if find_contexts(reading, entities)
    }
    assert set(keys(found_tuples)) == expected


@given(grids(PLACES), st.integers(), st.text(), st.integers(0, 20))
def test_tuples_are_sorted_within_the_limit_and_the_same_each_time(grid, seed, article_id, limit):
    reading = make_reading(grid)

    found_tuples = find_tuples(reading, TYPES, article_id=article_id, seed=seed, limit=limit)

    assert found_tuples == find_tuples(reading, TYPES, article_id=article_id, seed=seed, limit=limit)
    assert list(found_tuples.tuples) == sorted(set(found_tuples.tuples))
    assert len(found_tuples.tuples) <= limit
    assert found_tuples.cut == 0 or len(found_tuples.tuples) == limit
    assert all(2 <= len(t.entities) <= 6 and find_contexts(reading, t.entities) for t in found_tuples.tuples)
