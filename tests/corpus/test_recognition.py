"""Names in articles that nobody tagged: recognized once, marked as such, reviewed by a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import spacy

from corpus import recognition, selectors
from corpus.articles import EntityType, Tag
from corpus.jobs import finding, ingest
from corpus.models import Corpus, Entity, EntityCorrection, Finding, Instance, Recognition
from corpus.services import corpora
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.progress import Silent
from tests.make import make_user

PERSON, LOCATION, ORGANIZATION = EntityType
database = pytest.mark.django_db(transaction=True)
PATTERNS = {
    "Ida Lind": "PERSON", "Lind": "PERSON", "Olof Berg": "PERSON", "Arden": "GPE", "Lake Arden": "LOC",
    "the Arden Times": "ORG", "Monday": "DATE",
}  # fmt: skip


@pytest.fixture
def pipeline(tmp_path) -> str:
    """A small pipeline of rules, saved as a trained one would be."""
    nlp = spacy.blank("en")
    ruler: Any = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": label, "pattern": text} for text, label in PATTERNS.items()])
    nlp.meta["version"] = "1.2.3"
    nlp.to_disk(tmp_path / "rules")
    recognition.load.cache_clear()
    return str(tmp_path / "rules")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the Arden Times", "Arden Times"),
        ("The Arden Times", "The Arden Times"),
        ("Mr. Lind", "Lind"),
        ("Ida Lind’s", "Ida Lind"),
        ("Ida\n Lind,", "Ida Lind"),
        ("U.S.", "U.S."),
        ("Arden.", "Arden"),
        ("“Arden”", "Arden"),
        ("hall", ""),
        ("X", ""),
        ("L" * 200, ""),
        ("", ""),
    ],
)
def test_a_span_is_cleaned_to_its_name(text, name):
    assert recognition.clean_name(text) == name


def test_a_surname_alone_is_whoever_bears_it_in_full():
    tags = recognition.tags_of([("Lind", PERSON), ("Ida Lind", PERSON), ("Berg", PERSON), ("Lind", LOCATION)])

    assert tags == (Tag("Ida Lind", PERSON, "ner"), Tag("Berg", PERSON, "ner"))


def test_a_name_recognized_with_two_types_has_the_commoner():
    names = [("Arden", LOCATION), ("Arden", ORGANIZATION), ("Arden", ORGANIZATION)]

    assert recognition.tags_of(names) == (Tag("Arden", ORGANIZATION, "ner"),)


def test_persons_places_and_organizations_are_recognized_and_nothing_else(pipeline):
    found = recognition.recognize(
        recognition.load(pipeline), [["Ida Lind came on Monday.", "She read the Arden Times."], ["Rain in Arden."], []]
    )

    assert found == [
        (Tag("Ida Lind", PERSON, "ner"), Tag("Arden Times", ORGANIZATION, "ner")),
        (Tag("Arden", LOCATION, "ner"),),
        (),
    ]


def test_a_pipeline_is_loaded_without_what_naming_needs_not(tmp_path):
    nlp = spacy.blank("en")
    for pipe in ("tagger", "ner"):
        nlp.add_pipe(pipe)
    nlp.get_pipe("tagger").add_label("NN")
    nlp.get_pipe("ner").add_label("PERSON")
    nlp.initialize()
    nlp.to_disk(tmp_path / "trained")

    loaded = recognition.load(str(tmp_path / "trained"))

    assert loaded.nlp.pipe_names == ["ner"]
    assert recognition.load(str(tmp_path / "trained")) is loaded


def test_a_pipeline_that_is_not_there_or_names_nothing_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(InvalidInput, match="TESA_SPACY_PIPELINE: no spaCy pipeline 'en_nothing' is installed"):
        recognition.load("en_nothing")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InvalidInput, match="recognizes no names"):
        recognition.load(str(tmp_path / "blank"))


# ---- Stored ---------------------------------------------------------------------------------------

TEXT = "Ida Lind met Olof Berg in Arden. Ms. Lind reads the Arden Times."


@pytest.fixture
def corpus(db, tmp_path, monkeypatch) -> Corpus:
    monkeypatch.setattr(ingest, "WORTH_A_POOL", 10**9)
    monkeypatch.setattr(finding, "WORTH_A_POOL", 10**9)
    tagged = {"id": "2", "title": "T", "text": TEXT, "entities": [{"name": "Berg, Olof", "type": "person"}]}
    rows = [{"id": "1", "title": "T", "text": TEXT}, tagged]
    Path(tmp_path / "news.jsonl").write_text("\n".join(map(json.dumps, rows)))
    corpus = corpora.open_corpus("News", source="jsonl", path=str(tmp_path / "news.jsonl"), by=None)
    ingest.ingest({"corpus": corpus.pk}, Silent())
    return corpus


def search(corpus: Corpus) -> Finding:
    finding.find({"corpus": corpus.pk}, Silent())
    return Finding.objects.get()


@database
def test_untagged_articles_get_entities_that_are_marked(corpus, pipeline, settings):
    settings.SPACY_PIPELINE = pipeline

    funnel = search(corpus)

    assert (funnel.untagged_articles, funnel.recognized_articles) == (1, 1)
    assert Recognition.objects.get().pipeline == "rules 1.2.3"
    marked = dict(Entity.objects.values_list("name", "is_recognized"))
    assert marked == {"Ida Lind": True, "Olof Berg": False, "Arden": True, "Arden Times": True}
    assert Instance.objects.filter(article__source_id="1").exists()


@database
def test_names_are_recognized_once_for_each_pipeline(corpus, pipeline, settings, monkeypatch):
    settings.SPACY_PIPELINE = pipeline
    search(corpus)
    calls = []
    monkeypatch.setattr(recognition, "recognize", lambda _, articles: calls.append(articles) or [()] * len(articles))

    search(corpus)
    assert calls == []
    settings.SPACY_PIPELINE = ""
    search(corpus)
    assert Entity.objects.filter(is_recognized=True).count() == 3


@database
def test_without_a_pipeline_untagged_articles_are_counted_and_the_pages_say_what_to_do(corpus, client):
    assert search(corpus).untagged_articles == 1

    client.force_login(make_user("ben"))
    assert "1 article carries no tagged names" in client.get(f"/corpus/{corpus.pk}/").content.decode()
    assert "TESA_SPACY_PIPELINE" in client.get(f"/corpus/{corpus.pk}/recognized/").content.decode()


@database
def test_a_pipeline_that_is_not_installed_stops_the_search_before_it_begins(corpus, settings):
    settings.SPACY_PIPELINE = "en_nothing"

    with pytest.raises(InvalidInput, match="no spaCy pipeline 'en_nothing' is installed"):
        search(corpus)
    corpus.articles.filter(source_id="1").delete()
    search(corpus)  # nothing to recognize


@database
def test_recognized_entities_are_reviewed_one_by_one_and_it_holds(corpus, pipeline, settings, client):
    settings.SPACY_PIPELINE = pipeline
    search(corpus)
    client.force_login(make_user("ben"))
    order = [entity.name for entity in selectors.entities_to_review(corpus)]
    assert sorted(order) == ["Arden", "Arden Times", "Ida Lind"]

    for name, action in (("Arden", "organization"), ("Arden Times", "discard"), ("Ida Lind", "accept")):
        entity = Entity.objects.get(name=name)
        path = f"/corpus/entities/{entity.pk}/correct/"
        answer = client.post(path, {"action": action, "reason": "reviewed", "next": "recognized"})
        assert answer.url == f"/corpus/{corpus.pk}/recognized/"
    assert "All reviewed" in client.get(f"/corpus/{corpus.pk}/recognized/").content.decode()
    search(corpus)

    assert not selectors.entities_to_review(corpus).exists()
    assert not Entity.objects.filter(name="Arden Times").exists()
    assert Entity.objects.get(name="Arden").type == "organization"
    assert (
        "As rules 1.2.3 recognized it" in client.get(f"/corpus/articles/{corpus.articles.first().pk}/").content.decode()
    )
    assert selectors.corrections_waiting(corpus) == 0


@database
def test_a_decision_does_not_bring_back_who_was_skipped(corpus, pipeline, settings, client):
    settings.SPACY_PIPELINE = pipeline
    search(corpus)
    client.force_login(make_user("ben"))
    first, second, third = selectors.entities_to_review(corpus)

    answer = client.post(
        f"/corpus/entities/{second.pk}/correct/?after={first.pk}",
        {"action": "accept", "reason": "reviewed", "next": "recognized"},
        follow=True,
    )

    assert answer.context["entity"] == third


@database
def test_accepting_makes_nothing_wait(corpus, pipeline, settings, client):
    settings.SPACY_PIPELINE = pipeline
    search(corpus)
    client.force_login(make_user("ben"))
    entity = selectors.entities_to_review(corpus).first()
    assert entity.name in client.get(f"/corpus/{corpus.pk}/recognized/").content.decode()

    client.post(f"/corpus/entities/{entity.pk}/correct/", {"action": "accept", "reason": "right"})

    assert selectors.corrections_waiting(corpus) == 0
    assert EntityCorrection.objects.get().kind == "accept"
