"""Reading a corpus: units are handed to a few processes, each of which parses and stores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.urls import reverse

from corpus.jobs.pool import work_here, work_in_processes
from corpus.models import Corpus, ReadProblem
from corpus.services import reading
from corpus.sources import SOURCES
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.job_kind import JobKind, Outcome
from tesa_site.kernel.progress import Progress

WORTH_A_POOL = 3  # units


def ingest(parameters: Mapping[str, Any], progress: Progress) -> Outcome:
    """Read what has not been read of a corpus. Safe to stop and start again: finished units are skipped."""
    corpus = Corpus.objects.get(pk=parameters["corpus"])
    progress.report(0, None, "Listing the archive")
    units = list(SOURCES[corpus.source].units(Path(corpus.path)))
    reading.forget_units_besides(corpus, units)
    read_before = reading.done_unit_keys(corpus)
    unread = [unit for unit in units if reading.unit_key(unit) not in read_before]
    done = len(units) - len(unread)
    if done:
        progress.log(f"{done:,} of {len(units):,} units were read before: skipped")
    counts = reading.UnitCounts()

    def look(articles: int) -> None:
        progress.report(done, len(units), f"{articles:,} articles read")

    work = work_in_processes if len(unread) >= WORTH_A_POOL else work_here
    for found in work("corpus.services.reading:read_unit", corpus.pk, unread, look):
        done += 1
        counts += found
    progress.report(done, len(units), counts.tell())
    if counts.problems and not corpus.articles.exists():
        first = ReadProblem.objects.filter(unit__corpus=corpus).first()
        raise InvalidInput(f"Nothing of it could be read as {corpus.source}; first problem: {first}")
    is_worth_a_search = bool(parameters.get("find")) and (counts.added or not hasattr(corpus, "finding"))
    then = ("find_instances", {"corpus": corpus.pk, "dump": parameters.get("dump", "")})
    return Outcome(counts.tell(), reverse("corpus", args=[corpus.pk]), then if is_worth_a_search else None)


INGEST = JobKind(label="Read a corpus", queue="corpus", run=ingest, permission="corpus.add_corpus")
