from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.entities import EntityIndex, EntityTable, entity_key
from tests.corpus.article_entities import entities_of, entity_named

PERSON, LOCATION, ORGANIZATION = EntityType


def tag(text: str, type: EntityType = PERSON, origin: str = "indexing_service") -> Tag:
    return Tag(text, type, origin)


def decide(*tags: Tag) -> EntityTable:
    return index_of([tag] for tag in tags).decide()


def index_of(articles: Iterable[Iterable[Tag]]) -> EntityIndex:
    index = EntityIndex()
    for tags in articles:
        index.add(tags)
    return index


def names(table: EntityTable) -> list[str]:
    return [entity.name for entity in table.entities]


def test_a_name_tagged_twice_in_one_article_is_one_entity_and_costs_no_other():
    article = SourceArticle(
        "1", "A visit", (), tags=(tag("Bush, George W"), tag("Bush, George W (Pres)"), tag("Blair, Tony"))
    )

    first, second = entities_of(article)

    assert (first.name, second.name) == ("George W. Bush", "Tony Blair")
    assert first.information == ("Pres",)


def test_an_article_without_tags_has_no_entities():
    assert entities_of(SourceArticle("1", "Nothing", ())) == ()


def test_with_and_without_a_middle_initial_is_one_person_called_by_the_commoner_name():
    table = decide(*[tag("Spitzer, Eliot")] * 3, tag("Spitzer, Eliot L"), tag("SPITZER, ELIOT L (ATTY GEN)"))

    (entity,) = table.entities
    assert entity.name == "Eliot Spitzer"
    assert entity.strict == ("Eliot L. Spitzer",)
    assert entity.loose == ("Spitzer",)
    assert entity_named(table, tag("Spitzer, Eliot L")) is entity


def test_equal_evidence_prefers_the_fuller_name():
    assert names(decide(tag("Spitzer, Eliot"), tag("Spitzer, Eliot L"))) == ["Eliot L. Spitzer"]


def test_a_name_that_fits_two_people_is_neither():
    table = decide(tag("Bush, George"), tag("Bush, George W"), tag("Bush, George H W"))

    assert names(table) == ["George Bush", "George H. W. Bush", "George W. Bush"]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Holmes, Oliver Wendell Sr", "Holmes, Oliver Wendell Jr"),
        ("Holmes, Oliver Wendell", "Holmes, Oliver Wendell Jr"),
        ("Jones, John", "Jones, John Paul"),
        ("Pumblechook, Josiah", "Pumblechook, Mrs Josiah"),
        ("Napoleon I", "Napoleon III"),
    ],
)
def test_different_people_stay_apart(name: str, other: str):
    assert len(decide(tag(name), tag(other)).entities) == 2


@pytest.mark.parametrize(
    ("type", "name", "other"),
    [
        (PERSON, "Bolivar, Simon", "Bolívar, Simón"),
        (PERSON, "APPLE, R W JR", "R.W. Apple Jr."),
        (PERSON, "Garcia Lorca, Federico", "Federico Garcia Lorca"),
        (PERSON, "Butts, Calvin O 3d", "Butts, Calvin O III"),
        (LOCATION, "ISRAEL, STATE OF", "Israel"),
        (ORGANIZATION, "Ford Motor Co", "Ford Motor Company"),
        (ORGANIZATION, "Microsoft", "Microsoft Corp"),
    ],
)
def test_spellings_of_one_entity_come_together(type: EntityType, name: str, other: str):
    assert len(decide(tag(name, type), tag(other, type)).entities) == 1


@pytest.mark.parametrize(
    ("name", "other"),
    [("New York City", "New York State"), ("Georgia", "Georgia, Republic of"), ("Mexico", "Mexico City")],
)
def test_places_that_share_a_word_stay_apart(name: str, other: str):
    assert len(decide(tag(name, LOCATION), tag(other, LOCATION)).entities) == 2


def test_two_republics_of_one_name_stay_apart_and_the_bare_name_joins_neither():
    table = decide(*(tag(text, LOCATION) for text in ("Ruritania", "Ruritania, Republic of", "Ruritania, Kingdom of")))

    assert len(table.entities) == 3


def test_a_recognized_name_joins_the_only_tagged_entity_that_has_it_as_alias():
    city, bare = tag("New York City", LOCATION), tag("New York", LOCATION, "ner")

    (entity,) = decide(city, bare, bare, bare).entities
    assert entity.name == "New York City"
    assert len(decide(city, tag("New York", LOCATION)).entities) == 2
    assert len(decide(tag("New York City", LOCATION, "ner"), bare).entities) == 2  # it may be the state


def test_a_recognized_name_that_two_have_as_alias_or_that_is_a_persons_joins_nobody():
    bank, foods = (tag(f'Arden {kind} ("Arden")', ORGANIZATION) for kind in ("Savings Bank", "Foods"))

    assert len(decide(bank, foods, tag("Arden", ORGANIZATION, "ner")).entities) == 3
    assert len(decide(tag("Jones, John Paul"), tag("John Jones", PERSON, "ner")).entities) == 2


def test_a_name_of_two_types_gets_the_type_with_more_evidence():
    table = decide(tag("European Union", LOCATION), *[tag("European Union", ORGANIZATION)] * 2)

    (entity,) = table.entities
    (conflict,) = table.conflicts
    assert entity.type is ORGANIZATION
    assert entity_named(table, tag("European Union", LOCATION)) is entity
    assert conflict.chosen is ORGANIZATION
    assert conflict.seen == ((LOCATION, (1, 0)), (ORGANIZATION, (2, 0)))


def test_one_indexer_outweighs_many_fallback_tags():
    producers = [tag("Patagonia", ORGANIZATION, "online_producer")] * 5

    assert [entity.type for entity in decide(tag("Patagonia", LOCATION), *producers).entities] == [LOCATION]


def test_a_tie_between_types_always_ends_the_same_way():
    tags = [tag("Barcelona", type) for type in EntityType]

    assert {decide(*order).entities for order in (tags, tags[::-1])} == {decide(*tags).entities}
    assert decide(*tags).entities[0].type is ORGANIZATION


def test_an_article_takes_its_entities_from_the_corpus_when_there_is_one():
    article = SourceArticle("1", "A union", (), tags=(tag("European Union", LOCATION), tag("Spitzer, Eliot L")))
    table = decide(*[tag("European Union", ORGANIZATION)] * 2, *[tag("Spitzer, Eliot")] * 2, *article.tags)

    entities = entities_of(article, table)

    assert [(entity.name, entity.type) for entity in entities] == [
        ("European Union", ORGANIZATION),
        ("Eliot Spitzer", PERSON),
    ]


def test_a_name_the_corpus_never_saw_is_not_found():
    assert entity_named(decide(tag("Blair, Tony")), tag("Brown, Gordon")) is None


def test_capitals_and_accents_survive_a_source_that_lost_them():
    table = decide(tag("DEPALMA, ANSELM"), tag("DePalma, Anselm"))

    assert names(table) == ["Anselm DePalma"]


def test_a_key_depends_on_type_and_folded_name_only():
    assert entity_key(PERSON, "Simón Bolívar") == entity_key(PERSON, "SIMON  BOLIVAR")
    assert entity_key(PERSON, "Bolivar") != entity_key(LOCATION, "Bolivar")


def test_a_key_never_changes():  # databases and releases hold it
    stored = "613f8cca888b8a3b74ff540d0ba76cc9c0478a03aa0f5807d7b6d6e9916d06b5"

    assert entity_key(PERSON, "George W. Bush") == stored


TEXTS = ("Bush, George", "Bush, George W", "BUSH, GEORGE W (PRES)", "Bush, George H W", "Bush, George Jr", "Bush")
TAGS = st.builds(
    Tag,
    st.sampled_from(TEXTS),
    st.sampled_from(EntityType),
    st.sampled_from(["indexing_service", "online_producer"]),
)
ARTICLES = st.lists(st.lists(TAGS, max_size=4), max_size=8)


@given(ARTICLES, st.randoms(use_true_random=False))
def test_the_order_of_articles_and_tags_does_not_count(articles, random):
    expected = index_of(articles).decide()

    shuffled = [random.sample(tags, len(tags)) for tags in random.sample(articles, len(articles))]

    assert index_of(shuffled).decide() == expected


@given(ARTICLES, ARTICLES, ARTICLES)
def test_parts_of_a_corpus_indexed_apart_add_up_in_any_grouping(first, second, third):
    left, right, tail = index_of(first), index_of(third), index_of(second)
    left.update(index_of(second))
    left.update(index_of(third))
    tail.update(right)
    tail.update(index_of(first))

    assert left == tail == index_of([*first, *second, *third])


@given(ARTICLES)
def test_every_tag_finds_one_entity_and_no_two_entities_share_a_key(articles):
    table = index_of(articles).decide()

    assert {entity_named(table, tag) for tags in articles for tag in tags} == set(table.entities)
    assert len({entity.key for entity in table.entities}) == len(table.entities)
    assert all(entity.name not in entity.strict + entity.loose for entity in table.entities)
