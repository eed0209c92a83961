"""What the commands of this app share: finding a corpus by name, and running a job in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from corpus.models import Corpus, Sample
from corpus.services import corpora
from tesa_site.kernel.management.running import run_job


def corpus_named(name: str) -> Corpus:
    corpus = Corpus.objects.filter(name=name).first()
    if corpus is None:
        known = ", ".join(Corpus.objects.values_list("name", flat=True)) or "none"
        raise CommandError(f"there is no corpus {name!r}; known: {known}")
    return corpus


def sample_named(name: str) -> Sample:
    sample = Sample.objects.filter(name=name).first()
    if sample is None:
        known = ", ".join(Sample.objects.order_by("name").values_list("name", flat=True)) or "none"
        raise CommandError(f"there is no sample {name!r}; known: {known}")
    return sample


def run_on(corpus: Corpus, kind: str, parameters: Mapping[str, Any]) -> str:
    """Run a job on a corpus in this process and return its result; raise CommandError if it fails."""
    return run_job(kind, str(corpus), {"corpus": corpus.pk, **parameters}, lock=corpora.lock_of(corpus))
