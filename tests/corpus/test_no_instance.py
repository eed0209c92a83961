"""An article that gave no instance says why, on its page and in the corpus's counts."""

from __future__ import annotations

import pytest

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.instances import find_instances
from corpus.jobs import corpora as corpus_jobs
from corpus.models import Article, Finding
from corpus.no_instance import LABELS, SENTENCES, NoInstance, why_none
from corpus.selectors.finding import no_instance_reason
from kernel.progress import Silent
from tests.corpus.article_entities import entities_of
from tests.make import make_article, make_corpus, make_user
from tests.pages import shown

PLACES = (Tag("Arden", EntityType.LOCATION), Tag("Brandt", EntityType.LOCATION))
HALE = Tag("Hale, Walter", EntityType.PERSON)


@pytest.mark.parametrize(
    ("tags", "paragraphs", "reason"),
    [
        (PLACES, ("Arden lies near Brandt.",), None),
        (PLACES, (), NoInstance.NO_TEXT),
        ((), ("Arden lies near Brandt.",), NoInstance.UNTAGGED),
        ((HALE,), ("By Walter Hale", "Arden lies near Brandt."), NoInstance.ONLY_WRITERS),
        ((HALE, PLACES[0]), ("Walter Hale lives in Arden.",), NoInstance.TOO_FEW),
        (PLACES, ("Arden lies by the sea.",), NoInstance.NOT_MENTIONED),
        (PLACES, ("Arden lies by the sea.", "It is old.", "So is Brandt."), NoInstance.FAR_APART),
        (PLACES, ("From Arden to Brandt", "A ferry runs."), NoInstance.FAR_APART),
    ],
)
def test_the_first_step_that_leaves_nothing_is_the_reason(tags, paragraphs, reason):
    article = SourceArticle("1", "The ferry", paragraphs, tags=tags)
    entities = entities_of(article)

    assert why_none(article, entities, find_instances(article, entities, seed=0)) == reason


def test_every_reason_has_words_for_a_list_and_for_an_article():
    assert set(LABELS) == set(SENTENCES) == set(NoInstance)


@pytest.mark.django_db(transaction=True)
def test_a_search_counts_the_reasons_and_pages_and_api_show_them(client, settings):
    settings.SPACY_PIPELINE = ""
    corpus = make_corpus("News")
    tags = [{"text": tag.text, "type": tag.type.value, "origin": ""} for tag in PLACES]
    tagged = make_article(corpus, source_id="1", paragraphs=["Arden lies near Brandt."], tags=tags)
    untagged = make_article(corpus, source_id="2", paragraphs=["Arden lies near Brandt."], tags=[])
    client.force_login(make_user("ben"))
    page = f"/corpus/articles/{untagged.pk}/"

    assert "gave no instance" not in shown(client.get(page))
    corpus_jobs.find_instances({"corpus": corpus.pk}, Silent())

    assert Finding.objects.get().silent_articles == {"untagged": 1}
    assert (no_instance_reason(tagged), no_instance_reason(untagged)) == (None, NoInstance.UNTAGGED)
    assert "It has no names, tagged or recognized. This corpus takes names from tags only." in shown(client.get(page))
    assert "No names, tagged or recognized: 1 article" in shown(client.get(f"/corpus/{corpus.pk}/"))
    assert client.get(f"/api/v1/corpora/{corpus.pk}/").json()["silent_articles"] == {"untagged": 1}
    assert Article.objects.count() == 2
