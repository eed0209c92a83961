"""Lists for requesters: a page of rows, and the qualification types they see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Model, Q, QuerySet

from marketplace import paging
from marketplace.models import QualificationType

M = TypeVar("M", bound=Model)


def page_of(rows: QuerySet[M], query: Mapping[str, Any], owner: int) -> tuple[list[M], str | None]:
    """Return a page, newest first, and the token of the next: None only with an empty page, as the protocol has it."""
    bound = {name: value for name, value in query.items() if name not in ("NextToken", "MaxResults")} | {"of": owner}
    if "NextToken" in query:
        rows = rows.filter(pk__lt=paging.read_token(settings.SECRET_KEY, bound, query["NextToken"]))
    page = list(rows.order_by("-pk")[: query.get("MaxResults", paging.DEFAULT_SIZE)])
    return page, paging.next_token(settings.SECRET_KEY, bound, page[-1].pk) if page else None


def qualification_types_seen(requester_id: int, *, is_sandbox: bool) -> QuerySet[QualificationType]:
    """Return the types an account may see: its own, and active ones of accounts of the same kind."""
    others = Q(is_active=True, requester__is_sandbox=is_sandbox)
    return QualificationType.objects.filter(Q(requester=requester_id) | others, deleted_at=None).select_related("test")
