"""What the commands of this app share: finding a corpus by name, and running a job in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.models import Corpus, Sample
from corpus.services import corpora
from kernel.management.running import row_named, run_job


def corpus_named(name: str) -> Corpus:
    return row_named(Corpus.objects.all(), name, "corpus")


def sample_named(name: str) -> Sample:
    return row_named(Sample.objects.all(), name, "sample")


def run_on(corpus: Corpus, kind: str, parameters: Mapping[str, Any]) -> str:
    """Run a job on a corpus in this process and return its result; raise CommandError if it fails."""
    return run_job(kind, str(corpus), {"corpus": corpus.pk, **parameters}, lock=corpora.lock_of(corpus))
