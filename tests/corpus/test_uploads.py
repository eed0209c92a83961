"""Uploads belong to what they were sent for: nothing else reads them, and nothing else takes them away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from corpus.jobs.corpora import delete_corpus, ingest
from corpus.jobs.samples import import_items
from corpus.models import Corpus, ReadProblem, ReadUnit
from corpus.services import corpora, uploads
from corpus.sources import SOURCES
from corpus.sources.files import KEEP_OUT
from kernel.errors import InvalidInput
from kernel.models import Job
from kernel.progress import Silent
from tests.corpus.frozen_instances import make_frozen
from tests.make import make_article, make_corpus, make_user
from tests.pages import shown

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _folder(settings, tmp_path):
    settings.CORPUS_FOLDER = tmp_path


@pytest.fixture
def upload() -> Path:
    """A file of instances that a corpus was made of, as it happens."""
    content = json.dumps(make_frozen().to_json()).encode()
    return Path(uploads.store_upload(SimpleUploadedFile("news.jsonl", content)))


def open_corpus(name: str, path: Path) -> Corpus:
    return corpora.open_corpus(name, source="jsonl", path=str(path), by=None)


@pytest.mark.parametrize("typed", ["uploads", "uploads/{name}", "x/../uploads/{name}", "link/{name}"])
def test_nobody_names_an_upload_on_a_page_or_through_the_api(client, upload, tmp_path, typed):
    (tmp_path / "link").symlink_to(tmp_path / "uploads")
    (tmp_path / "x").mkdir()
    client.force_login(make_user("ben"))

    with pytest.raises(InvalidInput, match="is an upload"):
        corpora.path_on_server(typed.format(name=upload.name))
    data = {"name": "Mine", "path": typed.format(name=upload.name)}
    answer = client.post("/api/v1/samples/import/", data, content_type="application/json")

    assert answer.status_code == 404
    assert not Job.objects.exists()


@pytest.mark.parametrize("source", ["jsonl", "text", "nitf", "reuters21578"])
@pytest.mark.parametrize("typed", ["", ".", "/", "uploads/.."])
def test_nobody_reads_an_upload_by_naming_the_folder_above_it(upload, tmp_path, source, typed):
    suffix = {"jsonl": "jsonl", "text": "txt", "nitf": "xml", "reuters21578": "sgm"}[source]
    for name in ("mine", "news/mine", "uploads/theirs"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.{suffix}").write_text("{}")
    (upload.parent / KEEP_OUT).unlink(missing_ok=True)  # as an earlier version left it

    units = SOURCES[source].units(Path(corpora.path_on_server(typed)))

    paths = [str(unit.path / name) for unit in units for name in unit.names or ("",)]
    assert len(paths) == 2
    assert not [path for path in paths if "uploads" in path]


def test_a_corpus_still_reads_its_own_upload(upload):
    assert [unit.path for unit in SOURCES["jsonl"].units(upload)] == [upload]


def test_what_a_corpus_was_read_from_stays_when_others_that_read_it_go(upload):
    owner, other = open_corpus("Owner", upload), open_corpus("Other", upload)  # the second at the terminal

    import_items({"path": str(upload), "name": "Mine"}, Silent())
    delete_corpus({"corpus": other.pk}, Silent())
    assert upload.exists()

    delete_corpus({"corpus": owner.pk}, Silent())
    assert not upload.exists()


def test_an_upload_of_which_nothing_came_goes_when_its_name_is_given_to_another(upload, tmp_path):
    open_corpus("News", upload)

    open_corpus("News", tmp_path / "better.jsonl")

    assert not upload.exists()


def test_an_upload_stays_while_its_corpus_holds_articles(upload, tmp_path):
    make_article(open_corpus("News", upload))

    with pytest.raises(InvalidInput, match="choose another name"):
        open_corpus("News", tmp_path / "better.jsonl")

    assert upload.exists()


@pytest.mark.parametrize(
    ("source", "name", "supported"),
    [
        ("jsonl", "mine.zip", ".jsonl, .jsonl.gz, .jsonl.bz2 or .jsonl.xz"),
        ("jsonl", "mine.tar.xz", ".jsonl, .jsonl.gz, .jsonl.bz2 or .jsonl.xz"),
        ("jsonl", "mine.jsonl.zst", ".jsonl, .jsonl.gz, .jsonl.bz2 or .jsonl.xz"),
        ("nitf", "mine.tar.zst", ".zip, .tar, .tar.gz, .tar.bz2 or .tar.xz"),
        ("text", "MINE.7Z", ".zip, .tar, .tar.gz, .tar.bz2 or .tar.xz"),
        ("text", "mine.xml.gz", ".zip, .tar, .tar.gz, .tar.bz2 or .tar.xz"),
    ],
)
def test_an_archive_that_is_not_supported_is_refused_before_anything_is_stored(
    client, tmp_path, source, name, supported
):
    client.force_login(make_user("ben"))
    message = f"{name} cannot be read in this format: unpack it first, and send it as"

    sent = {"name": "Mine", "source": source, "upload": SimpleUploadedFile(name, b"PK")}
    page = client.post("/corpus/new/", sent)
    assert page.status_code == 422
    assert message in page.content.decode()
    assert supported in page.content.decode()
    (tmp_path / name).write_bytes(b"PK")
    page = client.post("/corpus/new/", {"name": "Mine", "source": source, "path": name})
    assert message in page.content.decode()
    data = {"name": "Mine", "source": source, "path": name}
    answer = client.post("/api/v1/corpora/", data, content_type="application/json")
    assert (answer.status_code, message in answer.content.decode()) == (422, True)

    assert not Corpus.objects.exists()
    assert not (tmp_path / "uploads").exists()


def test_a_failed_import_of_an_upload_takes_the_upload_away(client, settings):
    client.force_login(make_user("ben"))
    sent = {"name": "Mine", "source": "jsonl", "upload": SimpleUploadedFile("mine.jsonl", b"no JSON\n")}
    client.post("/corpus/new/", sent)
    corpus = Corpus.objects.get()

    with pytest.raises(InvalidInput, match=r"first problem: mine\.jsonl:1: this is not JSON.*No corpus was created"):
        ingest({"corpus": corpus.pk}, Silent())

    assert not Corpus.objects.exists()
    assert not Path(corpus.path).exists()


@pytest.mark.parametrize(
    ("name", "chosen", "source", "label"),
    [
        ("mine.jsonl.gz", "nitf", "jsonl", "JSON lines (your own articles)"),
        ("Mine.SGM", "text", "reuters21578", "Reuters-21578 (its SGML files)"),
        ("mine.txt", "jsonl", "text", "Plain text files"),
    ],
)
def test_a_file_whose_ending_only_one_format_has_is_read_in_it_without_a_second_upload(
    client, name: str, chosen: str, source: str, label: str
):
    client.force_login(make_user("ben"))
    sent = {"name": "Mine", "source": chosen, "upload": SimpleUploadedFile(name, b"One.")}

    answer = client.post("/corpus/new/", sent)

    assert answer.status_code == 302
    assert Corpus.objects.get().source == source
    page = shown(client.get(f"/corpus/{Corpus.objects.get().pk}/"))
    assert f"{name} is read as {label}, because of the ending of its name." in page


def test_a_problem_of_an_upload_is_told_by_the_file_s_own_name(client, settings):
    client.force_login(make_user("ben"))
    kept = f"{settings.CORPUS_FOLDER}/uploads/0123abcd-mine.jsonl"
    corpus = make_corpus(path=kept)
    unit = ReadUnit.objects.create(corpus=corpus, key="1")
    ReadProblem.objects.create(unit=unit, where=f"{kept}:6", reason="this is not JSON")

    page = shown(client.get(f"/corpus/{corpus.pk}/problems/"))

    assert ">mine.jsonl:6<" in page
    assert "correct the file and use it for another corpus" in page
