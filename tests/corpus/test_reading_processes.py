"""Reading archives in several processes, of which one is killed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg2
import pytest

from kernel.databases.sqlite import queue
from tests.corpus.archives import read
from tests.product import ROOT, Product, wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def make_files(folder: Path, number: int) -> Path:
    for n in range(number):
        path = folder / f"{n // 100:03}" / f"{n:05}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Title {n}\n\n" + f"Sentence {n} of a made-up text. " * 40)
    return folder


def ids(product: Product) -> list[str]:
    code = "from corpus.models import Article\nprint(*Article.objects.values_list('source_id', flat=True))"
    return product.python(code).split()


@contextmanager
def writers_waiting(product: Product) -> Iterator[int]:
    """Let every writer of this installation wait; give the number of stored articles.

    Both engines serve waiting writers in their order, so a reading stores a few batches at most between two calls.
    """
    with ExitStack() as stack:
        if url := product.database.url:
            connection: Any = stack.enter_context(closing(psycopg2.connect(url)))
        else:
            file = product.var / "tesa.sqlite3"
            stack.callback(queue.enter(f"{file}-queue").leave)
            connection = stack.enter_context(closing(sqlite3.connect(file)))
        cursor = connection.cursor()
        if url:
            cursor.execute("LOCK TABLE corpus_article IN EXCLUSIVE MODE")
        cursor.execute("SELECT count(*) FROM corpus_article")
        yield int(cursor.fetchone()[0])


@pytest.fixture
def installation(migrated):
    """An installation of its own, without running processes."""
    prepared = Product(like=migrated)
    yield prepared
    prepared.close()


@pytest.mark.processes
def test_kill_9_in_mid_reading_loses_and_doubles_nothing(installation, tmp_path):
    folder = make_files(tmp_path / "archive", 6000)
    command = [sys.executable, "manage.py", "ingest", "text", str(folder)]
    process = subprocess.Popen(
        command, cwd=ROOT, env=installation.environment, start_new_session=True, stderr=subprocess.DEVNULL
    )

    def kill_if_begun() -> bool:
        with writers_waiting(installation) as stored:
            if stored:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            return stored > 0

    wait_for(kill_if_begun, every=0)
    half = ids(installation)

    installation.manage("ingest", "text", str(folder))

    whole = ids(installation)
    assert 0 < len(half) < 6000
    assert (len(whole), len(set(whole))) == (6000, 6000)


@pytest.mark.processes
def test_several_processes_read_what_one_would(installation, tmp_path):
    folder = make_files(tmp_path / "archive", 1200)
    installation.manage("ingest", "text", str(folder))

    corpus = read(folder, "text")

    in_pool = installation.python(
        "from corpus.models import Article\nprint(*sorted(Article.objects.values_list('content_hash', flat=True)))"
    ).split()
    assert in_pool == sorted(corpus.articles.values_list("content_hash", flat=True))
