"""Queues that show one entity at a time: which comes next, and where to go on after a decision."""

from __future__ import annotations

from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest

from corpus.models import Entity


def next_in_queue(waiting: QuerySet[Entity], request: HttpRequest) -> Entity | None:
    """Return the first entity after the one skipped last; the very first if there is none."""
    ids, skipped = [str(pk) for pk in waiting.values_list("pk", flat=True)], request.GET.get("after", "")
    following = ids[ids.index(skipped) + 1 :] if skipped in ids else ids
    return waiting.filter(pk__in=(following or ids)[:1]).first()


def after_query(request: HttpRequest) -> str:
    """Return the query string that names the skipped entity, so that it does not come back after a decision."""
    after = request.GET.get("after", "")
    return "?" + urlencode({"after": after}) if after else ""
