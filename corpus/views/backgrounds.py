"""Looking up backgrounds, and the queue in which a person decides about them."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from corpus.backgrounds.paragraphs import display_text
from corpus.models import Background, Corpus, Entity
from corpus.selectors.entities import passages_of
from corpus.selectors.waiting import backgrounds_to_check
from corpus.services import backgrounds, corpora
from corpus.views.queues import after_query, next_in_queue
from kernel.errors import InvalidInput
from kernel.values import whole_number
from kernel.views.access import requires, signed_in
from kernel.views.jobs import follow


@require_POST
@requires("corpus.add_background")
def find_backgrounds(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Look up backgrounds in a dump in the folder for archives, or on live Wikipedia if no dump is named."""
    corpus, typed = get_object_or_404(Corpus, pk=corpus_id), request.POST.get("dump", "").strip()
    dump = corpora.path_on_server(typed) if typed else ""
    return follow(request, backgrounds.start_look_up(corpus, dump=dump, by=signed_in(request)))


@requires("corpus.change_background")
def background_queue(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Show one entity at a time: passages on one side, pages on the other, a key for each decision."""
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    waiting = backgrounds_to_check(corpus)
    if (entity_id := whole_number(request.GET.get("entity", ""))) is None:
        entity = next_in_queue(waiting, request)
    else:
        entity = get_object_or_404(Entity.objects.select_related("background"), pk=entity_id, corpus=corpus)
    context: dict[str, object] = {
        "corpus": corpus,
        "entity": entity,
        "waiting": waiting.count(),
        "has_looked": Background.objects.filter(entity__corpus=corpus).exists(),
    }
    if entity:
        background = Background.objects.filter(entity=entity).first() or Background(entity=entity, status="missing")
        context |= {
            "background": background,
            "text": display_text(background.text),
            "candidates": [(c, display_text(c["text"])) for c in background.candidates],
            "passages": passages_of(entity),
            "after_query": after_query(request),
        }
    return render(request, "corpus/background_queue.html", context)


@require_POST
@requires("corpus.change_background")
def decide_background(request: HttpRequest, entity_id: int) -> HttpResponse:
    entity, user, posted = get_object_or_404(Entity, pk=entity_id), signed_in(request), request.POST
    action, number = posted.get("action", ""), whole_number(posted.get("number", ""))
    if action == "accept":
        backgrounds.accept_background(entity, by=user)
    elif action == "choose" and number is not None:
        backgrounds.choose_background(entity, number, by=user)
    elif action == "write":
        backgrounds.write_background(entity, title="", text=posted.get("text", ""), url=posted.get("url", ""), by=user)
    elif action == "discard":
        backgrounds.discard_background(entity, by=user)
    else:
        raise InvalidInput("choose an action: accept, choose, write or discard", field="action")
    messages.success(request, f"{entity.name}: background saved.")
    return redirect(reverse("admin:backgrounds", args=[entity.corpus_id]) + after_query(request))
