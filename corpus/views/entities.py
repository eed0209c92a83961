"""The page of an entity."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from corpus.articles import EntityType
from corpus.backgrounds.paragraphs import display_text
from corpus.models import Background, Entity
from corpus.selectors.corrections import corrections_of, corrections_waiting
from corpus.selectors.entities import articles_of, merge_candidates
from kernel.views.access import requires

PER_PAGE = 50


@requires("corpus.view_entity")
def entity_page(request: HttpRequest, entity_id: int) -> HttpResponse:
    entity = get_object_or_404(Entity.objects.select_related("corpus"), pk=entity_id)
    page = Paginator(articles_of(entity), PER_PAGE).get_page(request.GET.get("page"))
    background = Background.objects.filter(entity=entity).first()
    find = request.GET.get("find", "").replace("\x00", "").strip()
    context = {
        "entity": entity,
        "corpus": entity.corpus,
        "page": page,
        "background": background,
        "background_text": display_text(background.text) if background else "",
        "names": entity.names.order_by("-articles", "folded"),
        "corrections": corrections_of(entity),
        "corrections_waiting": corrections_waiting(entity.corpus),
        "types": list(EntityType),
        "find": find,
        "candidates": merge_candidates(entity, words=find),
    }
    return render(request, "corpus/entity.html", context)
