from __future__ import annotations

from collections.abc import Collection
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType
from corpus.contexts import ContextKind, PreparedArticle, find_contexts, read_article
from corpus.mentions import Named, build_index
from tests.corpus.readings import PLACES, Grid, grids, make_reading

A, B, C, D = PLACES[:4]


def windows(body: Grid, entities: Collection[str]) -> list[tuple[int, int]]:
    return [(context.first, context.last) for context in find_contexts(make_reading(body), entities)]


@pytest.mark.parametrize(
    ("sentences", "entities", "expected"),
    [
        ([[A, B]], [A, B], [(0, 0)]),
        ([[A], [B]], [A, B], [(0, 1)]),
        ([[A], [], [B]], [A, B], []),
        ([[A], [], [B]], [A, B, C], []),
        ([[A], [C], [B]], [A, B, C], [(0, 2)]),
        ([[A], [B], [A]], [A, B], [(0, 1), (1, 2)]),
        ([[A], [A, B], [B]], [A, B], [(1, 1)]),
        ([[A, B], [A, B]], [A, B], [(0, 0), (1, 1)]),
        ([[A, A], [B, B]], [A, B], [(0, 1)]),
        ([[A], [B, A, C], [C]], [A, B, C], [(1, 1)]),
        ([[A, C], [B], [C], [A]], [A, B, C], [(0, 1), (1, 3)]),
        ([[A], [], [], [B, C], [A]], [A, B, C], [(3, 4)]),
        ([[A], []], [A, B], []),
    ],
)
def test_the_shortest_windows_of_at_most_n_sentences_are_found(sentences, entities, expected):
    assert windows([sentences], entities) == expected


def test_a_window_runs_over_the_end_of_a_paragraph_and_shows_it():
    (context,) = find_contexts(make_reading([[[], [A]], [[B], []]]), [B, A])

    assert context.text == "He saw Arden.\n\nHe saw Brandt."
    assert (context.kind, context.first, context.last, context.entities) == (ContextKind.CONTENT, 1, 2, (A, B))
    assert context.title == "A journey"


def test_the_whole_abstract_is_a_context_when_it_mentions_all():
    reading = make_reading([[[A], [B]]], abstract=[[], [A], [], [], [B], []])

    body, abstract = find_contexts(reading, [A, B])

    assert body.kind is ContextKind.CONTENT
    assert (abstract.kind, abstract.first, abstract.last) == (ContextKind.ABSTRACT, 0, 5)
    assert abstract.text == reading.abstract.paragraphs[0]


def test_an_abstract_that_leaves_one_out_is_no_context():
    assert find_contexts(make_reading([], abstract=[[A], [C]]), [A, B]) == ()


def test_highlights_show_only_the_entities_asked_for():
    (context,) = find_contexts(make_reading([[[A, C, B]]]), [A, B])

    assert [(mark.entity, context.text[mark.start : mark.end]) for mark in context.mentions] == [(A, A), (B, B)]


def test_people_are_highlighted_by_surname_in_a_context_of_two_paragraphs():
    people = [Named(name, EntityType.PERSON, name, (), (name.split()[1],)) for name in ("Tove Lind", "Amara Okafor")]
    paragraphs = ["It rained. Mr. Lind's car stood still.", "“So did mine,” Ms. Okafor told Lind. Both laughed."]

    (context,) = find_contexts(read_article(build_index(people), "Rain", paragraphs), [p.key for p in people])

    assert context.text == "“So did mine,” Ms. Okafor told Lind."
    assert [context.text[mark.start : mark.end] for mark in context.mentions] == ["Okafor", "Lind"]


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        ([[], [A, B], []], [(0, 1)]),
        ([[A, B], []], [(0, 1)]),
        ([[A, B], [A, B]], [(0, 1)]),
        ([[A, B], [], [A, B]], [(0, 1), (1, 2)]),
        ([[A], [B]], [(0, 1)]),
        ([[A, B]], []),
    ],
)
def test_a_window_of_one_sentence_is_widened_to_two_on_request(sentences, expected):
    contexts = find_contexts(make_reading([sentences]), [A, B], min_sentences=2)

    assert [(context.first, context.last) for context in contexts] == expected


def test_a_widened_window_crosses_paragraphs_but_no_aside():
    index = build_index(Named(place, EntityType.LOCATION, place) for place in (A, B))
    paragraphs = ["It rained.", "HEADING", "Arden and Brandt lie by the sea.", "Both are old."]

    (context,) = find_contexts(read_article(index, "T", paragraphs, asides={1}), [A, B], min_sentences=2)

    assert context.text == "Arden and Brandt lie by the sea.\n\nBoth are old."
    assert find_contexts(read_article(index, "T", paragraphs, asides={1, 3}), [A, B], min_sentences=2) == ()


def test_an_abstract_of_one_sentence_stays_as_it_is():
    (context,) = find_contexts(make_reading([], abstract=[[A, B]]), [A, B], min_sentences=2)

    assert (context.kind, context.first, context.last) == (ContextKind.ABSTRACT, 0, 0)


def brute_force(reading: PreparedArticle, entities: Collection[str]) -> list[tuple[int, int]]:
    """All windows of at most n sentences with all entities, less those that contain another."""
    mentioned: list[set[str]] = [set() for _ in reading.body.sentences]
    for mention in reading.body.mentions:
        mentioned[mention.sentence].add(mention.entity)
    valid = {
        (first, last)
        for first in range(len(mentioned))
        for last in range(first, min(first + len(entities), len(mentioned)))
        if set(entities) <= set(chain.from_iterable(mentioned[first : last + 1]))
    }
    return sorted(w for w in valid if not any(v != w and w[0] <= v[0] and v[1] <= w[1] for v in valid))


@given(grids(), st.sets(st.sampled_from(PLACES[:4]), min_size=1))
def test_contexts_are_exactly_the_windows_a_search_through_all_of_them_finds(grid, entities):
    assert windows(grid, entities) == brute_force(make_reading(grid), entities)


@given(grids(), grids().map(lambda grid: grid[0] if grid else []), st.sets(st.sampled_from(PLACES[:4]), min_size=1))
def test_every_context_mentions_all_its_entities_where_it_says(grid, abstract, entities):
    for context in find_contexts(make_reading(grid, abstract), entities):
        assert {mark.entity for mark in context.mentions} == set(entities) == set(context.entities)
        assert all(context.text[mark.start : mark.end] == mark.entity for mark in context.mentions)
        assert list(context.mentions) == sorted(context.mentions, key=lambda mark: mark.start)
        assert len(context.mentions) == sum(context.text.count(entity) for entity in entities)


@given(grids(), st.sets(st.sampled_from(PLACES[:4]), min_size=2))
def test_no_two_contexts_are_equal_and_none_lies_in_another(grid, entities):
    spans = windows(grid, entities)

    assert spans == sorted(set(spans))
    assert not any(v != w and w[0] <= v[0] and v[1] <= w[1] for v in spans for w in spans)


@given(grids(), st.sets(st.sampled_from(PLACES[:4]), min_size=1))
def test_widened_windows_are_the_shortest_ones_with_a_neighbour(grid, entities):
    reading = make_reading(grid)

    spans = [(c.first, c.last) for c in find_contexts(reading, entities, min_sentences=2)]

    assert all(last > first for first, last in spans)
    assert len(spans) == len(set(spans))
    widened = [any(f <= first and last <= t and t - f <= max(last - first, 1) for f, t in spans)
               for first, last in brute_force(reading, entities)]  # fmt: skip
    assert all(widened) == (len(reading.body.sentences) > 1 or not widened)
