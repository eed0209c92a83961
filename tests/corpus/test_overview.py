"""What a corpus's overview counts."""

from __future__ import annotations

from collections import Counter

import pytest

from corpus.list_filters import ListFilters
from corpus.models import Finding
from corpus.selectors import overview
from corpus.selectors.entities import entities_in
from tests.make import make_article, make_corpus, make_entity, make_instance


def test_the_most_frequent_cell_is_the_darkest_and_an_empty_one_has_no_shade():
    rows = dict(overview.heat(Counter({("person", 2): 800, ("person", 3): 1})))

    assert rows["person"][:3] == [(800, 1), (1, 8), (0, 9)]
    assert overview.heat(Counter()) == []


def test_backgrounds_are_counted_by_what_is_left_to_do():
    finding = Finding(instance_entities=10)

    matched = overview.matched(finding, {"exact": 5, "by hand": 1, "likely": 2, "ambiguous": 1, "missing": 1})

    assert (matched["percent"], matched["ends"]) == (80, (6, 8, 9))
    assert [number for _, number, _ in matched["parts"]] == [6, 2, 1, 1]


@pytest.mark.django_db
def test_a_bar_for_each_year_says_how_many_articles_have_an_instance():
    corpus = make_corpus()
    make_instance(corpus, article=make_article(corpus, published="1998-01-02"))
    make_article(corpus, published="1998-05-02")
    make_article(corpus, published="2000-05-02")
    finding = Finding.objects.create(corpus=corpus, articles=3, instances=1, tagged_articles=1, instance_articles=1)

    years = overview.plots(finding)["years"]

    assert [(bar["year"], bar["all"], bar["some"]) for bar in years["bars"]] == [
        (1998, 2, 1),
        (1999, 0, 0),
        (2000, 1, 0),
    ]
    steps = dict(overview.funnels(finding, {}))["Articles"]
    assert [(step.number, step.kept) for step in steps] == [(3, None), (1, 33), (1, 100)]


@pytest.mark.django_db
def test_a_step_that_nobody_has_begun_has_no_share():
    finding = Finding.objects.create(corpus=make_corpus(), entities=4, instance_entities=4, instances=2, groups=2)

    funnels = dict(overview.funnels(finding, {}))

    assert [step.kept for step in funnels["Entities"]] == [None, 100, None]
    assert [step.kept for step in funnels["Instances"]] == [None, 100, None]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("asked", "names"),
    [("name", ["Ann", "Bob"]), ("-name", ["Bob", "Ann"]), ("pk;", ["Bob", "Ann"])],
)
def test_entities_are_ordered_by_a_known_column(asked: str, names: list[str]):
    corpus = make_corpus()
    make_entity(corpus, "Ann", articles=1)
    make_entity(corpus, "Bob", articles=2)

    entities = entities_in(corpus, sort=ListFilters.from_query({"sort": asked}).sort)

    assert [entity.name for entity in entities] == names
