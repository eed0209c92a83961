from __future__ import annotations

import pytest

from corpus.article_tags import entity_tags
from corpus.articles import EntityType, SourceArticle, Tag

PERSON, LOCATION, ORGANIZATION = EntityType
BODY = ("The bridge was opened on Monday.", "Amos Quillfeather had drawn it.")


def tag(text: str, type: EntityType = PERSON, origin: str = "indexing_service") -> Tag:
    return Tag(text, type, origin)


def article(*tags: Tag, byline: str = "", paragraphs: tuple[str, ...] = BODY) -> SourceArticle:
    return SourceArticle("1", "A bridge", paragraphs, byline=byline, tags=tags)


def test_a_web_producers_tags_count_only_for_a_type_no_indexer_tagged():
    indexed = tag("Quillfeather, Amos")
    person, place = (tag(text, type, "online_producer") for text, type in (("Pym, Ada", PERSON), ("Oslo", LOCATION)))

    assert entity_tags(article(indexed, person, place)) == (indexed, place)


def test_tags_of_any_other_source_count():
    assert entity_tags(article(tag("Oslo", LOCATION, "reuters"))) == (tag("Oslo", LOCATION, "reuters"),)


def test_a_tag_given_twice_counts_once_and_a_tag_without_words_never():
    assert entity_tags(article(tag("Oslo"), tag("Oslo"), tag("--"), tag(""))) == (tag("Oslo"),)


@pytest.mark.parametrize(
    "byline",
    [
        "By BEATRIX L. LARCH",
        "By Beatrix Larch and Cosmo Snell",
        "LARCH, BEATRIX L; SNELL, COSMO",
        "By COSMO SNELL; Beatrix L. Larch contributed reporting",
    ],
)
def test_the_reporter_is_no_entity_however_the_byline_is_written(byline: str):
    reporter, subject = tag("LARCH, BEATRIX L"), tag("Quillfeather, Amos")

    assert entity_tags(article(reporter, subject, byline=byline)) == (subject,)


def test_a_reporter_whom_the_body_names_is_an_entity():
    reporter = tag("Larch, Beatrix L")
    source_article = article(reporter, byline="By BEATRIX L. LARCH", paragraphs=("Beatrix Larch crossed it first.",))

    assert entity_tags(source_article) == (reporter,)


@pytest.mark.parametrize(
    "credit", ["By BEATRIX L. LARCH", "Beatrix Larch reported from Oslo, and Cosmo Snell contributed reporting."]
)
def test_a_credit_in_the_body_does_not_make_the_reporter_an_entity(credit: str):
    source_article = article(tag("Larch, Beatrix L"), byline="By BEATRIX L. LARCH", paragraphs=(credit, *BODY))

    assert entity_tags(source_article) == ()


def test_a_byline_hides_nobody_who_merely_shares_a_name():
    subject, place = tag("Larch, Oswald"), tag("Larch", LOCATION)

    assert entity_tags(article(subject, place, byline="By BEATRIX L. LARCH")) == (subject, place)


def test_names_marked_in_running_text_count_only_for_a_type_no_indexer_tagged():
    indexed = tag("Quillfeather, Amos")
    person, place = tag("Ada Pym", PERSON, "inline"), tag("Oslo", LOCATION, "inline")

    assert entity_tags(article(indexed, person, place)) == (indexed, place)


@pytest.mark.parametrize(
    "abstract",
    [
        "Letter from Beatrix Larch on bridges",
        "Op-Ed article by Beatrix L. Larch says Amos Quillfeather drew it",
        "Beatrix Larch reviews bridge by Amos Quillfeather",
    ],
)
def test_whom_only_the_abstract_names_as_its_writer_is_no_entity(abstract: str):
    writer, subject = tag("Larch, Beatrix L"), tag("Quillfeather, Amos")
    source_article = SourceArticle("1", "A bridge", BODY, abstract=abstract, tags=(writer, subject))

    assert entity_tags(source_article) == (subject,)


def test_whom_the_abstract_tells_of_is_an_entity():
    source_article = SourceArticle(
        "1", "A bridge", BODY, abstract="Beatrix Larch opens bridge", tags=(tag("Larch, Beatrix"),)
    )

    assert entity_tags(source_article) == (tag("Larch, Beatrix"),)


@pytest.mark.parametrize("paragraph", ["By B. Larch, C. Snell and T. Pym.", "Beatrix Larch, Arden", "BEATRIX LARCH"])
def test_under_the_byline_of_somebody_else_a_signature_or_credit_names_a_subject(paragraph: str):
    author, subject = tag("Larch, Beatrix"), tag("Quillfeather, Amos")
    paragraphs = (paragraph, *BODY)

    signed = article(author, subject, byline="By COSMO SNELL", paragraphs=paragraphs)
    unsigned = article(author, subject, paragraphs=(paragraph.replace("B. Larch", "Beatrix Larch"), *BODY))

    assert entity_tags(signed) == (author, subject)
    assert entity_tags(unsigned) == (subject,)


def test_the_abstract_names_the_writer_of_a_letter_under_any_byline():
    writer, subject = tag("Larch, Beatrix L"), tag("Quillfeather, Amos")
    abstract = "Letter from Beatrix Larch on bridges"
    source_article = SourceArticle("1", "A", BODY, abstract=abstract, byline="By COSMO SNELL", tags=(writer, subject))

    assert entity_tags(source_article) == (subject,)
