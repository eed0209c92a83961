"""Names take their capitals from the articles. All texts are invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.article_tags import entity_tags
from corpus.articles import EntityType, SourceArticle, Tag
from corpus.entities import EntityIndex
from corpus.folding import fold
from corpus.names import parse_name
from corpus.names.article_casing import Text, is_careless, printed_forms, recased
from tests.corpus.article_entities import entities_of

PERSON, LOCATION, ORGANIZATION = EntityType


def article(text: str, *tags: Tag, abstract: str = "") -> SourceArticle:
    return SourceArticle("1", "", tuple(text.split("\n")), abstract=abstract, tags=tags)


def name_in(text: str, tag: str, type: EntityType) -> str:
    (entity,) = entities_of(article(text, Tag(tag, type)))
    return entity.name


@pytest.mark.parametrize(
    ("type", "tag", "text", "name"),
    [
        (PERSON, "MCEWAN, IAN", "A novel by Ian McEwan.", "Ian McEwan"),
        (PERSON, "mcewan, ian", "A novel by Mr. McEwan.", "Ian McEwan"),
        (PERSON, "MACKAYE, ANNA", "A novel by Anna MacKaye.", "Anna MacKaye"),
        (PERSON, "LADUE, ANNA", "Ms. LaDue read it. LADUE WINS.", "Anna LaDue"),
        (PERSON, "VAN DUYN, MONA", "Mona van Duyn read it.", "Mona van Duyn"),
        (PERSON, "FITZHUGH, IDA", "She read it. HERE COMES IDA FITZHUGH, WHO WINS.", "Ida Fitzhugh"),
        (PERSON, "quill, k d", "The singer k. d. quill sang; k. d. quill left.", "k. d. quill"),
        (PERSON, "QUILL, ANN", "On ann quill: Ann Quill is ann quill.", "Ann Quill"),
        (ORGANIZATION, "BBC", "It was the BBC that asked.", "BBC"),
        (ORGANIZATION, "bbc", "It was the BBC that asked.", "BBC"),
        (ORGANIZATION, "quop", "It was QUOP that asked.", "QUOP"),
        (ORGANIZATION, "QUOP", "It was Quop that asked.", "Quop"),
        (ORGANIZATION, "THYSSENKRUPP AG", "It was ThyssenKrupp AG that asked.", "ThyssenKrupp AG"),
        (ORGANIZATION, "thyssenkrupp ag", "It was ThyssenKrupp that asked.", "ThyssenKrupp AG"),
        (ORGANIZATION, "BANK OF ARDENIA", "The bank said that Bank of Ardenia paid.", "Bank of Ardenia"),
        (ORGANIZATION, "FOOD COUNCIL", "A food council, the food council; the Food Council.", "Food Council"),
        (ORGANIZATION, "FOOD COUNCIL", "A food council, the food council.", "Food Council"),
        (ORGANIZATION, "TIME INC", "The time has come for Time Inc., in time.", "Time Inc."),
        (LOCATION, "OSAKA", "OSAKA, March 3 - It rained in Osaka.", "Osaka"),
        (LOCATION, "osaka", "OSAKA, March 3 - It rained.", "Osaka"),
        (LOCATION, "OSAKA", "Nobody named it.", "Osaka"),
        (PERSON, "Mcarden, Iona", "Iona McArden left. Ms. McArden is at home.", "Iona McArden"),
        (PERSON, "Mcarden, Iona", "Iona Mcarden left. Ms. McArden is at home.", "Iona Mcarden"),
        (PERSON, "O'dell, Mary", "Ms. O'Dell left.", "Mary O'Dell"),
        (PERSON, "Quill, Ann", "On ANN QUILL: QUILL left.", "Ann Quill"),
        (ORGANIZATION, "Thyssenkrupp AG", "It was ThyssenKrupp that asked.", "ThyssenKrupp AG"),
        (ORGANIZATION, "Quop Institute", "It was the QUOP Institute that asked.", "QUOP Institute"),
        (ORGANIZATION, "Time Inc", "TIME FOR TEA\nTea is late.", "Time Inc."),
        (LOCATION, "Laguardia", "They met at LaGuardia.", "LaGuardia"),
        (LOCATION, "LAGUARDIA", "They met at LaGuardia.", "LaGuardia"),
    ],
)
def test_a_name_is_printed_as_the_article_prints_it(type: EntityType, tag: str, text: str, name: str):
    assert name_in(text, tag, type) == name


def test_the_abstract_counts_as_the_article():
    (entity,) = entities_of(article("", Tag("LADUE, ANNA", PERSON), abstract="Profile of Anna LaDue"))

    assert entity.name == "Anna LaDue"


def test_aliases_have_the_same_capitals():
    (entity,) = entities_of(article("A book on ThyssenKrupp.", Tag("THYSSENKRUPP AG", ORGANIZATION)))

    assert (entity.name, entity.strict) == ("ThyssenKrupp AG", ("ThyssenKrupp", "ThyssenKrupp A.G."))


def test_capitals_that_an_indexer_wrote_are_kept():
    assert name_in("A book on THYSSENKRUPP and Thyssenkrupp.", "ThyssenKrupp", ORGANIZATION) == "ThyssenKrupp"


@pytest.mark.parametrize("type", EntityType)
@pytest.mark.parametrize("name", ["JFK", "Y2K", "STS-134"])
def test_a_recognized_acronym_keeps_the_capitals_of_the_article(name: str, type: EntityType):
    (entity,) = entities_of(article(f"They heard that {name} was late.", Tag(name, type, "ner")))

    assert entity.name == name


def test_a_recognized_name_in_a_heading_in_capitals_gets_small_letters():
    texts = "HALE WINS AGAIN IN PORT ESKER", "HALE\nIt rained."

    assert [name_in(text, "HALE", PERSON) for text in texts] == ["Hale", "Hale"]


def test_words_are_printed_as_at_least_half_of_the_articles_print_them():
    tag = Tag("Mcarden, Iona", PERSON)
    for texts, name in ((["McArden", "Mcarden"], "Iona McArden"), (["McArden", "Mcarden", "she"], "Iona Mcarden")):
        whole, part = EntityIndex(), EntityIndex()
        for text in texts:
            part.add([tag], article(f"Iona {text} left.", tag))
        whole.update(part)

        assert [entity.name for entity in whole.decide().entities] == [name]


def test_all_articles_vote_and_parts_of_a_corpus_add_up():
    tag = Tag("LADUE, ANNA", PERSON)
    texts = ["Anna Ladue left.", "Anna LaDue left.", "Anna LaDue came."]
    whole, parts = EntityIndex(), [EntityIndex(), EntityIndex(), EntityIndex()]
    for text, part in zip(texts, parts, strict=True):
        source_article = article(text, tag)
        whole.add(entity_tags(source_article), source_article)
        part.add(entity_tags(source_article), source_article)
    for part in parts[1:]:
        parts[0].update(part)

    assert [entity.name for entity in whole.decide().entities] == ["Anna LaDue"]
    assert parts[0].decide() == whole.decide()


def test_a_tag_with_capitals_of_its_own_lends_them_to_one_without():
    index = EntityIndex()
    index.add([Tag("LADUE, ANNA", PERSON)])
    index.add([Tag("LADUE, ANNA", PERSON)])
    index.add([Tag("LaDue, Anna", PERSON)])

    assert [entity.name for entity in index.decide().entities] == ["Anna LaDue"]


WORDS = st.sampled_from(["Hale", "HALE", "hale", "mcHale", "Walter", "of", "OF", "BBC", "bbc", ".", "’s", "\n", "İ"])


@given(st.lists(WORDS, max_size=12).map(" ".join), st.sampled_from(["HALE, WALTER", "hale", "BBC", "BANK OF HALE"]))
def test_only_capitals_change(text: str, tag: str):
    for type in EntityType:
        name = parse_name(tag, type)
        forms = printed_forms(name, Text.of([text]))
        changed = recased(name, dict.fromkeys(forms, 1))

        assert is_careless(tag)
        assert fold(changed.canonical) == fold(name.canonical)
        assert {*map(fold, changed.strict)} == {*map(fold, name.strict)}
