"""Reading an archive again after something in it has changed."""

from __future__ import annotations

import gzip
import shutil
import zipfile
from pathlib import Path

import pytest

from corpus.jobs import ingest
from corpus.models import ReadProblem, ReadUnit
from tesa_site.kernel.progress import Silent
from tests.corpus.archives import make_jsonl, read, row

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_mended_row_is_read_by_the_next_reading(tmp_path):
    path = make_jsonl(tmp_path / "news.jsonl", row(1), "{broken")
    corpus = read(path)
    make_jsonl(path, row(1), row(2))

    ingest.ingest({"corpus": corpus.pk}, Silent())

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
    ingest.ingest({"corpus": corpus.pk}, Silent())
    assert ReadUnit.objects.get().read_at == read_at  # nothing has changed

    write("One, edited.", "Two.", "Three.")
    ingest.ingest({"corpus": corpus.pk}, Silent())

    assert corpus.articles.count() == 3
    assert "taken by another text" in ReadProblem.objects.get().reason
