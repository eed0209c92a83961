"""What the corpus's commands share: finding the corpus by name, and running a job on it here, with a progress bar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from corpus.models import Corpus
from corpus.services import corpora
from tesa_site.kernel import jobs
from tesa_site.kernel.services import jobs as job_services
from tesa_site.management.terminal import at_terminal

STOPPED = "stopped; run the same command again to go on"


def corpus_named(name: str) -> Corpus:
    corpus = Corpus.objects.filter(name=name).first()
    if corpus is None:
        known = ", ".join(Corpus.objects.values_list("name", flat=True)) or "none"
        raise CommandError(f"there is no corpus {name!r}; known: {known}")
    return corpus


def run_on(corpus: Corpus, kind: str, parameters: Mapping[str, Any]) -> str:
    """Run a job on a corpus in this process; return its result, or stop with its error."""
    given = {"corpus": corpus.pk, **parameters}
    with at_terminal(stopped=STOPPED) as progress:
        job_services.sweep_killed_commands()
        lock = corpora.lock_of(corpus)
        job = jobs.run_here(kind, subject=str(corpus), parameters=given, beside=progress, lock=lock)
    if job.status != "succeeded":
        raise CommandError(job.error or STOPPED, returncode=1 if job.error else 130)
    return f"{corpus}: {job.result}"
