"""Makers of archives, and reading them into a corpus."""

from __future__ import annotations

import json
from pathlib import Path

from corpus.jobs import corpora as corpus_jobs
from corpus.models import Corpus
from corpus.services import corpora
from kernel.progress import Silent


def row(number: int, **fields) -> str:
    return json.dumps({"id": f"a{number}", "title": f"Title {number}", "text": "A first line.\n\nAnother."} | fields)


def make_jsonl(path: Path, *lines: str) -> Path:
    path.write_text("".join(line + "\n" for line in lines))
    return path


def read(path: Path, source: str = "jsonl", name: str = "test") -> Corpus:
    corpus = corpora.open_corpus(name, source=source, path=str(path), by=None)
    corpus_jobs.ingest({"corpus": corpus.pk}, Silent())
    return corpus
