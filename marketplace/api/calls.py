"""One call of an operation, and what handlers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from marketplace.errors import request_error
from marketplace.models import Requester
from marketplace.selectors.lists import page_of

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Call:
    """Who calls what with which checked parameters, and when by the account's clock."""

    requester: Requester
    operation: str
    parameters: Mapping[str, Any]
    request_id: str
    now: datetime

    def __getitem__(self, name: str) -> Any:
        return self.parameters[name]

    def get(self, name: str, default: Any = None) -> Any:
        return self.parameters.get(name, default)


Handler = Callable[[Call], Mapping[str, Any]]


def listed(call: Call, rows: QuerySet[M], name: str, described: Callable[[M], Mapping[str, Any]]) -> dict[str, Any]:
    """Return a page of rows under `name`, with the token of the next page."""
    query = {"operation": call.operation, **call.parameters}
    page, token = page_of(rows, query, call.requester.pk)
    return {name: [described(row) for row in page], "NumResults": len(page), "NextToken": token}


def not_supported(call: Call) -> Mapping[str, Any]:
    message = f"{call.operation} is not supported by this marketplace: it has no notifications and no file uploads."
    raise request_error("OperationNotSupported", message)
