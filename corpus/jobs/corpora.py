"""Jobs on a corpus: reading its archive, finding instances, looking up backgrounds, deleting it.

Reading and finding hand their work to several processes. Every job may be stopped at any point and run again.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from django.urls import reverse

from corpus.entities import EntityIndex
from corpus.jobs.pool import work_here, work_in_processes
from corpus.models import Article, Corpus, ReadProblem
from corpus.selectors.corpora import finished_unit_keys, last_min_sentences
from corpus.selectors.corrections import last_correction_id
from corpus.selectors.finding import names_setting
from corpus.services import backgrounds, corpora, finding, reading, recognizing, titles, uploads
from corpus.sources import SOURCES
from corpus.sources.sizes import unit_bytes
from kernel.errors import InvalidInput
from kernel.job_kind import JobKind, JobResult
from kernel.models import User
from kernel.progress import Progress
from kernel.values import counted

WORTH_A_POOL = 3  # units, or ranges of articles; fewer are done in this process
MOST_LOGGED = 20
MB = 2**20


def ingest(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Read the units of the archive that have not been read yet.

    If it fails before it has stored an article, the corpus is deleted.
    """
    corpus = corpora.corpus_of_job(parameters)
    try:
        return _read(corpus, parameters, progress)
    except InvalidInput as error:
        by = User.objects.filter(pk=parameters.get("by") or 0).first()
        if not corpora.delete_corpus_without_articles(corpus, by=by):
            raise
        raise InvalidInput(f"{error.message.rstrip('.')}. No corpus was created.") from error


def _read(corpus: Corpus, parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    progress.report(0, None, "Listing the archive")
    units = list(SOURCES[corpus.source].units(Path(corpus.path)))
    sizes = {unit: unit_bytes(unit) for unit in units}
    keys = {unit: reading.unit_key(unit, size) for unit, size in sizes.items()}
    reading.delete_units_except(corpus, {*keys.values()})
    read_before = finished_unit_keys(corpus)
    unread = [unit for unit in units if keys[unit] not in read_before]
    if len(unread) < len(units):
        progress.log(f"{len(units) - len(unread):,} of {len(units):,} units were read before: skipped")
    counts, total = reading.UnitCounts(), sum(sizes.values())
    before = total - sum(sizes[unit] for unit in unread)

    def report(articles: int, read: int = 0) -> None:
        read += before
        step = f"{articles:,} articles, {read / MB:,.1f} of {total / MB:,.1f} MB read"
        progress.report(_kilobytes(read), _kilobytes(total), step)

    work = work_in_processes if len(unread) >= WORTH_A_POOL else work_here
    for unit_counts in work("corpus.services.reading:read_unit", corpus.pk, unread, report):
        counts += unit_counts
    progress.report(_kilobytes(total), _kilobytes(total), counts.sentence())
    if not corpus.articles.exists():
        raise InvalidInput(_why_nothing_was_read(corpus, progress))
    is_worth_a_search = bool(parameters.get("find")) and (counts.added or not hasattr(corpus, "finding"))
    sample = {"sample": parameters["sample"]} if "sample" in parameters else {}
    then = ("find_instances", {"corpus": corpus.pk, "dump": parameters.get("dump", ""), **sample})
    return JobResult(counts.sentence(), reverse("corpus", args=[corpus.pk]), then if is_worth_a_search else None)


def _why_nothing_was_read(corpus: Corpus, progress: Progress) -> str:
    """Return why no article was read, and log the first problems: the corpus is about to be deleted with its list."""
    rows = ReadProblem.objects.filter(unit__corpus=corpus).order_by("pk")[:MOST_LOGGED]
    problems = [uploads.without_upload_folder(str(row)) for row in rows]
    for problem in problems:
        progress.log(problem)
    if not problems:
        return f"It contains no article (read as {corpus.source})."
    return f"Nothing could be read as {corpus.source}; first problem: {problems[0]}"


def _kilobytes(number: int) -> int:
    return -(-number // 2**10)


def find_instances(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Find entities, mentions and instances in two passes. With the same seed a second run finds the same.

    Without `min_sentences`, the value of the last search is used.
    """
    corpus, seed = corpora.corpus_of_job(parameters), int(parameters.get("seed", 0))
    min_sentences = int(parameters.get("min_sentences") or last_min_sentences(corpus))
    setting = names_setting(corpus)
    recognizing.check_pipeline(corpus, setting)
    ranges = finding.id_ranges(corpus)
    articles = Article.objects.filter(corpus=corpus).count()
    work = work_in_processes if len(ranges) >= WORTH_A_POOL else work_here

    def report_first_pass(done: int) -> None:
        progress.report(done, 2 * articles, f"Reading names: {done:,} of {articles:,} articles")

    index = EntityIndex()
    for part in work("corpus.services.finding:index_articles", (corpus.pk, setting), ranges, report_first_pass):
        index.update(part)
    last_correction = last_correction_id(corpus)  # later corrections wait for the next search
    table = finding.store_entities(corpus, index, lambda step: progress.report(articles, 2 * articles, step))

    def report_second_pass(done: int) -> None:
        progress.report(articles + done, 2 * articles, f"Finding instances: {done:,} of {articles:,} articles")

    counts = finding.Counts()
    argument = (corpus.pk, setting, seed, min_sentences)
    for range_counts in work("corpus.services.finding:find_in_articles", argument, ranges, report_second_pass):
        counts += range_counts
    funnel = finding.store_finding(
        corpus,
        seed=seed,
        table=table,
        counts=counts,
        setting=setting,
        min_sentences=min_sentences,
        last_correction=last_correction,
    )
    dump, sample = parameters.get("dump"), {"sample": parameters["sample"]} if "sample" in parameters else {}
    then = ("find_backgrounds", {"corpus": corpus.pk, "source": "dump", "path": dump, **sample}) if dump else None
    instances, groups = counted(funnel.instances, "instance"), counted(funnel.groups, "group")
    text = f"{instances} in {groups}, from {counted(funnel.entities, 'entity', 'entities')}."
    return JobResult(text, reverse("corpus", args=[corpus.pk]), then)


def find_backgrounds(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Look up the entities that have no background yet, and keep the titles for look-ups."""
    corpus = corpora.corpus_of_job(parameters)
    progress.report(0, None, "Opening the source")
    with closing(backgrounds.open_source(parameters["source"], parameters.get("path", ""), progress)) as source:
        again = bool(parameters.get("again"))
        statuses = backgrounds.look_up_backgrounds(corpus, source, again=again, report=progress.report)
    if parameters["source"] == "dump":
        titles.load_small_dump(Path(parameters["path"]), progress)
    titles.load_backgrounds(corpus)
    sample = parameters.get("sample")  # the demo draws one as soon as there are backgrounds
    then = ("draw_sample", {"corpus": corpus.pk, **sample}) if sample else None
    return JobResult(backgrounds.look_up_sentence(statuses), reverse("corpus", args=[corpus.pk]), then)


def delete_corpus(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Delete corpus in small steps, so that others do not have to wait for the database."""
    corpus = Corpus.objects.filter(pk=parameters["corpus"]).first()
    if corpus is None:
        return JobResult("It had already been deleted.")
    articles, done = Article.objects.filter(corpus=corpus).count(), 0
    while deleted := corpora.delete_chunk(corpus):
        done += deleted
        progress.report(min(done, articles), articles, f"{counted(done, 'row')} deleted")
    by = User.objects.filter(pk=parameters.get("by") or 0).first()
    uploads.delete_upload(corpus.path, of=corpus)
    corpora.delete_corpus(corpus, by=by, articles=articles)
    return JobResult(f"{corpus} and its {counted(articles, 'article')} have been deleted.")


INGEST = JobKind(label="Import articles", queue="corpus", run=ingest, repeatable=True, permission="corpus.add_corpus")
FIND_INSTANCES = JobKind(
    label="Find instances", queue="corpus", run=find_instances, repeatable=True, permission="corpus.add_corpus"
)
FIND_BACKGROUNDS = JobKind(
    label="Look up backgrounds",
    queue="corpus",
    run=find_backgrounds,
    repeatable=True,
    permission="corpus.add_background",
)
DELETE_CORPUS = JobKind(
    label="Delete corpus", queue="corpus", run=delete_corpus, repeatable=True, permission="corpus.delete_corpus"
)
