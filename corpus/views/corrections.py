"""Correcting entities, and the list of corrections."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from corpus.articles import EntityType
from corpus.models import Corpus, Entity, EntityCorrection
from corpus.selectors.corrections import corrections_in, corrections_waiting
from corpus.services import corrections
from corpus.views.queues import after_query
from kernel.errors import InvalidInput, TesaError
from kernel.views.access import requires, signed_in
from kernel.views.ticked import ids_in

PER_PAGE = 50


@require_POST
@requires("corpus.change_entity")
def correct_entity(request: HttpRequest, entity_id: int) -> HttpResponse:
    """Store a correction of an entity; it takes effect with the next search."""
    entity = get_object_or_404(Entity.objects.select_related("corpus"), pk=entity_id)
    try:
        result = _correct(request, entity)
    except TesaError as error:
        problem = error.problem if isinstance(error, InvalidInput) else error.message
        messages.error(request, f"{entity.name} was not changed: {problem.rstrip('.')}.")
    else:
        messages.success(request, f"{entity.name}: {result}.")
    if request.POST.get("next") == "recognized":
        return redirect(reverse("recognized", args=[entity.corpus_id]) + after_query(request))
    return redirect("entity", entity.pk)


def _correct(request: HttpRequest, entity: Entity) -> str:
    """Store the correction of the button that was pressed; return the result in words."""
    posted, action = request.POST, request.POST.get("action", "")
    reason, by = posted.get("reason", ""), signed_in(request)
    others = Entity.objects.filter(pk__in=ids_in(posted, "others"))
    if action == "merge-here":
        corrections.merge_entities([*others], entity, reason=reason, by=by)
    elif action == "merge-there":
        if len(others) != 1:
            raise InvalidInput("choose exactly one entity to merge into")
        corrections.merge_entities([entity], others[0], reason=reason, by=by)
    elif action == "split":
        corrections.split_entity(entity, posted.getlist("names"), reason=reason, by=by)
    elif action == "rename":
        corrections.rename_entity(entity, posted.get("name", ""), reason=reason, by=by)
    elif action in ("retype", *EntityType):
        corrections.retype_entity(
            entity, posted.get("type", "") if action == "retype" else action, reason=reason, by=by
        )
    elif action == "accept":
        corrections.accept_entity(entity, reason=reason, by=by)
        return "accepted"
    elif action == "discard":
        corrections.discard_entity(entity, reason=reason, by=by)
    else:
        raise InvalidInput("choose an action")
    return "correction saved; it takes effect when instances are found again"


@require_POST
@requires("corpus.change_entity")
def undo_correction(request: HttpRequest, correction_id: int) -> HttpResponse:
    row = get_object_or_404(EntityCorrection.objects.select_related("corpus"), pk=correction_id)
    try:
        corrections.undo_correction(row, reason=request.POST.get("reason", ""), by=signed_in(request))
    except TesaError as error:
        messages.error(request, f"Nothing was changed: {error.message}")
    else:
        messages.success(request, f"{row.entity_name}: correction undone.")
    return redirect("corrections", row.corpus_id)


@requires("corpus.view_entitycorrection")
def correction_list(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    page = Paginator(corrections_in(corpus), PER_PAGE).get_page(request.GET.get("page"))
    context = {"corpus": corpus, "page": page, "corrections_waiting": corrections_waiting(corpus)}
    return render(request, "corpus/corrections.html", context)
