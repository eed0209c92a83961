"""Finding entities and instances in a corpus that has been read: two passes, each in several processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from corpus.entities import EntityIndex
from corpus.jobs.pool import work_here, work_in_processes
from corpus.models import Article
from corpus.services import corpora, corrections, finding, recognizing
from tesa_site.kernel.job_kind import JobKind, Outcome
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import counted

WORTH_A_POOL = 3  # ranges of articles


def find(parameters: Mapping[str, Any], progress: Progress) -> Outcome:
    """Find entities, mentions and instances. Run again, it replaces what it found with the same seed word for word.

    Without `min_sentences` contexts are as long as the last search was asked for.
    """
    corpus, seed = corpora.corpus_of(parameters), int(parameters.get("seed", 0))
    min_sentences = int(parameters.get("min_sentences") or finding.last_min_sentences(corpus))
    recognizing.check_pipeline(corpus)
    ranges = finding.id_ranges(corpus)
    articles = Article.objects.filter(corpus=corpus).count()
    work = work_in_processes if len(ranges) >= WORTH_A_POOL else work_here

    def first_look(done: int) -> None:
        progress.report(done, 2 * articles, f"Reading names: {done:,} of {articles:,} articles")

    index = EntityIndex()
    for part in work("corpus.services.finding:index_articles", corpus.pk, ranges, first_look):
        index.update(part)
    last_correction = corrections.last(corpus)  # what is said from here on waits for the next search
    table = finding.store_entities(corpus, index, lambda step: progress.report(articles, 2 * articles, step))

    def second_look(done: int) -> None:
        progress.report(articles + done, 2 * articles, f"Finding instances: {done:,} of {articles:,} articles")

    counts = finding.Counts()
    argument = (corpus.pk, seed, min_sentences)
    for found in work("corpus.services.finding:find_in_articles", argument, ranges, second_look):
        counts += found
    funnel = finding.store_finding(
        corpus, seed=seed, table=table, counts=counts, min_sentences=min_sentences, last_correction=last_correction
    )
    dump, sample = parameters.get("dump"), {"sample": parameters["sample"]} if "sample" in parameters else {}
    then = ("find_backgrounds", {"corpus": corpus.pk, "source": "dump", "path": dump, **sample}) if dump else None
    found, groups = counted(funnel.instances, "instance"), counted(funnel.groups, "group")
    text = f"{found} in {groups}, from {counted(funnel.entities, 'entity', 'entities')}."
    return Outcome(text, reverse("corpus", args=[corpus.pk]), then)


FIND = JobKind(label="Find instances", queue="corpus", run=find, permission="corpus.add_corpus")
