"""Where the names of a corpus come from: its setting, what each instance says, and what samples and releases keep."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command

from corpus.frozen import FrozenInstance
from corpus.instance_rows import instance_of
from corpus.jobs import corpora as corpus_jobs
from corpus.models import Corpus, Entity, Finding, Instance, Recognition
from corpus.names_from import NamesSetting, setting_for
from corpus.sampling import SampleFilters
from corpus.selectors import samples as selectors
from corpus.services import corpora, samples
from kernel.errors import InvalidInput
from kernel.models import AuditEntry, Job
from kernel.progress import Silent
from tests.corpus.frozen_instances import make_frozen
from tests.make import make_corpus, make_instance, make_user
from tests.pages import shown

database = pytest.mark.django_db(transaction=True)

TEXT = "Ida Lind met Olof Berg in Arden. Ms. Lind reads the Arden Times."
TAGS = [{"name": "Berg, Olof", "type": "person"}, {"name": "Lind, Ida", "type": "person"}]


@pytest.fixture
def corpus(db, tmp_path, pipeline, settings) -> Corpus:
    """Two articles with the same words: one without tags, one with the two people tagged."""
    settings.SPACY_PIPELINE = pipeline
    rows = [{"id": "1", "title": "T", "text": TEXT}, {"id": "2", "title": "T", "text": TEXT, "entities": TAGS}]
    Path(tmp_path / "news.jsonl").write_text("\n".join(map(json.dumps, rows)))
    corpus = corpora.open_corpus("News", source="jsonl", path=str(tmp_path / "news.jsonl"), by=None)
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())
    return corpus


def search(corpus: Corpus, names_from: str | None = None) -> Finding:
    corpora.choose_names(corpus, names_from, by=None)
    corpus_jobs.find_instances({"corpus": corpus.pk}, Silent())
    return Finding.objects.get()


def origins() -> list[tuple[str, str]]:
    return sorted(Instance.objects.values_list("article__source_id", "names_from").distinct())


@pytest.mark.parametrize(
    ("chosen", "has_tags", "setting"),
    [
        ("", True, NamesSetting.TAGS),
        ("", False, NamesSetting.RECOGNITION),
        ("tags_or_recognition", True, NamesSetting.TAGS_OR_RECOGNITION),
        ("recognition", True, NamesSetting.RECOGNITION),
        ("tags", False, NamesSetting.TAGS),
    ],
)
def test_unless_somebody_chose_tags_are_taken_as_soon_as_there_are_any(chosen, has_tags, setting):
    assert setting_for(chosen, has_tags=has_tags) is setting


# ---- Searches -------------------------------------------------------------------------------------


@database
def test_a_tagged_corpus_is_searched_by_its_tags_alone(corpus):
    finding = search(corpus)  # without the mark `processes`, starting a pipeline fails the test

    assert origins() == [("2", "tags")]
    assert (finding.names_from, finding.recognized_instances) == ("tags", 0)
    assert not Recognition.objects.exists()


@database
@pytest.mark.processes
def test_a_corpus_without_any_tag_is_recognized(corpus):
    corpus.articles.filter(source_id="2").delete()

    finding = search(corpus)

    assert origins() == [("1", "recognition")]
    assert (finding.names_from, finding.recognized_instances) == ("recognition", finding.instances)


@database
@pytest.mark.processes
def test_articles_without_tags_are_recognized_beside_tagged_ones_if_somebody_chose_that(corpus):
    finding = search(corpus, "tags_or_recognition")

    assert origins() == [("1", "recognition"), ("2", "tags")]
    assert 0 < finding.recognized_instances < finding.instances


@database
@pytest.mark.processes
def test_recognition_ignores_the_tags_and_a_later_search_by_tags_the_recognized_names(corpus):
    search(corpus, "recognition")
    assert origins() == [("1", "recognition"), ("2", "recognition")]
    assert Entity.objects.get(name="Olof Berg").is_recognized

    search(corpus, "tags")
    assert origins() == [("2", "tags")]
    assert set(Entity.objects.values_list("name", flat=True)) == {"Ida Lind", "Olof Berg"}


@database
def test_recognition_that_was_chosen_but_is_turned_off_stops_the_search(corpus, settings):
    settings.SPACY_PIPELINE = ""

    with pytest.raises(InvalidInput, match="recognition is turned off"):
        search(corpus, "recognition")


@database
@pytest.mark.processes
def test_what_names_came_from_is_no_part_of_the_key(corpus):
    search(corpus, "recognition")
    recognized = dict(Instance.objects.filter(article__source_id="2", type="person").values_list("key", "names_from"))
    search(corpus, "tags")
    tagged = dict(Instance.objects.filter(article__source_id="2", type="person").values_list("key", "names_from"))

    assert recognized.keys() == tagged.keys()
    assert {*recognized.values(), *tagged.values()} == {"recognition", "tags"}


# ---- Where it is chosen ---------------------------------------------------------------------------


@database
def test_the_import_page_the_corpus_page_the_command_and_the_api_set_it(corpus, client, settings):
    settings.CORPUS_FOLDER = Path(corpus.path).parent
    client.force_login(make_user("ben"))
    page = shown(client.get("/corpus/new/"))
    assert "Names from" in page
    assert "Recognition takes about ten times as long as tags" in page

    client.post("/corpus/new/", {"name": "Page", "source": "jsonl", "path": "news.jsonl", "names_from": "recognition"})
    body = {"name": "API", "source": "jsonl", "path": "news.jsonl", "names_from": "tags"}
    assert client.post("/api/v1/corpora/", body, content_type="application/json").status_code == 202
    call_command("ingest", "jsonl", corpus.path, name="Command", names_from="tags_or_recognition")

    chosen = dict(Corpus.objects.values_list("name", "names_from"))
    assert chosen == {"News": "", "Page": "recognition", "API": "tags", "Command": "tags_or_recognition"}


@database
def test_an_existing_corpus_changes_it_with_the_search(corpus, client):
    search(corpus)
    client.force_login(make_user("ben"))
    assert "Tags, and recognition where there are none" in shown(client.get(f"/corpus/{corpus.pk}/"))

    client.post(f"/corpus/{corpus.pk}/find/", {"names_from": "recognition"})
    corpus.refresh_from_db()
    assert corpus.names_from == "recognition"
    assert AuditEntry.objects.get(action="choose names").after == {"names_from": "recognition"}
    Job.objects.all().delete()
    body = {"kind": "find_instances", "names_from": ""}
    client.post(f"/api/v1/corpora/{corpus.pk}/jobs/", body, content_type="application/json")
    corpus.refresh_from_db()
    assert corpus.names_from == ""
    Job.objects.all().delete()
    call_command("find_instances", "News", names_from="tags")
    corpus.refresh_from_db()
    assert corpus.names_from == "tags"
    call_command("find_instances", "News", names_from="automatic")
    corpus.refresh_from_db()
    assert corpus.names_from == ""


# ---- Lists, samples, releases ---------------------------------------------------------------------


@pytest.fixture
def mixed(db) -> Corpus:
    """Three instances by tags and two by recognition."""
    corpus = make_corpus()
    for number in range(5):
        make_instance(corpus, names_from="tags" if number < 3 else "recognition")
    Finding.objects.create(corpus=corpus, articles=5, instances=5, recognized_instances=2)
    return corpus


@database
def test_lists_and_their_files_show_one_kind_of_names_only(mixed, client):
    client.force_login(make_user("ben"))

    page = shown(client.get(f"/corpus/{mixed.pk}/instances/?names_from=recognition"))
    rows = client.get(f"/api/v1/corpora/{mixed.pk}/instances/?names_from=recognition").json()
    lines = client.get(f"/corpus/{mixed.pk}/instances/instances.csv?names_from=tags")

    assert "2 instances" in page
    assert ", names from recognition" in page
    assert [row["names_from"] for row in rows["results"]] == ["recognition"] * 2
    assert b"".join(lines.streaming_content).decode().count(',"tags"') == 3


@database
def test_the_overview_and_the_funnel_count_them(mixed, client):
    client.force_login(make_user("ben"))

    assert "5 instances: 3 with tagged names, 2 with recognized names." in shown(client.get(f"/corpus/{mixed.pk}/"))
    assert (
        "3 with tagged names, 2 with recognized names" in client.get(f"/corpus/{mixed.pk}/funnel.csv").content.decode()
    )
    assert client.get(f"/api/v1/corpora/{mixed.pk}/").json()["recognized_instances"] == 2


@database
def test_a_sample_can_be_drawn_from_one_kind_and_its_members_say_which(mixed, client):
    client.force_login(make_user("ben"))
    assert "At most 2" in shown(client.get(f"/corpus/{mixed.pk}/draw/?n=2&seed=0&names_from=recognition"))
    call_command("draw_sample", "News", name="First", n=2, names_from=["recognition"])

    members = [member.value for member in samples.Sample.objects.get().members.all()]
    assert [value["names_from"] for value in members] == ["recognition"] * 2
    sample = samples.Sample.objects.get()
    assert selectors.members(sample, names_from="recognition").count() == 2
    assert not selectors.members(sample, names_from="tags").exists()
    with pytest.raises(InvalidInput, match="names_from"):
        SampleFilters.from_json({"names_from": ["elsewhere"]})


def test_an_item_frozen_before_keeps_its_bytes():
    before = make_frozen()
    row = before.to_json()

    assert "names_from" not in row
    assert FrozenInstance.thaw(row).to_json() == row
    assert FrozenInstance.from_json(row) == before


def test_an_imported_row_keeps_what_its_names_came_from():
    row = make_frozen(names_from="recognition").to_json()

    assert instance_of(row).names_from == "recognition"
    assert row["key"] == make_frozen().key
    with pytest.raises(InvalidInput, match="names_from: must be one of tags, recognition"):
        instance_of({**row, "names_from": "elsewhere"})


@database
def test_instances_found_before_get_what_is_known_of_their_article():
    corpus = make_corpus()
    tagged, untagged = make_instance(corpus), make_instance(corpus)
    tagged.article.tags = [{"text": "Lind, Ida", "type": "person", "origin": ""}]
    tagged.article.save()
    Finding.objects.create(corpus=corpus, instances=2)

    import_module("corpus.migrations.0004_names_of_known_instances").fill(apps, None)

    assert dict(Instance.objects.values_list("pk", "names_from")) == {tagged.pk: "tags", untagged.pk: "recognition"}
    assert Finding.objects.get().recognized_instances == 1
