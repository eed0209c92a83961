"""The corpus through the API: everything the pages do, for programs."""

from __future__ import annotations

import json

import pytest

from corpus.backgrounds.base import BackgroundStatus, Page, PageChoice
from corpus.jobs import corpora as corpus_jobs
from corpus.models import Background, Corpus, Finding, Sample
from corpus.selectors import samples
from corpus.services import backgrounds, corpora
from kernel.models import AuditEntry, Job
from kernel.progress import Silent
from kernel.roles import Role
from tests.corpus.frozen_instances import make_frozen
from tests.make import (
    NO_ROW,
    make_background,
    make_campaign,
    make_corpus,
    make_entity,
    make_instance,
    make_sample_of,
    make_user,
)

pytestmark = pytest.mark.django_db(transaction=True)
ROW = '{"id": "1", "title": "T", "text": "A text."}\n'


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.CORPUS_FOLDER = tmp_path


@pytest.fixture
def post(client):
    client.force_login(make_user("ben"))

    def send(address: str, /, **fields):
        return client.post(f"/api/v1/{address}", fields, content_type="application/json")

    return send


def test_an_archive_on_the_server_is_read_by_a_job(post, tmp_path):
    (tmp_path / "news.jsonl").write_text(ROW)

    answer = post("corpora/", name="News", source="jsonl", path="news.jsonl")

    job = Job.objects.get()
    assert (answer.status_code, answer.json()["id"], job.kind, job.subject) == (202, job.pk, "ingest", "News")
    assert Corpus.objects.get().path == str(tmp_path / "news.jsonl")
    assert post("corpora/", name="News", source="jsonl", path="news.jsonl").status_code == 409  # being read


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"source": "pdf"}, "source"),
        ({"name": "\t"}, "name"),
        ({"nmae": "News"}, "nmae"),
    ],
)
def test_an_archive_that_cannot_be_read_is_refused_by_its_field(post, fields, field):
    answer = post("corpora/", **{"name": "News", "source": "jsonl", "path": "news.jsonl"} | fields)

    assert answer.status_code == 422
    assert field in answer.json()["error"]["fields"]
    assert not Job.objects.exists()


@pytest.mark.parametrize("path", ["nothing", "../../etc"])
def test_what_is_not_in_the_folder_for_archives_is_not_found(post, path):
    corpus = make_corpus()

    answers = (
        post("corpora/", name="News", source="jsonl", path=path),
        post(f"corpora/{corpus.pk}/jobs/", kind="find_backgrounds", dump=path),
        post("samples/import/", name="Mine", path=path),
    )

    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert answers[0].json()["error"]["message"].startswith("path: ")
    assert not Job.objects.exists()


def test_a_corpus_tells_its_funnel_and_its_problems(client, post, tmp_path):
    (tmp_path / "news.jsonl").write_text("{\n" + ROW)
    corpus = corpora.open_corpus("News", source="jsonl", path=str(tmp_path / "news.jsonl"), by=None)
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())
    before = client.get(f"/api/v1/corpora/{corpus.pk}/").json()
    Finding.objects.create(corpus=corpus, articles=1, instances=7)
    make_background(make_entity(corpus))

    after = client.get(f"/api/v1/corpora/{corpus.pk}/").json()
    (problem,) = client.get(f"/api/v1/corpora/{corpus.pk}/problems/").json()["results"]

    assert (before["articles"], before["problems"], before["funnel"]) == (1, 1, [])
    assert (after["backgrounds"], after["corrections_waiting"]) == ({"exact": 1}, 0)
    assert {"label": "Instances", "number": 7, "note": "all with tagged names", "published": 56_933} in after["funnel"]
    assert problem["where"] == f"{tmp_path}/news.jsonl:1"


@pytest.mark.parametrize(
    ("fields", "parameters"),
    [
        ({"kind": "ingest"}, {"find": True}),
        ({"kind": "find_instances", "seed": 3}, {"seed": 3}),
        ({"kind": "find_instances", "min_sentences": 2}, {"seed": 0, "min_sentences": 2}),
        ({"kind": "find_backgrounds", "again": True}, {"source": "wikipedia", "path": "", "again": True}),
        ({"kind": "delete_corpus", "name": "News"}, {}),
    ],
)
def test_jobs_on_a_corpus_are_started_one_at_a_time(post, fields, parameters):
    corpus = make_corpus("News")

    answers = [post(f"corpora/{corpus.pk}/jobs/", **fields).status_code for _ in range(2)]

    job = Job.objects.get()
    assert (answers, job.kind) == ([202, 409], fields["kind"])
    assert parameters.items() <= job.parameters.items()


def test_a_corpus_is_deleted_only_by_its_name(post):
    corpus = make_corpus("News")

    assert post(f"corpora/{corpus.pk}/jobs/", kind="delete_corpus", name="Olds").status_code == 409
    assert not Job.objects.exists()


def test_a_background_is_decided_on_and_leaves_the_queue(client, post):
    entity = make_entity(make_corpus(), "Ida Lind", instances=1)
    candidate = Page("Ida Lind (botanist)", "Ida Lind was a botanist.", source="dump")
    backgrounds.store_page_choice(entity, PageChoice(BackgroundStatus.AMBIGUOUS, candidates=(candidate,)), by=None)
    queue = f"/api/v1/corpora/{entity.corpus_id}/backgrounds/"
    (waiting,) = client.get(queue).json()["results"]

    answer = post(f"entities/{entity.pk}/background/", action="choose", number=1)

    assert (waiting["id"], waiting["background"]["candidates"][0]["title"]) == (entity.pk, "Ida Lind (botanist)")
    assert (answer.status_code, answer.json()["status"], answer.json()["decided_by"]) == (200, "by hand", "ben")
    assert client.get(queue).json()["count"] == 0
    assert client.get(queue, {"status": "by hand"}).json()["count"] == 1
    assert client.get(queue, {"status": "lost"}).status_code == 422
    assert AuditEntry.objects.filter(action="choose background", actor_name="ben").exists()


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"action": "accept"}, 409),
        ({"action": "choose", "number": 2}, 409),
        ({"action": "dance"}, 422),
    ],
)
def test_what_cannot_be_decided_is_refused(post, fields, status):
    entity = make_entity(make_corpus())

    assert post(f"entities/{entity.pk}/background/", **fields).status_code == status
    assert not Background.objects.exists()


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"text": "Ida Lind sang.", "url": "https://example.org/lind"}, 200),
        ({"text": "Ida Lind sang.", "url": "javascript:alert(1)"}, 422),
        ({"text": " \n"}, 422),
        ({}, 422),
    ],
)
def test_a_background_is_written(client, post, fields, status):
    entity = make_entity(make_corpus())

    answer = client.put(f"/api/v1/entities/{entity.pk}/background/", fields, content_type="application/json")

    assert answer.status_code == status
    assert Background.objects.filter(status="by hand", text="Ida Lind sang.").exists() == (status == 200)


def test_an_entity_comes_with_its_index_names_and_its_background(client, post):
    entity, bare = make_entity(corpus := make_corpus(), "Ida Lind"), make_entity(corpus, "Karl Moe")
    entity.names.create(corpus=corpus, folded="ida lind", text="LIND, IDA", articles=2)
    make_background(entity)

    as_json = client.get(f"/api/v1/entities/{entity.pk}/").json()

    assert as_json["names"] == [{"handle": "ida lind", "text": "LIND, IDA", "articles": 2}]
    assert (as_json["background"]["status"], as_json["background"]["text"]) == ("exact", "Ida Lind is known.")
    assert client.get(f"/api/v1/entities/{bare.pk}/").json()["background"] is None


def test_instances_and_samples_come_as_the_lines_of_a_download(client, post):
    corpus = make_corpus()
    two = make_instance(corpus)
    make_instance(corpus, "Arden", "Bree", "Cove", type="location")
    sample = make_sample_of("Mine", make_frozen(), make_frozen(title="Another"))

    lines = client.get(f"/api/v1/corpora/{corpus.pk}/instances.jsonl", {"size": 2, "words": "lind"})
    members = b"".join(client.get(f"/api/v1/samples/{sample.pk}/instances.jsonl").streaming_content)

    (line,) = b"".join(lines.streaming_content).splitlines()
    assert json.loads(line)["key"] == two.key
    assert members.decode() == "".join(samples.member_lines(sample))
    assert client.get(f"/api/v1/corpora/{corpus.pk}/instances/", {"size": 3}).json()["count"] == 1


def test_a_drawing_is_previewed_without_drawing(post):
    corpus = make_corpus()
    for _ in range(3):
        make_instance(corpus)
    asked = {"corpus": corpus.pk, "n": 2, "seed": 1}

    preview = post("samples/preview/", **asked).json()
    none = post("samples/preview/", **asked, types=["location"]).json()

    assert preview == {
        "asked": 2,
        "drawn": 2,
        "most": 3,
        "cells": [{"type": "person", "size": 2, "drawn": 2, "available": 3}],
    }
    assert (none["drawn"], none["most"], none["cells"]) == (0, 0, [])
    assert post("samples/preview/", **asked, name="First").status_code == 422
    assert post("samples/preview/", **asked | {"corpus": NO_ROW}).status_code == 404
    assert not Job.objects.exists()


def test_a_sample_is_deleted_unless_something_is_built_on_it(client, post):
    free, used = make_sample_of("Free", make_frozen()), make_sample_of("Used", make_frozen(title="Another"))
    make_campaign("Spring", sample=used)

    answers = [client.delete(f"/api/v1/samples/{sample.pk}/") for sample in (free, used)]

    assert [answer.status_code for answer in answers] == [204, 409]
    assert "“Used” is used by campaign “Spring”" in answers[1].json()["error"]["message"]
    assert [sample.name for sample in Sample.objects.all()] == ["Used"]
    client.force_login(make_user("cleo", Role.ANNOTATOR))
    assert client.delete(f"/api/v1/samples/{used.pk}/").status_code == 403


def test_finished_instances_on_the_server_are_imported_by_a_job(post, tmp_path):
    (tmp_path / "mine.jsonl").write_text(json.dumps(make_frozen().to_json()))

    answer = post("samples/import/", name="Mine", path="mine.jsonl")

    job = Job.objects.get()
    assert (answer.status_code, job.kind, job.parameters["path"]) == (202, "import_instances", f"{tmp_path}/mine.jsonl")
