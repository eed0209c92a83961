"""The lists of a corpus: articles, entities and instances, each also as a file of what is shown."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from corpus.list_filters import ListFilters
from corpus.models import Article, Corpus, Entity, Instance
from corpus.selectors.articles import articles_in
from corpus.selectors.corrections import corrections_waiting
from corpus.selectors.entities import entities_in
from corpus.selectors.instances import instance_pieces, instances_in
from kernel.views.access import requires
from kernel.views.downloads import csv_stream

PER_PAGE = 50
INSTANCES = 20  # on a page: each shows its passage
CHUNK = 1000  # rows of a file that are read together


def _articles(request: HttpRequest, corpus: Corpus) -> QuerySet[Article]:
    filters = ListFilters.from_query(request.GET)
    return articles_in(corpus, words=filters.words, sort=filters.sort)


@requires("corpus.view_corpus")
def article_list(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    page = Paginator(_articles(request, corpus), PER_PAGE).get_page(request.GET.get("page"))
    context = {**ListFilters.from_query(request.GET).context, "corpus": corpus, "page": page}
    return render(request, "corpus/articles.html", context)


@requires("corpus.view_corpus")
def articles_file(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    columns = ("source_id", "title", "published", "byline", "desk")
    rows = _articles(request, corpus).values_list(*columns).iterator(chunk_size=CHUNK)
    return csv_stream(request, f"corpus-{corpus.pk}-articles.csv", columns, rows)


def _entities(request: HttpRequest, corpus: Corpus) -> QuerySet[Entity]:
    filters = ListFilters.from_query(request.GET)
    return entities_in(corpus, type=filters.type, words=filters.words, sort=filters.sort)


@requires("corpus.view_entity")
def entity_list(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    page = Paginator(_entities(request, corpus), PER_PAGE).get_page(request.GET.get("page"))
    context = {**ListFilters.from_query(request.GET).context, "corpus": corpus, "page": page, "sizes": []}
    context["corrections_waiting"] = corrections_waiting(corpus)
    return render(request, "corpus/entities.html", context)


@requires("corpus.view_entity")
def entities_file(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    columns = ("key", "name", "type", "full_names", "articles", "instances")
    fields = ("key", "name", "type", "strict", "articles", "instances")
    rows = _entities(request, corpus).values_list(*fields).iterator(chunk_size=CHUNK)
    cells = ((key, name, type_, " | ".join(strict), *counts) for key, name, type_, strict, *counts in rows)
    return csv_stream(request, f"corpus-{corpus.pk}-entities.csv", columns, cells)


def instances_asked(request: HttpRequest, corpus: Corpus) -> QuerySet[Instance]:
    """Return the instances that were ticked, or else those that the filters leave."""
    if keys := request.GET.getlist("key"):
        return instances_in(corpus).filter(key__in=keys[:INSTANCES])
    filters = ListFilters.from_query(request.GET)
    return instances_in(
        corpus, type=filters.type, size=filters.size, names_from=filters.names_from, words=filters.words
    )


@requires("corpus.view_instance")
def instance_list(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    page = Paginator(instances_asked(request, corpus), INSTANCES).get_page(request.GET.get("page"))
    rows = [(instance, instance_pieces(instance)) for instance in page]
    context = {**ListFilters.from_query(request.GET).context, "corpus": corpus, "page": page, "rows": rows}
    context["corrections_waiting"] = corrections_waiting(corpus)
    return render(request, "corpus/instances.html", context)


@requires("corpus.view_instance")
def instances_file(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    columns = ("key", "type", "size", "kind", "entities", "article", "title", "passage", "names_from")
    fields = ("key", "type", "size", "kind", "entity_names", "article__source_id", "title", "context", "names_from")
    rows = instances_asked(request, corpus).values_list(*fields).iterator(chunk_size=CHUNK)
    cells = ((key, type_, size, kind, " | ".join(names), *rest) for key, type_, size, kind, names, *rest in rows)
    return csv_stream(request, f"corpus-{corpus.pk}-instances.csv", columns, cells)
