"""Jobs that fill a sample: drawing it from a corpus, and importing items from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse

from corpus.sampling import SampleFilters
from corpus.services import corpora, importing, samples, uploads
from kernel.errors import InvalidInput
from kernel.job_kind import JobKind, JobResult
from kernel.models import User
from kernel.progress import Progress
from kernel.values import counted


def draw_sample(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Draw and freeze a sample. Run again after a crash, it starts over and draws the same, unless it had ended."""
    corpus = corpora.corpus_of_job(parameters)
    filters = SampleFilters.from_json(parameters.get("filters", {}))
    order = samples.SampleOrder(parameters["name"], int(parameters["n"]), int(parameters["seed"]), filters)
    sample = samples.drawn_before(corpus, order) or samples.draw_sample(
        corpus, order, by=_by(parameters), report=progress.report, is_demo=corpus.is_demo
    )
    kind, *more = parameters.get("then", [""])  # a job of another app that needs the sample
    text, url = f"{counted(sample.size, 'instance')} drawn into “{sample}”.", reverse("sample", args=[sample.pk])
    return JobResult(text, url, (kind, more[0]) if kind else None)


def import_items(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Read a file of items. Run again, it adds only what is missing."""
    uploaded = [parameters["path"], *filter(None, [parameters.get("twins")])]
    try:
        order = importing.ImportOrder.from_json(parameters)
        imported = importing.import_items(order, by=_by(parameters), report=progress.report)
    except InvalidInput:
        _delete(uploaded)  # trying the same file again would not help
        raise
    _delete(uploaded)
    return JobResult(imported.sentence(), reverse("sample", args=[imported.sample.pk]))


def _delete(paths: Sequence[str]) -> None:
    for path in paths:
        uploads.delete_upload(path)


def _by(parameters: Mapping[str, Any]) -> User | None:
    return User.objects.filter(pk=parameters.get("by") or 0).first()


DRAW_SAMPLE = JobKind(
    label="Draw sample", queue="corpus", run=draw_sample, repeatable=True, permission="corpus.add_sample"
)
IMPORT_INSTANCES = JobKind(
    label="Import sample", queue="corpus", run=import_items, repeatable=True, permission="corpus.add_sample"
)
