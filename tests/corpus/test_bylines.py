"""The reporter is not an entity, however an article names its writers."""

from __future__ import annotations

import pytest

from corpus.bylines import is_named, words_of
from corpus.instances import find_instances
from tests.corpus.article_entities import entities_of
from tests.corpus.byline_articles import FORMS, PROSE, SUBJECTS, Form, articles, make_article


@pytest.mark.parametrize(
    "text",
    [
        "By WALTER HALE",
        "By Walter F. Hale",
        "By W. F. Hale",
        "by walter fenn hale",
        "By Dr. Walter Hale, M.D.",
        'By Walter "Bud" Hale Jr.',
        "By Ida Corvo, Walter Hale and Tove Lind",
        "By Ida Corvo with Walter Hale",
        "By WALTER HALE Special to The Gazette",
    ],
)
def test_a_byline_names_a_person_however_it_shortens_the_name(text):
    assert is_named(words_of("Walter F. Hale"), words_of(text))


@pytest.mark.parametrize(
    "text", ["By Walter G. Hale", "By Ida Hale", "By Walter Corvo and Ida Hale", "By Walter, Hale", "By Hale", ""]
)
def test_a_byline_does_not_name_a_namesake(text):
    assert not is_named(words_of("Walter F. Hale"), words_of(text))


def test_a_single_name_is_not_a_full_name():
    assert not is_named(words_of("Hale"), words_of("By Hale"))


def test_in_all_articles_no_writer_is_an_entity_and_every_subject_is():
    entities = {
        (number, entity.name) for number, (_, article) in enumerate(articles()) for entity in entities_of(article)
    }

    assert entities == {(number, subject) for number in range(len(FORMS)) for subject in SUBJECTS}


def test_in_all_articles_contexts_are_sentences_about_the_subjects():
    for form, article in articles():
        instances = find_instances(article, entities_of(article), seed=0).instances

        assert {frozenset(entity.name for entity in value.entities) for value in instances} == {frozenset(SUBJECTS)}, (
            form
        )
        texts = {value.context.text for value in instances if value.context.kind == "content"}
        assert texts == {PROSE[0], PROSE[1]}, form


@pytest.mark.parametrize(
    "form",
    [
        Form("By WALTER HALE", after=("Walter F. Hale was the first to cross it.",)),
        Form(before=("Walter Hale",), after=("Mr. Hale crossed it first.",)),
        Form("By IDA CORVO", after=("WITH: Walter Hale (the Ferryman).", "Hale is a fine ferryman.")),
        Form("By WALTER G. HALE", after=("Walter F. Hale crossed it first.",)),
        Form("By WALTER HALE", after=("Walter Hale, the ferryman, crossed it first. It was a cold day in Arden.",)),
    ],
)
def test_whom_the_prose_tells_of_stays_an_entity(form):
    assert {entity.name for entity in entities_of(make_article(form))} == {*SUBJECTS, "Walter Hale"}
