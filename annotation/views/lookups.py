"""Look-ups: what annotators search while they answer, as JSON for the script of a field, and as a page without one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render as render_template
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation import lookups
from annotation.selectors import annotators
from annotation.task_types import type_of
from annotation.views.work_pages.frame import frame, render, worker_page
from corpus.backgrounds.title_lookup import LONGEST_QUERY
from kernel.views.access import requires

LIMIT = lookups.RateLimit(most=120, seconds=60)  # a page asks a fraction of a second after the last key
TOO_OFTEN = "You have looked up very much in the last minute. Wait {seconds} seconds, then go on: nothing is lost."
TOO_LONG = f"This is longer than {LONGEST_QUERY} characters: write a few words of the title."
TOO_LONG_ADDRESS = 2_000


@worker_page
@require_safe
def look_up(request: HttpRequest, secret: str, name: str) -> HttpResponse:
    """Answer a participant of a campaign whose task has this look-up."""
    person = annotators.participation(secret)
    if name not in type_of(person.campaign).lookups:
        raise Http404
    seconds = LIMIT.wait(person.pk)
    why = TOO_OFTEN.format(seconds=seconds) if seconds else ""
    status = 429 if seconds else 200
    answer = _answer(request.GET.get("q", ""), why)
    if _wants_json(request):
        response: HttpResponse = JsonResponse(answer, status=status)
    else:
        here = reverse("work-lookup", args=[secret, name])
        context = frame(person) | _page(name, here, answer)
        response = render(request, "annotation/work/lookup.html", context, status=status)
    if seconds:
        response.headers["Retry-After"] = str(seconds)
    return response


@requires("annotation.view_campaign")
@require_safe
def team_look_up(request: HttpRequest, name: str) -> HttpResponse:
    """Answer people who review, write check tasks or try a task out."""
    if name not in lookups.LOOKUPS:
        raise Http404
    answer = _answer(request.GET.get("q", ""), "")
    if _wants_json(request):
        return JsonResponse(answer)
    context = _page(name, reverse("lookup", args=[name]), answer)
    return render_template(request, "annotation/lookup.html", context)


def _answer(words: str, why: str) -> dict[str, Any]:
    """Return the pages that have these words, and the page that they name; `why` says why there are none."""
    is_address = "/" in words and len(words) <= TOO_LONG_ADDRESS
    if not why and len(words) > LONGEST_QUERY and not is_address:
        why = TOO_LONG
    if why or not words.strip():
        return {"query": words[:LONGEST_QUERY], "problem": why, "hits": [], "named": None}
    titles = lookups.titles()
    [named] = titles.named([words])
    return {
        "query": words,
        "problem": "",
        "hits": [asdict(hit) for hit in titles.search(words)],
        "named": asdict(named),
    }


def _wants_json(request: HttpRequest) -> bool:
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def _page(name: str, here: str, answer: dict[str, Any]) -> dict[str, Any]:
    return {"heading": lookups.LOOKUPS[name], "here": here, **answer}
