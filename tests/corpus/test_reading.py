"""Reading archives into the database: twice, broken, interrupted."""

from __future__ import annotations

import gzip
import os

import pytest
from django.core.management import CommandError, call_command
from django.db.models.signals import pre_save

from corpus.jobs import corpora as corpus_jobs
from corpus.jobs.corpora import FIND_BACKGROUNDS, FIND_INSTANCES, INGEST, delete_corpus
from corpus.jobs.samples import DRAW_SAMPLE
from corpus.models import Article, Corpus, Finding, ReadProblem, ReadUnit
from corpus.selectors.corpora import problems_of, reading_counts
from corpus.services import corpora, reading
from corpus.sources import SOURCES
from kernel import jobs
from kernel.errors import Cancelled, InvalidInput, WrongState
from kernel.models import AuditEntry, Job
from kernel.progress import Silent
from tests.corpus.archives import make_jsonl, read, row
from tests.make import make_job, make_user
from tests.product import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
DEMO = ROOT / "corpus" / "demo" / "nitf"


def test_an_archive_is_read_and_a_second_reading_adds_nothing():
    corpus = read(DEMO, "nitf")
    first = list(corpus.articles.values_list("source_id", "content_hash"))

    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())

    assert len(first) == 68
    assert list(corpus.articles.values_list("source_id", "content_hash")) == first
    article = corpus.articles.exclude(abstract="").first()
    assert article.title
    assert len(article.paragraphs) > 2


def test_a_stored_article_is_what_the_source_delivered():
    from corpus.sources import SOURCES
    from corpus.sources.base import read_all

    corpus = read(DEMO, "nitf")
    delivered = {article.source_id: article for article in read_all(SOURCES["nitf"], DEMO)}

    for stored in corpus.articles.all():
        source = delivered[stored.source_id]
        assert stored.content_hash == source.content_hash()
        assert tuple(stored.paragraphs) == source.paragraphs
        assert [(t["text"], t["type"], t["origin"]) for t in stored.tags] == [
            (t.text, t.type, t.origin) for t in source.tags
        ]


def test_a_broken_row_is_listed_and_the_rest_is_read(tmp_path):
    path = make_jsonl(tmp_path / "news.jsonl", row(1), "{broken", row(2), row(3, text=7))

    corpus = read(path)

    assert sorted(corpus.articles.values_list("source_id", flat=True)) == ["a1", "a2"]
    assert [problem.where for problem in problems_of(corpus)] == [f"{path}:2", f"{path}:4"]
    assert reading_counts(corpus).problems == 2


def test_an_id_used_twice_keeps_the_first_text_and_tells_of_the_second(tmp_path):
    path = make_jsonl(tmp_path / "news.jsonl", row(1), row(1), row(1, text="Quite another text."))

    corpus = read(path)

    assert corpus.articles.get().paragraphs == ["A first line.", "Another."]
    assert "already belongs to another text" in ReadProblem.objects.get().reason
    unit = ReadUnit.objects.get()
    assert (unit.added, unit.known, unit.problems) == (1, 1, 1)


def test_an_endless_id_is_refused(tmp_path):
    corpus = read(make_jsonl(tmp_path / "news.jsonl", row(1, id="x" * 301), row(2)))

    assert corpus.articles.count() == 1
    assert "more than 300 characters" in ReadProblem.objects.get().reason


def test_a_flood_of_problems_is_counted_but_not_kept_whole(tmp_path):
    corpus = read(make_jsonl(tmp_path / "news.jsonl", row(1), *["{"] * 1000))

    assert reading_counts(corpus).problems == 1000
    assert ReadProblem.objects.count() == reading.MOST_PROBLEMS


def test_a_unit_interrupted_half_way_is_completed_by_the_next_reading(tmp_path):
    path = make_jsonl(tmp_path / "news.jsonl", *(row(number) for number in range(120)))

    def interrupt(**_: object) -> None:
        raise KeyboardInterrupt

    pre_save.connect(interrupt, sender=ReadUnit)
    try:
        with pytest.raises(KeyboardInterrupt):
            read(path)
    finally:
        pre_save.disconnect(interrupt, sender=ReadUnit)
    assert (Article.objects.count(), ReadUnit.objects.count()) == (120, 0)

    read(path)

    unit = ReadUnit.objects.get()
    assert (Article.objects.count(), unit.added, unit.known) == (120, 0, 120)


def test_reading_is_cancelled_at_the_next_report(tmp_path):
    class Impatient(Silent):
        def report(self, done, total=None, step=None):
            if step and "articles" in step:
                raise Cancelled("enough")

    path = make_jsonl(tmp_path / "news.jsonl", *(row(number) for number in range(200)))
    corpus = corpora.open_corpus("test", source="jsonl", path=str(path), by=None)

    with pytest.raises(Cancelled):
        corpus_jobs.ingest({"corpus": corpus.pk}, Impatient())
    assert 0 < Article.objects.count() < 200


class Bar(Silent):
    def __init__(self):
        self.percents: list[int] = []

    def report(self, done, total=None, step=None):
        if total:
            assert 0 <= done <= total
            self.percents.append(100 * done // total)


@pytest.mark.parametrize("name", ["news.jsonl", "news.jsonl.gz"])
def test_the_bar_moves_while_one_unit_is_read(tmp_path, name):
    lines = "".join(row(number, text="A long line. " * 100) + "\n" for number in range(400))
    path, bar = tmp_path / name, Bar()
    path.write_bytes(gzip.compress(lines.encode()) if name.endswith(".gz") else lines.encode())
    corpus = corpora.open_corpus("test", source="jsonl", path=str(path), by=None)

    corpus_jobs.ingest({"corpus": corpus.pk}, bar)

    assert len(list(SOURCES["jsonl"].units(path))) == 1
    assert bar.percents == sorted(bar.percents)
    assert len(set(bar.percents)) >= 8
    assert bar.percents[-1] == 100
    assert bar.percents[3] in range(45, 56)  # four of eight transactions


def test_a_deleted_corpus_leaves_no_link_to_it(tmp_path):
    corpus = corpora.open_corpus("test", source="jsonl", path=str(make_jsonl(tmp_path / "a.jsonl", row(1))), by=None)
    gone = make_job(status="succeeded", result_url=f"/corpus/{corpus.pk}/")
    other = make_job(status="succeeded", result_url=f"/corpus/{corpus.pk}1/")

    delete_corpus({"corpus": corpus.pk}, Silent())

    gone.refresh_from_db()
    other.refresh_from_db()
    assert (gone.result_url, other.result_url) == ("", f"/corpus/{corpus.pk}1/")


@pytest.mark.parametrize("kind", [INGEST, FIND_INSTANCES, FIND_BACKGROUNDS, DRAW_SAMPLE], ids=lambda kind: kind.label)
def test_a_job_on_a_corpus_that_was_deleted_since_says_so(kind):
    with pytest.raises(InvalidInput, match="the corpus has been deleted"):
        kind.run({"corpus": 404}, Silent())


def test_a_name_belongs_to_one_archive(tmp_path):
    read(make_jsonl(tmp_path / "one.jsonl", row(1)))

    with pytest.raises(InvalidInput, match="choose another name"):
        read(make_jsonl(tmp_path / "two.jsonl", row(2)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no JSON at all\n", "Nothing could be read as jsonl"),
        ("\n\n", "It contains no article"),
        ("", "empty"),
    ],
)
def test_an_import_of_which_nothing_could_be_read_leaves_no_corpus(tmp_path, content, message):
    (tmp_path / "bad.jsonl").write_text(content)

    with pytest.raises(InvalidInput, match=rf"{message}.*\. No corpus was created\."):
        read(tmp_path / "bad.jsonl")

    assert (Corpus.objects.count(), ReadUnit.objects.count(), ReadProblem.objects.count()) == (0, 0, 0)
    assert [entry.action for entry in AuditEntry.objects.order_by("pk")] == ["create corpus", "delete corpus"]


def test_the_job_of_a_failed_import_says_what_could_not_be_read(tmp_path):
    lines = [f"no JSON {number}" for number in range(30)]
    corpus = corpora.open_corpus("bad", source="jsonl", path=str(make_jsonl(tmp_path / "bad.jsonl", *lines)), by=None)

    job = jobs.run_here("ingest", subject="bad", parameters={"corpus": corpus.pk}, beside=Silent())

    assert job.status == "failed"
    assert job.error.endswith("No corpus was created.")
    assert job.log_lines.count() == corpus_jobs.MOST_LOGGED
    assert "bad.jsonl:1: this is not JSON" in job.log_lines.first().text


def test_a_second_reading_that_fails_keeps_what_the_first_one_read(tmp_path):
    path = make_jsonl(tmp_path / "news.jsonl", row(1))
    corpus = read(path)
    path.unlink()

    with pytest.raises(InvalidInput, match="this path cannot be read"):
        corpus_jobs.ingest({"corpus": corpus.pk}, Silent())

    assert corpus.articles.count() == 1


def test_a_name_is_free_again_when_nothing_could_be_read(tmp_path):
    (tmp_path / "bad.jsonl").write_text("no JSON at all\n")
    with pytest.raises(InvalidInput, match="Nothing could be read"):
        read(tmp_path / "bad.jsonl")

    read(make_jsonl(tmp_path / "good.jsonl", row(1)))

    assert (Article.objects.count(), ReadProblem.objects.count()) == (1, 0)


def test_a_page_s_path_cannot_leave_the_folder_for_archives(settings, tmp_path):
    settings.CORPUS_FOLDER = tmp_path / "corpora"
    (tmp_path / "corpora").mkdir()
    (tmp_path / "secret").write_text("x")
    (tmp_path / "corpora" / "link").symlink_to(tmp_path / "secret")

    for typed in ("../secret", "link", "a/../../secret"):
        with pytest.raises(InvalidInput, match="is outside|there is no"):  # noqa: RUF043
            corpora.path_on_server(typed)


def test_nothing_else_starts_while_a_job_is_at_work_on_the_corpus(tmp_path):
    ben, corpus = make_user("ben"), read(make_jsonl(tmp_path / "news.jsonl", row(1)))
    corpora.start_job("ingest", corpus, by=ben)

    with pytest.raises(WrongState, match="working on test"):
        corpora.start_job("find_instances", corpus, by=ben)


def test_a_file_name_of_any_bytes_is_read(tmp_path):
    folder = tmp_path / "archive"
    folder.mkdir()
    for name in (b"caf\xe9.txt", b"plain.txt"):
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(b"A title\n\nA text.\n")
    deep = folder
    for _ in range(8):
        deep = deep / ("long" * 40)
    deep.mkdir(parents=True)
    (deep / "far.txt").write_text("A title\n\nAnother text.\n")

    corpus = read(folder, "text")

    assert corpus.articles.count() + ReadProblem.objects.count() == 3
    assert corpus.articles.count() >= 2


def test_an_archive_of_another_format_fails_with_the_first_problem(tmp_path):
    with pytest.raises(InvalidInput, match="Nothing could be read as nitf; first problem: "):
        read(make_jsonl(tmp_path / "news.jsonl", row(1)), "nitf")


def test_reading_nothing_new_starts_no_search(tmp_path):
    corpus = read(make_jsonl(tmp_path / "news.jsonl", row(1)))
    first = corpus_jobs.ingest({"corpus": corpus.pk, "find": True}, Silent())
    Finding.objects.create(corpus=corpus)

    assert first.then is not None
    assert corpus_jobs.ingest({"corpus": corpus.pk, "find": True}, Silent()).then is None


def test_a_path_that_no_disk_could_hold_is_refused(settings, tmp_path):
    settings.CORPUS_FOLDER = tmp_path

    for typed in ("a" * 300, "a\x00b"):
        with pytest.raises(InvalidInput, match="there is no"):
            corpora.path_on_server(typed)
    with pytest.raises(InvalidInput, match="at most 100 characters"):
        corpora.open_corpus("x" * 101, source="jsonl", path="x", by=None)


def test_deleting_a_corpus_takes_everything_below_it_and_nothing_else(tmp_path):
    from corpus.jobs.corpora import delete_corpus

    goes = read(make_jsonl(tmp_path / "one.jsonl", *(row(number) for number in range(1100)), "{"), name="goes")
    stays = read(make_jsonl(tmp_path / "two.jsonl", row(1)), name="stays")

    outcome = delete_corpus({"corpus": goes.pk}, Silent())

    assert outcome.text == "goes and its 1,100 articles have been deleted."
    assert [corpus.name for corpus in Corpus.objects.all()] == ["stays"]
    assert Article.objects.get().corpus == stays
    assert AuditEntry.objects.filter(action="delete corpus", subject_name="goes").exists()
    assert delete_corpus({"corpus": goes.pk}, Silent()).text == "It had already been deleted."


def test_the_command_tells_what_it_read(capsys, tmp_path):
    path = make_jsonl(tmp_path / "news.jsonl", row(1), "{")
    call_command("ingest", "jsonl", str(path), "--name", "mine")

    assert capsys.readouterr().out == "mine: 1 article added, 1 could not be read.\n"
    assert Job.objects.get().status == "succeeded"


def test_the_command_refuses_a_path_that_is_not_there():
    with pytest.raises(CommandError, match="nowhere: no such file"):
        call_command("ingest", "nitf", "/nowhere")
