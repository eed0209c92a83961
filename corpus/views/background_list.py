"""The backgrounds of a corpus that wait for a person, as a list: those ticked are decided together."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from corpus.backgrounds.paragraphs import display_text
from corpus.models import Corpus, Entity
from corpus.selectors.waiting import backgrounds_to_check
from corpus.services import backgrounds
from kernel.errors import InvalidInput, WrongState
from kernel.views.access import requires, signed_in
from kernel.views.ticked import ids_in, report_ticked

PER_PAGE = 50
ACTIONS = {
    "accept": (backgrounds.accept_background, "accepted"),
    "discard": (backgrounds.discard_background, "discarded"),
}


@requires("corpus.change_background")
def background_list(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = get_object_or_404(Corpus, pk=corpus_id)
    if request.method == "POST":
        _decide(request, corpus)
        query = request.GET.urlencode()
        return redirect(f"{reverse('background-list', args=[corpus.pk])}{f'?{query}' if query else ''}")
    page = Paginator(backgrounds_to_check(corpus), PER_PAGE).get_page(request.GET.get("page"))
    rows = [(entity, display_text(entity.background.text)) for entity in page]
    return render(request, "corpus/background_list.html", {"corpus": corpus, "page": page, "rows": rows})


def _decide(request: HttpRequest, corpus: Corpus) -> None:
    """Accept or discard the pages of the ticked entities; one without a page to accept stays, and is named."""
    action = request.POST.get("action", "")
    if action not in ACTIONS:
        raise InvalidInput("must be accept or discard", field="action")
    do, outcome = ACTIONS[action]
    ids = ids_in(request.POST, "entity")
    done, problem = 0, ""
    for entity in Entity.objects.filter(corpus=corpus, pk__in=ids[:PER_PAGE]).order_by("pk"):
        try:
            do(entity, by=signed_in(request))
        except WrongState as error:
            problem = problem or f"{entity.name}: {error.message}"
        else:
            done += 1
    report_ticked(request, "background", done=done, outcome=outcome, problem=problem)
