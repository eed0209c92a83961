"""Reading an archive again after something in it has changed; what is left of one that is gone."""

from __future__ import annotations

import gzip
import shutil
import zipfile
from pathlib import Path

import pytest
from django.test.utils import override_script_prefix
from django.urls import reverse

from corpus.jobs import corpora as corpus_jobs
from corpus.models import ReadProblem, ReadUnit
from corpus.services import corpora, samples
from kernel.models import Job
from kernel.progress import Silent
from tests.corpus.archives import make_jsonl, read, row
from tests.make import make_corpus, make_job, make_sample_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("prefix", ["/", "/tesa/"])
def test_jobs_lead_no_longer_to_what_was_deleted_wherever_the_site_lies(prefix):
    corpus, sample = make_corpus(), make_sample_of("Drawn")
    with override_script_prefix(prefix):
        urls = [reverse("corpus", args=[corpus.pk]), reverse("sample", args=[sample.pk])]
        for url in urls:
            make_job(status="succeeded", result_url=url)

        corpora.delete_corpus(corpus, by=None, articles=0)
        samples.delete_sample(sample, by=None)

    assert all(url.startswith(f"{prefix}corpus/") for url in urls)
    assert [job.result_url for job in Job.objects.all()] == ["", ""]


def test_a_mended_row_is_read_by_the_next_reading(tmp_path):
    path = make_jsonl(tmp_path / "news.jsonl", row(1), "{broken")
    corpus = read(path)
    make_jsonl(path, row(1), row(2))

    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())

    assert corpus.articles.count() == 2
    assert (ReadUnit.objects.get().problems, ReadProblem.objects.count()) == (0, 0)


@pytest.mark.parametrize("name", ["news.jsonl.gz", "news.zip", "news"])
def test_what_came_to_a_file_of_the_same_name_is_read_and_what_was_edited_is_told(tmp_path, name):
    def write(*texts: str) -> Path:
        path = tmp_path / name
        if name == "news.jsonl.gz":
            rows = (row(number, text=text) for number, text in enumerate(texts))
            path.write_bytes(gzip.compress("\n".join(rows).encode()))
        elif name == "news.zip":
            with zipfile.ZipFile(path, "w") as archive:
                for number, text in enumerate(texts):
                    archive.writestr(f"{number}.txt", f"A title\n\n{text}\n")
        else:  # one file of a folder takes the place of another
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
            for number, text in enumerate(texts[:1] + texts[-1:]):
                (path / f"{number and len(texts)}.txt").write_text(f"A title\n\n{text}\n")
        return path

    corpus = read(write("One.", "Two."), "jsonl" if name.endswith(".gz") else "text")
    read_at = ReadUnit.objects.get().read_at
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())
    assert ReadUnit.objects.get().read_at == read_at  # nothing has changed

    write("One, edited.", "Two.", "Three.")
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())

    assert corpus.articles.count() == 3
    assert "already belongs to another text" in ReadProblem.objects.get().reason
