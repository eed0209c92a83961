"""Making a corpus, finding it again, and taking it away with everything below it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from corpus.models import Appearance, Article, Corpus, Entity, Instance, ReadUnit
from corpus.services import uploads
from corpus.sources import SOURCES
from corpus.sources.support import refusal
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.models import OPEN_STATUSES, Job, User
from tesa_site.kernel.services import audit
from tesa_site.kernel.services import jobs as job_services
from tesa_site.kernel.values import Json, storable

DELETE_CHUNK = 500
LONGEST_NAME = 100
# What may be at work on a corpus; its name is the job's subject.
JOB_KINDS = ("ingest", "find_instances", "find_backgrounds", "draw_sample", "delete_corpus")


def open_corpus(name: str, *, source: str, path: str, by: User | None, is_demo: bool = False) -> Corpus:
    """Return the corpus of this name, made if there is none; refused where another archive was read into it."""
    name = storable(name).strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise InvalidInput(f"give the corpus a name of at most {LONGEST_NAME} characters", field="name")
    if source not in SOURCES:
        raise InvalidInput(f"unknown source {source!r}; known: {', '.join(SOURCES)}", field="source")
    if Path(path).is_file() and (problem := refusal(source, Path(path).name)):
        raise InvalidInput(problem, field="path")
    with transaction.atomic():
        corpus, is_new = Corpus.objects.get_or_create(
            name=name, defaults={"source": source, "path": path, "created_by": by, "is_demo": is_demo}
        )
        if is_new:
            audit.record("create corpus", corpus, by=by, after={"source": source, "path": path})
        elif (corpus.source, corpus.path) != (source, path) and _is_empty(corpus):
            former = corpus.path
            before: dict[str, Json] = {"source": corpus.source, "path": former}
            corpus.units.all().delete()  # with the problems of the archive that could not be read
            corpus.source, corpus.path = source, path
            corpus.save(update_fields=["source", "path"])
            audit.record("rebind corpus", corpus, by=by, before=before, after={"source": source, "path": path})
            transaction.on_commit(partial(uploads.forget, former))
    if (corpus.source, corpus.path) != (source, path):
        problem = f"a corpus of this name was read from {corpus.path} as {corpus.source}: choose another name"
        raise InvalidInput(problem, field="name")
    return corpus


@transaction.atomic
def start_reading(name: str, *, source: str, path: str, by: User) -> Job:
    """Make the corpus, or find it again, and queue the job that reads it; where that is refused, no corpus is made."""
    corpus = open_corpus(name, source=source, path=path, by=by)
    return start_job("ingest", corpus, by=by, find=True)


def forget_unread(corpus: Corpus, *, by: User | None) -> bool:
    """Delete a corpus, with its upload, of which no article was read; return whether that was so."""
    if corpus.articles.exists():
        return False
    uploads.forget(corpus.path, of=corpus)
    delete_corpus(corpus, by=by, articles=0)
    return True


def corpus_of(parameters: Mapping[str, Any]) -> Corpus:
    """Return the corpus that a job is to work on, or raise InvalidInput: it may have been deleted since."""
    corpus = Corpus.objects.filter(pk=parameters["corpus"]).first()
    if corpus is None:
        raise InvalidInput("the corpus is gone: read its archive again", field="corpus")
    return corpus


def _is_empty(corpus: Corpus) -> bool:
    """Return whether nothing came of reading it, and nobody is at it: its name is free for another archive."""
    at_work = Job.objects.filter(lock=lock_of(corpus), status__in=OPEN_STATUSES)
    return not corpus.articles.exists() and not at_work.exists()


def path_on_server(typed: str) -> str:
    """Return the file or folder that a page's user means; only what lies in TESA_CORPUS_FOLDER can be had."""
    folder = Path(settings.CORPUS_FOLDER).resolve()
    try:
        path = (folder / typed.strip().lstrip("/")).resolve()
        is_there = path.exists()
    except (OSError, ValueError):  # a name too long, or with NUL
        is_there, path = False, folder
    if not path.is_relative_to(folder):
        raise InvalidInput("leads out of the folder for archives", field="path")
    if uploads.is_inside(path):
        raise InvalidInput("is an upload, which is read only by what it was sent for: upload it again", field="path")
    if not is_there:
        raise InvalidInput(f"there is no {typed[:100]!r} in {folder}", field="path")
    uploads.keep_out()
    return str(path)


def lock_of(corpus: Corpus) -> str:
    """Return what keeps two jobs from working on one corpus at a time."""
    return f"corpus {corpus.pk}"


def start_job(kind: str, corpus: Corpus, *, by: User, **parameters: Any) -> Job:
    """Queue a job on a corpus; refused while another is at work on it."""
    job_services.sweep_killed_commands()
    given = {"corpus": corpus.pk, "by": by.pk, **parameters}
    return job_services.create_job(kind, subject=str(corpus), parameters=given, by=by, lock=lock_of(corpus))


def delete_some(corpus: Corpus) -> int:
    """Delete a chunk of what hangs below a corpus; 0 when only the corpus itself is left."""
    below: tuple[QuerySet[Any], ...] = (
        Appearance.objects.filter(article__corpus=corpus),
        Instance.objects.filter(corpus=corpus),
        Article.objects.filter(corpus=corpus),
        Entity.objects.filter(corpus=corpus),
        ReadUnit.objects.filter(corpus=corpus),
    )
    for rows in below:
        if ids := list(rows.values_list("id", flat=True)[:DELETE_CHUNK]):
            rows.model.objects.filter(id__in=ids).delete()
            return len(ids)
    return 0


@transaction.atomic
def delete_corpus(corpus: Corpus, *, by: User | None, articles: int) -> None:
    """Delete the emptied corpus and keep that it was there."""
    job_services.forget_results(reverse("corpus", args=[corpus.pk]))
    audit.record("delete corpus", corpus, by=by, before={"source": corpus.source, "articles": articles})
    corpus.delete()
