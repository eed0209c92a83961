"""The queue of entities that only a pipeline named."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from corpus.articles import EntityType
from corpus.models import Corpus
from corpus.recognition_figures import DOCUMENTS, figures_of
from corpus.selectors.corpora import last_pipeline
from corpus.selectors.corrections import corrections_waiting
from corpus.selectors.entities import passages_of
from corpus.selectors.waiting import entities_to_review
from corpus.views.pipelines import pipeline_context
from corpus.views.queues import after_query, next_in_queue
from kernel.views.access import requires

PER_PAGE = 50


@requires("corpus.change_entity")
def recognized(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Show the entities that only a pipeline named, one at a time with its passages, and the list of the others."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    waiting = entities_to_review(corpus)
    entity = next_in_queue(waiting, request)
    context = {
        "corpus": corpus,
        "entity": entity,
        "waiting": waiting.count(),
        "following": waiting.exclude(pk=entity.pk)[:PER_PAGE] if entity else [],
        "passages": passages_of(entity) if entity else [],
        "types": [type_ for type_ in EntityType if entity and type_ != entity.type],
        "after_query": after_query(request),
        "finding": getattr(corpus, "finding", None),
        "pipeline_label": (label := last_pipeline(corpus)),
        "figures": (figures := figures_of(label)),
        "figure": dict(figures).get(entity.type) if entity else None,
        "figure_documents": DOCUMENTS,
        "corrections_waiting": corrections_waiting(corpus),
        **pipeline_context(),
    }
    return render(request, "corpus/recognized.html", context)
