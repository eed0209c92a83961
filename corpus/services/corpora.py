"""Creating a corpus, starting jobs on it, and deleting it with everything that belongs to it."""

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
from corpus.names_from import LABELS, NamesSetting
from corpus.services import uploads
from corpus.sources import SOURCES
from corpus.sources.archives import refusal
from kernel.errors import InvalidInput
from kernel.models import OPEN_STATUSES, Job, User
from kernel.services import audit
from kernel.services import jobs as job_services
from kernel.values import Json, storable

DELETE_CHUNK = 500
LONGEST_NAME = 100
# Jobs on a corpus; the corpus's name is the job's subject.
JOB_KINDS = ("ingest", "find_instances", "find_backgrounds", "draw_sample", "delete_corpus")


def clean_name(name: str, what: str) -> str:
    """Return the name of a corpus or sample as it will be stored; raise InvalidInput if it is empty or too long."""
    name = storable(name).strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise InvalidInput(f"give the {what} a name of at most {LONGEST_NAME} characters", field="name")
    return name


def open_corpus(
    name: str, *, source: str, path: str, by: User | None, names_from: str | None = None, is_demo: bool = False
) -> Corpus:
    """Return the corpus of this name, created if necessary; raise InvalidInput if it was read from another archive.

    Its searches take names from where it says (a NamesSetting, or AUTOMATIC); None changes nothing.
    """
    name = clean_name(name, "corpus")
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
            transaction.on_commit(partial(uploads.delete_upload, former))
    if (corpus.source, corpus.path) != (source, path):
        problem = f"a corpus with this name was read from {corpus.path} as {corpus.source}: choose another name"
        raise InvalidInput(problem, field="name")
    choose_names(corpus, names_from, by=by)
    return corpus


def choose_names(corpus: Corpus, names_from: str | None, *, by: User | None) -> None:
    """Decide where the searches of a corpus take names from (a NamesSetting, or AUTOMATIC); None changes nothing."""
    if names_from is None or names_from == corpus.names_from:
        return
    if names_from not in LABELS:
        raise InvalidInput(f"unknown: {names_from[:40]!r}; known: {', '.join(NamesSetting)}", field="names_from")
    before, corpus.names_from = corpus.names_from, names_from
    with transaction.atomic():
        corpus.save(update_fields=["names_from"])
        audit.record("choose names", corpus, by=by, before={"names_from": before}, after={"names_from": names_from})


@transaction.atomic
def start_reading(name: str, *, source: str, path: str, by: User, names_from: str | None = None) -> Job:
    """Create the corpus if necessary and queue the job that reads it; if that is refused, no corpus is created."""
    corpus = open_corpus(name, source=source, path=path, by=by, names_from=names_from)
    return start_job("ingest", corpus, by=by, find=True)


@transaction.atomic
def start_search(corpus: Corpus, *, by: User, names_from: str | None = None, **parameters: int) -> Job:
    """Queue a search for instances, from now on with names from there; if it is refused, nothing is changed."""
    choose_names(corpus, names_from, by=by)
    return start_job("find_instances", corpus, by=by, **parameters)


def delete_corpus_without_articles(corpus: Corpus, *, by: User | None) -> bool:
    """Delete a corpus and its upload if no article was read; return whether it was deleted."""
    if corpus.articles.exists():
        return False
    uploads.delete_upload(corpus.path, of=corpus)
    delete_corpus(corpus, by=by, articles=0)
    return True


def corpus_of_job(parameters: Mapping[str, Any]) -> Corpus:
    """Return the corpus of a job; raise InvalidInput if it has been deleted since the job was queued."""
    corpus = Corpus.objects.filter(pk=parameters["corpus"]).first()
    if corpus is None:
        raise InvalidInput("the corpus has been deleted: import its archive again", field="corpus")
    return corpus


def _is_empty(corpus: Corpus) -> bool:
    """Return whether a corpus has no articles and no open job: its name may be used for another archive."""
    open_jobs = Job.objects.filter(lock=lock_of(corpus), status__in=OPEN_STATUSES)
    return not corpus.articles.exists() and not open_jobs.exists()


def path_on_server(typed: str) -> str:
    """Return the path that a user typed; raise InvalidInput unless it is in TESA_CORPUS_FOLDER."""
    folder = Path(settings.CORPUS_FOLDER).resolve()
    try:
        path = (folder / typed.strip().lstrip("/")).resolve()
        exists = path.exists()
    except (OSError, ValueError):  # the name is too long or contains NUL
        exists, path = False, folder
    if not path.is_relative_to(folder):
        raise InvalidInput("is outside the folder for archives", field="path")
    if uploads.is_in_upload_folder(path):
        raise InvalidInput("is an upload that belongs to another corpus or job: upload the file again", field="path")
    if not exists:
        raise InvalidInput(f"there is no {typed[:100]!r} in {folder}", field="path")
    uploads.mark_upload_folder()
    return str(path)


def lock_of(corpus: Corpus) -> str:
    """Return the lock that keeps two jobs from working on one corpus at the same time."""
    return f"corpus {corpus.pk}"


def start_job(kind: str, corpus: Corpus, *, by: User, **parameters: Any) -> Job:
    """Queue a job on a corpus; raise WrongState while another job holds its lock."""
    job_services.sweep_killed_commands()
    parameters = {"corpus": corpus.pk, "by": by.pk, **parameters}
    return job_services.create_job(kind, subject=str(corpus), parameters=parameters, by=by, lock=lock_of(corpus))


def delete_chunk(corpus: Corpus) -> int:
    """Delete some rows that belong to a corpus; return how many, or 0 when only the corpus itself is left."""
    querysets: tuple[QuerySet[Any], ...] = (
        Appearance.objects.filter(article__corpus=corpus),
        Instance.objects.filter(corpus=corpus),
        Article.objects.filter(corpus=corpus),
        Entity.objects.filter(corpus=corpus),
        ReadUnit.objects.filter(corpus=corpus),
    )
    for rows in querysets:
        if ids := list(rows.values_list("id", flat=True)[:DELETE_CHUNK]):
            rows.model.objects.filter(id__in=ids).delete()
            return len(ids)
    return 0


@transaction.atomic
def delete_corpus(corpus: Corpus, *, by: User | None, articles: int) -> None:
    """Delete the emptied corpus and record that in the audit trail."""
    job_services.forget_results(reverse("corpus", args=[corpus.pk]))
    audit.record("delete corpus", corpus, by=by, before={"source": corpus.source, "articles": articles})
    corpus.delete()
