"""The pages of samples and instances, and their part of the API."""

from __future__ import annotations

import hashlib
import json
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from corpus.jobs.samples import draw_sample, import_items
from corpus.models import Corpus, Sample
from corpus.services import corpora, samples
from kernel.models import Job
from kernel.progress import Silent
from kernel.roles import Role
from tests.corpus.frozen_instances import make_frozen
from tests.make import (
    NO_ROW,
    make_background,
    make_corpus,
    make_entity,
    make_instance,
    make_running_job,
    make_sample_of,
    make_user,
)
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.CORPUS_FOLDER = tmp_path


@pytest.fixture
def researcher(client):
    client.force_login(make_user("ben"))
    return client


@pytest.fixture
def corpus():
    corpus = make_corpus()
    for _ in range(6):
        make_instance(corpus)
    return corpus


def text(answer) -> str:
    return unescape(shown(answer))


def lines(answer) -> list[dict[str, Any]]:
    return [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]


def test_an_empty_list_says_what_to_do(researcher):
    page = text(researcher.get("/corpus/samples/"))

    assert "No sample yet" in page
    assert "/corpus/samples/import/" in page


def test_only_corpora_with_instances_are_offered_for_drawing(researcher, corpus):
    make_corpus("Nothing in it")

    page = text(researcher.get("/corpus/samples/"))

    assert "Draw from News" in page
    assert "Nothing in it" not in page


def test_the_draw_page_shows_what_would_be_drawn_before_anything_is(researcher, corpus):
    page = text(researcher.get(f"/corpus/{corpus.pk}/draw/", {"n": 4, "seed": 2}))

    assert '4<span class="of"> / 6' in page
    assert "Draw 4 instances" in page
    assert "Draw 100 instances" not in text(researcher.get(f"/corpus/{corpus.pk}/draw/"))
    assert not Job.objects.exists()


def test_asking_for_too_many_is_answered_with_how_many_are_left(researcher, corpus):
    page = text(researcher.get(f"/corpus/{corpus.pk}/draw/", {"n": 7, "seed": 2}))

    assert "only <strong>6</strong> can be drawn" in page
    assert "Draw it" not in page
    assert "Nothing is left" in text(
        researcher.get(f"/corpus/{corpus.pk}/draw/", {"n": 1, "types": "location", "seed": 0})
    )


def test_the_draw_page_says_how_many_backgrounds_nobody_has_looked_up(researcher, corpus):
    corpus.entities.update(instances=6)
    address = f"/corpus/{corpus.pk}/draw/"

    assert "The background of 2 entities has not been looked up." in text(researcher.get(address))
    for entity in corpus.entities.all():
        make_background(entity, status="missing", text="")
    assert "looked up" not in text(researcher.get(address))


def test_what_was_previewed_is_drawn_by_a_job(researcher, corpus):
    fields = {"n": 4, "seed": 2, "types": ["person"], "sizes": [2], "name": "First"}

    answer = researcher.post(f"/corpus/{corpus.pk}/draw/", fields)

    job = Job.objects.get()
    assert (answer.url, job.kind, job.subject) == (f"/jobs/{job.pk}/", "draw_sample", "News")
    draw_sample(job.parameters, Silent())
    sample = Sample.objects.get()
    assert (sample.size, sample.seed, sample.created_by.username) == (4, 2, "ben")
    assert sample.filters["sizes"] == [2]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": ""}, "give the sample a name"),
        ({"name": "Taken"}, "A sample named “Taken” already exists"),
        ({"n": "many"}, "Enter a whole number"),
        ({"seed": 2**70}, "less than or equal"),
        ({"types": "animal"}, ""),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_sentence(researcher, corpus, fields, sentence):
    make_sample_of("Taken")

    answer = researcher.post(f"/corpus/{corpus.pk}/draw/", {"n": 1, "seed": 0, "name": "New"} | fields)

    assert answer.status_code == 422
    assert sentence in text(answer)
    assert not Job.objects.exists()


@pytest.mark.parametrize("is_half", [True, False])
def test_nothing_is_drawn_after_a_search_that_was_stopped_half_way(researcher, corpus, is_half):
    Corpus.objects.update(is_half_searched=is_half)
    asked = {"name": "First", "n": 2, "seed": 0}

    page = text(researcher.get(f"/corpus/{corpus.pk}/"))
    answer = researcher.post(f"/corpus/{corpus.pk}/draw/", asked)

    assert ("The last search was stopped halfway" in page) == is_half
    assert answer.status_code == (422 if is_half else 302)
    assert ("find instances again first" in text(answer)) == is_half


def test_a_search_at_work_is_not_called_stopped(researcher, corpus):
    Corpus.objects.update(is_half_searched=True)
    make_running_job(kind="find_instances", subject=corpus.name, lock=corpora.lock_of(corpus))

    answer = researcher.post(f"/corpus/{corpus.pk}/draw/", {"name": "First", "n": 2, "seed": 0})

    assert "stopped halfway" not in text(researcher.get(f"/corpus/{corpus.pk}/"))
    assert "Another job is working on News" in text(answer)


def test_a_sample_shows_its_members_its_table_and_its_plot(researcher):
    sample = make_sample_of("First", make_frozen(), make_frozen(title="Second title", entity_type="location"), seed=4)

    page = text(researcher.get(f"/corpus/samples/{sample.pk}/"))

    assert "Ida Lind, Karl Moe" in page
    assert "By type and size" in page
    only = text(researcher.get(f"/corpus/samples/{sample.pk}/", {"type": "location"}))
    assert "Second title" in only
    assert "Two botanists meet" not in only
    assert "First" in text(researcher.get("/corpus/samples/"))


def test_a_sample_that_is_not_complete_says_so(researcher):
    sample = make_sample_of("Half", make_frozen(), content_hash="", size=0)

    assert "This sample was not finished." in text(researcher.get(f"/corpus/samples/{sample.pk}/"))
    assert "not filled yet" in text(researcher.get("/corpus/samples/"))
    parameters = {"name": "Half"}
    Job.objects.create(kind="draw_sample", subject="News", parameters=parameters, queue="default")
    assert "This sample is being filled." in text(researcher.get(f"/corpus/samples/{sample.pk}/"))


def test_the_download_hashes_to_the_samples_hash(researcher, corpus):
    order = samples.SampleOrder("First", 3, 1)
    sample = samples.draw_sample(corpus, order, by=None, report=Silent().report)

    answer = researcher.get(f"/corpus/samples/{sample.pk}/download/")

    content = b"".join(answer.streaming_content)
    assert answer["Content-Disposition"] == 'attachment; filename="first.jsonl"'
    assert hashlib.sha256(content).hexdigest() == sample.content_hash


def test_a_member_is_shown_as_an_annotator_will_see_it(researcher):
    sample = make_sample_of("First", make_frozen(), make_frozen(title="Second"))

    page = text(researcher.get(f"/corpus/samples/{sample.pk}/0/"))

    assert "In this article, Ida Lind and Karl Moe are discussed. The two people …" in page
    assert '<span class="entity__letter">A</span>Ida Lind</mark>' in page
    assert 'href="https://example.org/Ida_Lind"' in page
    assert "No information was found." in page
    assert f"/corpus/samples/{sample.pk}/1/" in page
    assert researcher.get(f"/corpus/samples/{sample.pk}/2/").status_code == 404


def test_a_member_leads_to_its_article_while_the_article_is_here(researcher, corpus):
    article = corpus.articles.first()
    at_hand = make_frozen(corpus=corpus.name, article_id=article.source_id)
    sample = make_sample_of("First", at_hand, make_frozen(title="Second", article_id="gone"))
    link = f'href="/corpus/articles/{article.pk}/">Full article</a>'

    assert link in text(researcher.get(f"/corpus/samples/{sample.pk}/0/"))
    assert "Full article" not in text(researcher.get(f"/corpus/samples/{sample.pk}/1/"))


def test_an_instance_is_shown_with_the_backgrounds_as_they_are_now(researcher, corpus):
    instance = corpus.instances.first()
    make_background(corpus.entities.get(name="Karl Moe"), text="Karl Moe was a judge.", url="https://example.org/Moe")

    page = text(researcher.get(f"/corpus/{corpus.pk}/instances/{instance.key}/"))

    assert "Karl Moe was a judge." in page
    assert f"/corpus/{corpus.pk}/instances/{instance.key}/" in text(researcher.get(f"/corpus/{corpus.pk}/instances/"))
    assert researcher.get(f"/corpus/{corpus.pk}/instances/abc/").status_code == 404


def test_nested_mentions_are_nested_on_the_page(researcher, corpus):
    for name in ("University of Arden", "Arden"):
        make_entity(corpus, name, type="organization")
    row = make_instance(corpus, "University of Arden", "Arden", type="organization")
    mentions = [{"entity": 0, "start": 0, "end": 19}, {"entity": 1, "start": 14, "end": 19}]
    type(row).objects.filter(pk=row.pk).update(mentions=mentions)

    page = text(researcher.get(f"/corpus/{corpus.pk}/instances/{row.key}/"))

    inner = '<mark class="entity entity--b" title="Arden"><span class="entity__letter">B</span>Arden</mark></mark>'
    assert f"</span>University of {inner}" in page


def test_the_download_of_instances_keeps_the_filters(researcher, corpus):
    make_instance(corpus, "Arden", "Bree", "Cove", type="location")

    everything = lines(researcher.get(f"/corpus/{corpus.pk}/instances/download/"))
    some = lines(researcher.get(f"/corpus/{corpus.pk}/instances/download/", {"type": "location", "size": "3"}))

    assert len(everything) == 7
    assert [row["entities"] for row in some] == [["Arden", "Bree", "Cove"]]
    assert "?type=location" in text(researcher.get(f"/corpus/{corpus.pk}/instances/", {"type": "location"}))


def test_an_uploaded_file_is_imported_by_a_job(researcher):
    upload = SimpleUploadedFile(
        "i.csv", b"entities,entity_type,context\nIda Lind|Karl Moe,person,Ida Lind met Karl Moe.\n"
    )

    answer = researcher.post("/corpus/samples/import/", {"name": "Mine", "item_kind": "instance", "upload": upload})

    job = Job.objects.get()
    assert (answer.url, job.kind) == (f"/jobs/{job.pk}/", "import_instances")
    import_items(job.parameters, Silent())
    assert Sample.objects.get(name="Mine").size == 1


def test_a_second_import_into_one_sample_waits_and_its_upload_is_not_kept(researcher, tmp_path):
    for _ in range(2):
        answer = researcher.post(
            "/corpus/samples/import/",
            {"name": "Mine", "item_kind": "instance", "upload": SimpleUploadedFile("i.csv", b"x")},
        )

    assert answer.status_code == 422
    assert "working on Mine" in text(answer)
    assert len([*(tmp_path / "uploads").glob("[!.]*")]) == 1  # beside the mark that keeps the folder unread


def test_rows_that_could_not_be_used_are_listed(researcher):
    problems = [{"where": "line 4", "reason": "context: must not be empty"}]
    sample = make_sample_of("Mine", make_frozen(), problems=problems, problem_count=1)

    page = text(researcher.get(f"/corpus/samples/{sample.pk}/"))

    assert "1 row of the last file could not be used" in page
    assert "context: must not be empty" in page


def test_deleting_asks_first(researcher):
    sample = make_sample_of("First", make_frozen())

    assert "Delete First?" in text(researcher.get(f"/corpus/samples/{sample.pk}/delete/"))
    assert Sample.objects.exists()
    answer = researcher.post(f"/corpus/samples/{sample.pk}/delete/", follow=True)
    assert "has been deleted" in text(answer)
    assert not Sample.objects.exists()


def test_an_annotator_draws_imports_and_deletes_nothing(client, corpus):
    client.force_login(make_user("cleo", Role.ANNOTATOR))
    sample = make_sample_of("First", make_frozen())

    for path in (f"/corpus/{corpus.pk}/draw/", "/corpus/samples/import/", f"/corpus/samples/{sample.pk}/delete/"):
        assert client.post(path, {"n": 1, "seed": 0, "name": "x"}).status_code == 403
    draw = {"name": "x", "corpus": corpus.pk, "n": 1}
    assert client.post("/api/v1/samples/", draw, content_type="application/json").status_code == 403
    assert not Job.objects.exists()
    assert Sample.objects.exists()


def test_home_counts_the_samples(researcher):
    make_sample_of("First", make_frozen())

    assert " in samples" in text(researcher.get("/"))


# ---- The API --------------------------------------------------------------------------------------


def test_the_api_lists_samples_and_their_members_as_they_were_frozen(researcher):
    sample = make_sample_of("First", make_frozen(), seed=3)

    (listed,) = researcher.get("/api/v1/samples/").json()["results"]
    members = researcher.get(f"/api/v1/samples/{sample.pk}/instances/").json()

    assert (listed["name"], listed["size"], listed["seed"]) == ("First", 1, 3)
    assert researcher.get(f"/api/v1/samples/{sample.pk}/").json() == listed
    assert members["results"] == [make_frozen().to_json()]


def test_the_api_gives_instances_with_mentions_and_backgrounds(researcher, corpus):
    make_background(corpus.entities.get(name="Ida Lind"))

    page = researcher.get(f"/api/v1/corpora/{corpus.pk}/instances/?page_size=2").json()

    first = page["results"][0]
    assert page["count"] == 6
    assert first["schema"] == 1
    assert first["mentions"][0] == {"entity": 0, "start": 0, "end": 8}
    assert first["backgrounds"][0]["text"] == "Ida Lind is known."
    assert first["backgrounds"][1] is None


def test_the_api_draws_by_a_job(researcher, corpus):
    data = {"name": "First", "corpus": corpus.pk, "n": 2, "seed": 5, "types": ["person"]}

    answer = researcher.post("/api/v1/samples/", data, content_type="application/json")

    assert answer.status_code == 202
    draw_sample(Job.objects.get(pk=answer.json()["id"]).parameters, Silent())
    assert Sample.objects.get().size == 2


@pytest.mark.parametrize(
    ("change", "status"),
    [({"corpus": NO_ROW}, 404), ({"name": "Taken"}, 409), ({"n": 0}, 422), ({"sizes": [9]}, 422), ({"m": 1}, 422)],
)
def test_the_api_refuses_what_cannot_be_drawn(researcher, corpus, change, status):
    make_sample_of("Taken")
    data = {"name": "First", "corpus": corpus.pk, "n": 2} | change

    answer = researcher.post("/api/v1/samples/", data, content_type="application/json")

    assert answer.status_code == status
    assert answer.json()["error"]["message"]
    assert not Job.objects.exists()
