"""The corpus pages and their part of the API."""

from __future__ import annotations

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from corpus.jobs import corpora as corpus_jobs
from corpus.models import Corpus
from corpus.services import corpora
from kernel.models import Job
from kernel.progress import Silent
from tests.make import make_user, make_worker
from tests.pages import shown
from tests.product import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
DEMO = ROOT / "corpus" / "demo" / "nitf"


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.CORPUS_FOLDER = tmp_path


@pytest.fixture
def researcher(client):
    client.force_login(make_user("ben"))
    return client


@pytest.fixture
def demo():
    corpus = corpora.open_corpus("Demo", source="nitf", path=str(DEMO), by=None)
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())
    return corpus


def test_an_empty_list_says_what_to_do(researcher):
    page = shown(researcher.get("/corpus/"))

    assert "No corpus yet" in page
    assert "/corpus/new/" in page


@pytest.mark.parametrize(("typed", "kept"), [("2", 2), ("1", 1), ("7", None), ("", None)])
def test_the_page_asks_for_contexts_of_at_least_two_sentences(researcher, demo, typed, kept):
    assert "At least two sentences" in shown(researcher.get(f"/corpus/{demo.pk}/"))

    researcher.post(f"/corpus/{demo.pk}/find/", {"min_sentences": typed})

    assert Job.objects.get().parameters.get("min_sentences") == kept


def test_an_archive_on_the_server_is_read_by_a_job(researcher, tmp_path):
    (tmp_path / "news.jsonl").write_text('{"id": "1", "title": "T", "text": "A text."}\n')

    answer = researcher.post("/corpus/new/", {"name": "News", "source": "jsonl", "path": "news.jsonl"})

    job = Job.objects.get()
    assert (answer.url, job.kind, job.queue, job.subject) == (f"/jobs/{job.pk}/", "ingest", "corpus", "News")


def test_an_upload_is_kept_and_read(researcher, tmp_path):
    upload = SimpleUploadedFile("../../my news.jsonl", b'{"id": "1", "title": "T", "text": "A text."}\n')

    researcher.post("/corpus/new/", {"name": "News", "source": "jsonl", "upload": upload})

    corpus = Corpus.objects.get()
    assert corpus.path.startswith(str(tmp_path / "uploads"))
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())
    assert corpus.articles.get().title == "T"


def test_a_refused_upload_is_not_kept(researcher, demo, tmp_path):
    upload = SimpleUploadedFile("新" * 60 + ".jsonl", b"{}")

    answer = researcher.post("/corpus/new/", {"name": "Demo", "source": "jsonl", "upload": upload})

    assert answer.status_code == 422
    assert not [*(tmp_path / "uploads").glob("[!.]*")]  # beside the mark that keeps the folder unread


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"path": "nothing"}, "there is no"),
        ({}, "but not both"),
        ({"path": "x", "upload": io.BytesIO(b"x")}, "but not both"),
        ({"path": "../.."}, "is outside the folder"),
        ({"path": "x", "name": ""}, "This field is required"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(researcher, fields, sentence):
    answer = researcher.post("/corpus/new/", {"name": "News", "source": "nitf"} | fields)

    assert answer.status_code == 422
    assert sentence in shown(answer)
    assert not Job.objects.exists()


def test_the_form_warns_while_nobody_would_read(researcher):
    assert "No worker takes jobs from corpus" in shown(researcher.get("/corpus/new/"))

    make_worker(queues=("corpus",))
    assert "No worker takes jobs" not in shown(researcher.get("/corpus/new/"))


def test_a_corpus_shows_its_articles_and_finds_them_by_title(researcher, demo):
    article = demo.articles.first()

    assert "68" in shown(researcher.get(f"/corpus/{demo.pk}/"))
    page = shown(researcher.get(f"/corpus/{demo.pk}/articles/", {"words": article.title[:12]}))
    assert f"/corpus/articles/{article.pk}/" in page
    assert "No article has these words" in shown(researcher.get(f"/corpus/{demo.pk}/articles/", {"words": "zzzz"}))


def test_the_lists_of_a_corpus_download_as_they_are_shown(researcher, demo):
    def lines(address: str) -> list[str]:
        return b"".join(researcher.get(f"/corpus/{demo.pk}/{address}bom=no")).decode().splitlines()

    articles = lines("articles/articles.csv?words=ferry&")
    assert articles[0] == '"source_id","title","published","byline","desk"'
    assert len(articles) == 1 + demo.articles.filter(title__icontains="ferry").count() > 1
    assert lines("entities/entities.csv?type=person&") == ['"key","name","type","full_names","articles","instances"']
    fields = '"key","type","size","kind","entities","article","title","passage","names_from"'
    assert lines("instances/instances.csv?") == [fields]


def test_every_article_of_the_demo_can_be_read(researcher, demo):
    for article in demo.articles.all():
        answer = researcher.get(f"/corpus/articles/{article.pk}/")
        assert answer.status_code == 200
        assert "Publisher’s index" in shown(answer)


def test_before_deleting_one_is_told_what_goes_and_what_stays(researcher, demo, tmp_path):
    upload = SimpleUploadedFile("news.jsonl", b'{"id": "1", "title": "T", "text": "A text."}\n')
    researcher.post("/corpus/new/", {"name": "News", "source": "jsonl", "upload": upload})
    uploaded = Corpus.objects.get(name="News")

    assert "68 articles, entities, corrections" in shown(page := researcher.get(f"/corpus/{demo.pk}/delete/"))
    assert "The archive itself stays" in shown(page)
    assert "The uploaded archive is deleted too" in shown(researcher.get(f"/corpus/{uploaded.pk}/delete/"))


def test_deleting_needs_the_name_typed(researcher, demo):
    answer = researcher.post(f"/corpus/{demo.pk}/delete/", {"name": "demo?"})
    assert "nothing was deleted" in shown(answer)
    assert not Job.objects.exists()

    researcher.post(f"/corpus/{demo.pk}/delete/", {"name": "Demo"})
    assert Job.objects.get().kind == "delete_corpus"


def test_reading_again_is_refused_while_the_corpus_is_being_read(researcher, demo):
    researcher.post(f"/corpus/{demo.pk}/read/")

    answer = researcher.post(f"/corpus/{demo.pk}/read/")

    assert answer.status_code == 409
    assert "working on Demo" in shown(answer)


def test_problems_are_listed_with_their_place(researcher, tmp_path):
    (tmp_path / "news.jsonl").write_text('{\n{"id": "1", "title": "T", "text": "A text."}\n')
    corpus = corpora.open_corpus("News", source="jsonl", path=str(tmp_path / "news.jsonl"), by=None)
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())

    assert "news.jsonl:1" in shown(researcher.get(f"/corpus/{corpus.pk}/problems/"))


def test_home_counts_the_articles(researcher, demo):
    assert 'tile__figure">68<' in shown(researcher.get("/"))


def test_the_api_lists_corpora_and_articles(researcher, demo):
    corpus = researcher.get("/api/v1/corpora/").json()["results"][0]
    page = researcher.get(f"/api/v1/corpora/{corpus['id']}/articles/?page_size=5").json()
    article = researcher.get(f"/api/v1/articles/{page['results'][0]['id']}/").json()

    assert (corpus["name"], corpus["articles"], page["count"]) == ("Demo", 68, 68)
    assert article == page["results"][0]
    assert set(article["tags"][0]) == {"text", "type", "origin"}
