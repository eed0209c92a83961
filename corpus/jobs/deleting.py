"""Deleting a corpus in small steps, so that nobody waits for the database meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.models import Article, Corpus
from corpus.services import corpora, uploads
from tesa_site.kernel.job_kind import JobKind, Outcome
from tesa_site.kernel.models import User
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import counted


def delete_corpus(parameters: Mapping[str, Any], progress: Progress) -> Outcome:
    corpus = Corpus.objects.filter(pk=parameters["corpus"]).first()
    if corpus is None:
        return Outcome("It was gone already.")
    articles, done = Article.objects.filter(corpus=corpus).count(), 0
    while some := corpora.delete_some(corpus):
        done += some
        progress.report(min(done, articles), articles, f"{counted(done, 'row')} deleted")
    by = User.objects.filter(pk=parameters.get("by", 0)).first()
    name = str(corpus)
    uploads.forget(corpus.path, of=corpus)
    corpora.delete_corpus(corpus, by=by, articles=articles)
    return Outcome(f"{name} and its {counted(articles, 'article')} are gone.")


DELETE_CORPUS = JobKind(label="Delete a corpus", queue="corpus", run=delete_corpus, permission="corpus.delete_corpus")
