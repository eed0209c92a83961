"""Pages of samples: the list, drawing with a preview, importing, a sample with its members, and downloads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import slugify

from corpus.forms import DrawForm, ImportForm
from corpus.frozen import SIZES
from corpus.items.base import ItemKind
from corpus.items.instances import INSTANCE
from corpus.list_filters import ListFilters
from corpus.models import Corpus, Instance, Sample, SampledInstance
from corpus.plots import types_and_sizes
from corpus.selectors import samples as selectors
from corpus.selectors.articles import article_of
from corpus.selectors.backgrounds import entities_not_looked_up
from corpus.selectors.corpora import drawable_corpora
from corpus.selectors.overview import heat
from corpus.selectors.waiting import entities_to_review
from corpus.services import importing, samples, uploads
from corpus.views.lists import instances_asked
from kernel import selectors as kernel_selectors
from kernel.errors import TesaError
from kernel.models import Job, User
from kernel.views.access import requires, signed_in
from kernel.views.downloads import csv_download
from kernel.views.jobs import follow
from kernel.views.plots import svg_file

PER_PAGE = 50


@requires("corpus.view_sample")
def sample_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(selectors.samples(), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "corpus/samples.html", {"page": page, "corpora": drawable_corpora()})


@requires("corpus.view_sample")
def corpus_samples(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    page = Paginator(selectors.samples().filter(corpus=corpus), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "corpus/corpus_samples.html", {"corpus": corpus, "page": page})


@requires("corpus.view_sample")
def sample_page(request: HttpRequest, sample_id: int) -> HttpResponse:
    sample = get_object_or_404(selectors.samples(), pk=sample_id)
    filters = ListFilters.from_query(request.GET)
    members = selectors.members(sample, type=filters.type, size=filters.size, names_from=filters.names_from)
    page = Paginator(members, PER_PAGE).get_page(request.GET.get("page"))
    kind = sample.kind
    context = {
        "sample": sample,
        "page": page,
        "listed": [_titled(kind, member) if kind.has_sizes else _listed(kind, member) for member in page],
        "heat": heat(selectors.counts_by_type_and_size(sample.members)) if kind.has_sizes else [],
        "users": selectors.users_of(sample),
        "job": None if sample.content_hash else selectors.filling(sample),
        **filters.context,
    }
    return render(request, "corpus/sample.html", context)


def _titled(kind: ItemKind, member: SampledInstance) -> tuple[SampledInstance, str]:
    return member, kind.title(kind.thaw(member.value))


def _listed(kind: ItemKind, member: SampledInstance) -> dict[str, object]:
    item = kind.thaw(member.value)
    return {"position": member.position, "title": kind.title(item), "facts": kind.facts(item)}


@requires("corpus.view_sample")
def member_page(request: HttpRequest, sample_id: int, position: int) -> HttpResponse:
    """Show a member as an annotator will see it."""
    sample = get_object_or_404(Sample, pk=sample_id)
    member = get_object_or_404(SampledInstance, sample=sample, position=position)
    kind = sample.kind
    item = kind.thaw(member.value)
    context = {
        "sample": sample,
        "instance": item,
        "title": kind.title(item),
        "shown": kind.show(item),
        "facts": kind.facts(item),
        "article": article_of(member.value),
        "number": position + 1,
        "before": position - 1 if position else None,
        "after": position + 1 if sample.members.filter(position=position + 1).exists() else None,
    }
    return render(request, "corpus/member.html", context)


@requires("corpus.view_sample")
def sample_plot(request: HttpRequest, sample_id: int, format: str) -> HttpResponse:
    """Download the plot, or its numbers."""
    sample = get_object_or_404(Sample, pk=sample_id)
    if not sample.kind.has_sizes:
        raise Http404
    counts = selectors.counts_by_type_and_size(sample.members)
    if format == "svg":
        return svg_file(types_and_sizes.plot(counts), file_name(sample.name))
    rows = ((type_, size, number) for (type_, size), number in sorted(counts.items()))
    return csv_download(request, f"{file_name(sample.name)}.csv", ["type", "size", "instances"], rows)


@requires("corpus.view_sample")
def sample_download(request: HttpRequest, sample_id: int) -> HttpResponseBase:
    sample = get_object_or_404(Sample, pk=sample_id)
    return json_lines(selectors.member_lines(sample), sample.name)


@requires("corpus.view_instance")
def instances_download(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    """Download the ticked instances, or those that the list shows with the same filters."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    instances = instances_asked(request, corpus)
    return json_lines(selectors.instance_lines(selectors.frozen_in_pages(instances)), corpus.name)


def json_lines(lines: Iterable[str], name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type="application/x-ndjson; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{file_name(name)}.jsonl"'
    return response


def file_name(name: str) -> str:
    return slugify(name) or "instances"


@requires("corpus.view_instance")
def instance_page(request: HttpRequest, corpus_id: int, key: str) -> HttpResponse:
    """Show an instance as an annotator will see it."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    row = get_object_or_404(selectors.with_article_data(Instance.objects.filter(corpus=corpus)), key=key)
    (instance,) = selectors.frozen_instances([row])
    sample = Sample.objects.filter(members__key=key).order_by("id").first()
    context = {"row": row, "instance": instance, "facts": INSTANCE.facts(instance), "sample": sample}
    context["shown"] = INSTANCE.show(instance)
    return render(request, "corpus/instance.html", context)


# ---- Making and deleting --------------------------------------------------------------------------


@requires("corpus.add_sample")
def draw_sample(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Preview what the form asks for (GET), or draw it (POST)."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    is_post = request.method == "POST"
    data = request.POST if is_post else request.GET
    form = DrawForm(data if {"n", "seed"} & data.keys() else None)
    name, problem = data.get("name", "").replace("\x00", ""), ""
    if is_post and form.is_valid():
        try:
            return _start_drawing(request, corpus, name, form)
        except TesaError as error:
            problem = error.message
    context = {
        "corpus": corpus,
        "form": form,
        "name": name,
        "problem": problem,
        "to_review": entities_to_review(corpus).count(),
        "not_looked_up": entities_not_looked_up(corpus).count(),
        **_preview(corpus, form),
        "queues_without_worker": kernel_selectors.queues_without_worker(["corpus"]),
    }
    return render(request, "corpus/draw.html", context, status=422 if problem or form.errors else 200)


def _preview(corpus: Corpus, form: DrawForm) -> dict[str, object]:
    """Return what would be drawn, by type and size; for the initial values if no form was sent."""
    if not form.is_bound:
        form = DrawForm({"n": form.fields["n"].initial, "seed": form.fields["seed"].initial})
    if not form.is_valid():
        return {}
    asked = form.cleaned_data["n"]
    drawn = selectors.preview(corpus, asked, seed=form.cleaned_data["seed"], filters=form.filters())
    return {
        "drawn": drawn,
        "asked": asked,
        "table": selectors.type_size_table(drawn.drawn, drawn.available),
        "sizes": SIZES,
        "is_enough": len(drawn.chosen) == asked,
        "order": [(key, value) for key, values in _fields(form).items() for value in values],
    }


def _fields(form: DrawForm) -> dict[str, list[object]]:
    """Return the fields as hidden inputs that post the same form."""
    cleaned = form.cleaned_data
    fields = {"n": [cleaned["n"]], "seed": [cleaned["seed"]]}
    fields |= {key: cleaned[key] for key in ("types", "sizes", "kinds", "names_from")}
    return fields | ({"all_backgrounds": ["on"]} if cleaned["all_backgrounds"] else {})


def _start_drawing(request: HttpRequest, corpus: Corpus, name: str, form: DrawForm) -> HttpResponse:
    cleaned = form.cleaned_data
    order = samples.SampleOrder(samples.check_name_is_free(name, corpus), cleaned["n"], cleaned["seed"], form.filters())
    job = samples.start_drawing(corpus, order, by=signed_in(request))
    return follow(request, job, reverse("corpus-samples", args=[corpus.pk]))


@requires("corpus.add_sample")
def import_sample(request: HttpRequest) -> HttpResponse:
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            job = _start_importing(form, by=signed_in(request))
        except TesaError as error:
            field = getattr(error, "field", "")
            form.add_error(field if field in form.fields else "name", error.message)
        else:
            return follow(request, job, reverse("samples"))
    context = {"form": form, "queues_without_worker": kernel_selectors.queues_without_worker(["corpus"])}
    return render(request, "corpus/import.html", context, status=422 if form.errors else 200)


def _start_importing(form: ImportForm, *, by: User) -> Job:
    """Store the uploads and queue their import; a refused upload is not kept."""
    cleaned = form.cleaned_data
    path = uploads.store_upload(cleaned["upload"])
    twins = uploads.store_upload(cleaned["twins"]) if cleaned["twins"] else ""
    try:
        order = importing.ImportOrder(
            Path(path), cleaned["name"], cleaned["item_kind"], form.preparing(), Path(twins) if twins else None
        )
        return importing.start_importing(order, by=by)
    except TesaError:
        for stored in filter(None, [path, twins]):
            uploads.delete_upload(stored)
        raise


@requires("corpus.delete_sample")
def delete_sample(request: HttpRequest, sample_id: int) -> HttpResponse:
    """Ask for confirmation. A sample that something is built on cannot be deleted."""
    sample = get_object_or_404(Sample, pk=sample_id)
    if request.method == "POST":
        samples.delete_sample(sample, by=signed_in(request))
        again = "; its instances can be drawn again" if sample.kind.is_drawn else ""
        messages.success(request, f"“{sample}” has been deleted{again}.")
        return redirect("samples")
    return render(request, "corpus/sample_delete.html", {"sample": sample, "users": selectors.users_of(sample)})
