"""Pages of corpora: the list, reading an archive, one corpus with its funnel and problems, deleting."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from corpus.contexts import MIN_SENTENCES
from corpus.forms import IngestForm
from corpus.models import Corpus
from corpus.names_from import COST, LABELS, RULE
from corpus.plots import funnel
from corpus.selectors import overview
from corpus.selectors.corpora import corpora_with_counts, is_half_searched, problems_of, reading_counts
from corpus.selectors.corrections import corrections_waiting
from corpus.selectors.funnel import funnel_of
from corpus.services import corpora, uploads
from corpus.views.pipelines import pipeline_context
from kernel import selectors as kernel_selectors
from kernel.errors import InvalidInput, TesaError
from kernel.values import whole_number
from kernel.views.access import requires, signed_in
from kernel.views.downloads import csv_download
from kernel.views.jobs import follow
from kernel.views.plots import svg_file

PER_PAGE = 50


@requires("corpus.view_corpus")
def corpus_list(request: HttpRequest) -> HttpResponse:
    return render(request, "corpus/list.html", {"corpora": corpora_with_counts().select_related("finding")})


@requires("corpus.add_corpus")
def new_corpus(request: HttpRequest) -> HttpResponse:
    form = IngestForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _start(request, form)
        except InvalidInput as error:
            form.add_error(error.field if error.field in form.fields else None, error.problem)
    context = {
        "form": form,
        "folder": settings.CORPUS_FOLDER,
        **pipeline_context(),
        "queues_without_worker": kernel_selectors.queues_without_worker(["corpus"]),
    }
    return render(request, "corpus/new.html", context, status=422 if form.errors else 200)


def _start(request: HttpRequest, form: IngestForm) -> HttpResponse:
    cleaned, user = form.cleaned_data, signed_in(request)
    path = uploads.store_upload(cleaned["upload"]) if cleaned["upload"] else corpora.path_on_server(cleaned["path"])
    try:
        job = corpora.start_reading(
            cleaned["name"], source=cleaned["source"], path=path, by=user, names_from=cleaned["names_from"]
        )
    except TesaError:
        if cleaned["upload"]:  # a refused upload is not kept
            uploads.delete_upload(path)
        raise
    if form.read_as:
        messages.info(request, form.read_as)
    return follow(request, job, reverse("corpus", args=[job.parameters["corpus"]]))


@requires("corpus.view_corpus")
def corpus_page(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus.objects.select_related("finding"), pk=corpus_id)
    jobs = [*kernel_selectors.jobs(status="open").filter(subject=str(corpus), kind__in=corpora.JOB_KINDS)[:5]]
    context = {
        "corpus": corpus,
        "finding": (finding := getattr(corpus, "finding", None)),
        "has_articles": corpus.articles.exists(),
        "corrections_waiting": corrections_waiting(corpus),
        "is_half_searched": is_half_searched(corpus),
        "jobs": jobs,
        "is_busy": bool(jobs),
        "queues_without_worker": kernel_selectors.queues_without_worker(["corpus"]),
        **(overview.overview_of(finding) if finding else {}),
        "names_labels": LABELS.items(),
        "names_help": f"{RULE} {COST}",
        "is_compared": request.GET.get("compare") == "study",
    }
    return render(request, "corpus/corpus.html", context)


@requires("corpus.view_corpus")
def funnel_file(request: HttpRequest, corpus_id: int, format: str) -> HttpResponse:
    """Download the plot of the funnel, or its numbers."""
    corpus = get_object_or_404(Corpus.objects.select_related("finding"), pk=corpus_id, finding__isnull=False)
    steps, name = funnel_of(corpus.finding), f"funnel-{corpus.pk}"
    if format == "svg":
        return svg_file(funnel.plot([(step.label, step.number, step.published) for step in steps]), name)
    if format == "csv":
        rows = ((step.label, step.number, step.published, step.note) for step in steps)
        return csv_download(request, f"{name}.csv", ["step", "here", "original", "note"], rows)
    raise Http404


@requires("corpus.view_corpus")
def problems(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    page = Paginator(problems_of(corpus), PER_PAGE).get_page(request.GET.get("page"))
    rows = [{"where": uploads.without_upload_folder(row.where), "reason": row.reason} for row in page]
    context = {"corpus": corpus, "page": page, "problems": rows, "is_upload": uploads.is_upload(corpus.path)}
    context["jobs"] = kernel_selectors.jobs().filter(subject=str(corpus), kind__in=corpora.JOB_KINDS)[:5]
    return render(request, "corpus/problems.html", context)


@require_POST
@requires("corpus.add_corpus")
def read_again(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Read what has been added to the archive, or what an interrupted reading left."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    return follow(request, corpora.start_job("ingest", corpus, by=signed_in(request), find=True))


@require_POST
@requires("corpus.add_corpus")
def find_instances(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus, number = get_object_or_404(Corpus, pk=corpus_id), whole_number(request.POST.get("min_sentences", ""))
    parameters = {"min_sentences": number} if number in MIN_SENTENCES else {}
    names_from = request.POST.get("names_from")
    job = corpora.start_search(
        corpus, by=signed_in(request), names_from=names_from if names_from in LABELS else None, **parameters
    )
    return follow(request, job)


@requires("corpus.delete_corpus")
def delete(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Ask for confirmation: the name must be typed, because only reading the archive again brings a corpus back."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    if request.method == "POST":
        if request.POST.get("name", "").strip() == corpus.name:
            job = corpora.start_job("delete_corpus", corpus, by=signed_in(request), find=True)
            return follow(request, job, reverse("corpora"))
        messages.error(request, "That is not the corpus’s name: nothing was deleted.")
    context = {
        "corpus": corpus,
        "counts": reading_counts(corpus),
        "is_upload": uploads.is_upload(corpus.path),
    }
    return render(request, "corpus/delete.html", context)
