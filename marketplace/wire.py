"""JSON 1.1 over HTTP, by botocore's own description of the service."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

import botocore.session
from botocore.model import OperationModel, ServiceModel, Shape

from marketplace.errors import refused

CONTENT_TYPE = "application/x-amz-json-1.1"
PREFIX = "MTurkRequesterServiceV20170117."


@cache
def service_model() -> ServiceModel:
    """Return botocore's model of the service; raise UnknownServiceError if this botocore has none."""
    return botocore.session.get_session().get_service_model("mturk")


def operation_named(target: str) -> OperationModel:
    name = target.removeprefix(PREFIX)
    if not target.startswith(PREFIX) or name not in service_model().operation_names:
        raise refused("UnknownOperationException", f"There is no operation {target[:100]!r}.")
    return service_model().operation_model(name)


def read_body(body: bytes) -> dict[str, Any]:
    """Return the JSON object; NaN and infinities are refused."""
    try:
        value = json.loads(body or b"{}", parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise refused("SerializationException", "The body is not valid JSON.") from None
    if not isinstance(value, dict):
        raise refused("SerializationException", "The body is not a JSON object.")
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def encode(shape: Shape | None, value: Any) -> Any:
    """Return what the shape allows of a value: times as seconds since 1970, nothing that is None or unknown."""
    if shape is None:
        return {}
    if shape.type_name == "structure" and isinstance(value, Mapping):
        members: Mapping[str, Shape] = shape.members  # type: ignore[attr-defined]
        return {k: encode(members[k], v) for k, v in value.items() if v is not None and k in members}
    if shape.type_name == "list":
        return [encode(shape.member, item) for item in value]  # type: ignore[attr-defined]
    if isinstance(value, datetime):
        return round(value.timestamp(), 3)
    return value
