"""Reading a corpus: units are handed to a few processes, each of which parses and stores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.urls import reverse

from corpus.jobs.pool import work_here, work_in_processes
from corpus.models import Corpus, ReadProblem
from corpus.services import corpora, reading, uploads
from corpus.sources import SOURCES
from corpus.sources.sizes import unit_bytes
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.job_kind import JobKind, Outcome
from tesa_site.kernel.models import User
from tesa_site.kernel.progress import Progress

WORTH_A_POOL = 3  # units
MOST_LOGGED = 20
MB = 2**20


def ingest(parameters: Mapping[str, Any], progress: Progress) -> Outcome:
    """Read what has not been read of a corpus. Safe to stop and start again: finished units are skipped.

    A reading that fails before it has stored an article leaves no corpus behind.
    """
    corpus = corpora.corpus_of(parameters)
    try:
        return _read(corpus, parameters, progress)
    except InvalidInput as error:
        by = User.objects.filter(pk=parameters.get("by") or 0).first()
        if not corpora.forget_unread(corpus, by=by):
            raise
        raise InvalidInput(f"{error.message.rstrip('.')}. No corpus was made.") from error


def _read(corpus: Corpus, parameters: Mapping[str, Any], progress: Progress) -> Outcome:
    progress.report(0, None, "Listing the archive")
    units = list(SOURCES[corpus.source].units(Path(corpus.path)))
    sizes = {unit: unit_bytes(unit) for unit in units}
    keys = {unit: reading.unit_key(unit, size) for unit, size in sizes.items()}
    reading.forget_units_besides(corpus, {*keys.values()})
    read_before = reading.done_unit_keys(corpus)
    unread = [unit for unit in units if keys[unit] not in read_before]
    if len(unread) < len(units):
        progress.log(f"{len(units) - len(unread):,} of {len(units):,} units were read before: skipped")
    counts, total = reading.UnitCounts(), sum(sizes.values())
    before = total - sum(sizes[unit] for unit in unread)

    def look(articles: int, read: int = 0) -> None:
        read += before
        step = f"{articles:,} articles, {read / MB:,.1f} of {total / MB:,.1f} MB read"
        progress.report(_kilobytes(read), _kilobytes(total), step)

    work = work_in_processes if len(unread) >= WORTH_A_POOL else work_here
    for found in work("corpus.services.reading:read_unit", corpus.pk, unread, look):
        counts += found
    progress.report(_kilobytes(total), _kilobytes(total), counts.tell())
    if not corpus.articles.exists():
        raise InvalidInput(_why_nothing(corpus, progress))
    is_worth_a_search = bool(parameters.get("find")) and (counts.added or not hasattr(corpus, "finding"))
    sample = {"sample": parameters["sample"]} if "sample" in parameters else {}
    then = ("find_instances", {"corpus": corpus.pk, "dump": parameters.get("dump", ""), **sample})
    return Outcome(counts.tell(), reverse("corpus", args=[corpus.pk]), then if is_worth_a_search else None)


def _why_nothing(corpus: Corpus, progress: Progress) -> str:
    """Return why no article was read, and put the first problems into the job's log: the corpus's own list will go."""
    problems = ReadProblem.objects.filter(unit__corpus=corpus)
    for problem in problems[:MOST_LOGGED]:
        progress.log(f"{uploads.shown(problem.where)}: {problem.reason}")
    first = problems.first()
    if first is None:
        return f"There is no article in it (read as {corpus.source})."
    return (
        f"Nothing of it could be read as {corpus.source}; first problem: {uploads.shown(first.where)}: {first.reason}"
    )


def _kilobytes(number: int) -> int:
    return -(-number // 2**10)


INGEST = JobKind(label="Read a corpus", queue="corpus", run=ingest, permission="corpus.add_corpus")
