"""What a request may say: the service model's types, patterns, enumerations and lengths, and limits from the manual."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from botocore.model import OperationModel, Shape

from marketplace.errors import invalid, refused

YEAR = 31_536_000
FIRST, LAST = 30, YEAR
# Limits the service model leaves out, by member: the fewest and the most (characters, seconds, items).
LIMITS: dict[str, tuple[int, int]] = {
    "Title": (1, 128),
    "Description": (1, 2000),
    "Keywords": (0, 1000),
    "RequesterAnnotation": (0, 255),
    "LifetimeInSeconds": (FIRST, LAST),
    "AssignmentDurationInSeconds": (FIRST, LAST),
    "AutoApprovalDelayInSeconds": (0, 2_592_000),
    "MaxAssignments": (1, 1_000_000_000),
    "NumberOfAdditionalAssignments": (1, 1_000_000_000),
    "QualificationRequirements": (0, 10),
    "IntegerValues": (0, 15),
    "LocaleValues": (0, 30),
    "RetryDelayInSeconds": (0, LAST),
    "TestDurationInSeconds": (1, LAST),
    "Name": (1, 200),
    "Subject": (1, 200),
    "MessageText": (1, 4096),
    "WorkerIds": (1, 100),
    "Reason": (0, 4096),
    "RequesterFeedback": (0, 1024),
    "Query": (0, 200),
    "QualificationRequestId": (1, 64),
    "QualificationTypeId": (1, 64),
}
IN_BYTES = {"Question": 65_535, "Test": 65_535, "AnswerKey": 65_535}
WIDEST_INTEGER = {"integer": 2**31 - 1, "long": 2**63 - 1}
LAST_MOMENT = datetime(2100, 1, 1, tzinfo=UTC).timestamp()
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "integer": (int,), "long": (int,), "list": (list,), "structure": (dict,),
    "timestamp": (int, float),
}  # fmt: skip


def checked(operation: OperationModel, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters with times as datetimes; raise one error that names every member that is wrong."""
    problems: list[str] = []
    value = _structure(operation.input_shape, body, "", problems)
    if problems:
        raise invalid(problems)
    return value


def _structure(shape: Any, value: Mapping[str, Any], path: str, problems: list[str]) -> dict[str, Any]:
    members: Mapping[str, Shape] = shape.members if shape else {}
    before = f"{path}." if path else ""
    for name in sorted(set(value) - set(members)):
        problems.append(f"Value at '{before}{lower(name)[:100]}' failed to satisfy constraint: Unknown member")
    for name in shape.required_members if shape else ():
        if value.get(name) is None:
            text = "failed to satisfy constraint: Member must not be null"
            problems.append(f"Value null at '{before}{lower(name)}' {text}")
    present = {name: item for name, item in value.items() if item is not None and name in members}
    return {name: _value(members[name], item, name, before + lower(name), problems) for name, item in present.items()}


def _value(shape: Shape, value: Any, name: str, path: str, problems: list[str]) -> Any:
    kind = shape.type_name
    is_bool = isinstance(value, bool)
    if kind in TYPES and (not isinstance(value, TYPES[kind]) or (is_bool and kind != "boolean")):
        raise refused("SerializationException", f"The value at '{path}' has the wrong type; {kind} expected.")
    if kind == "structure":
        return _structure(shape, value, path, problems)
    constraint = _broken_constraint(shape, value, name)
    if constraint:
        problems.append(
            f"Value '{_shortened(value)}' at '{path}' failed to satisfy constraint: Member must {constraint}"
        )
        return value
    if kind == "list":
        inner: Shape = shape.member  # type: ignore[attr-defined]
        return [_value(inner, item, "", f"{path}.{n}.member", problems) for n, item in enumerate(value, start=1)]
    return datetime.fromtimestamp(value, UTC) if kind == "timestamp" else value


def _broken_constraint(shape: Shape, value: Any, name: str) -> str:
    """Return what the value must satisfy and does not; "" if it is fine."""
    kind = shape.type_name
    if kind == "boolean":
        return ""
    if kind == "timestamp":
        is_fine = math.isfinite(value) and -LAST_MOMENT < value < LAST_MOMENT
        return "" if is_fine else "be a time between 1900 and 2100"
    low, high = LIMITS.get(name, (None, None))
    low, high = shape.metadata.get("min", low), shape.metadata.get("max", high)
    if kind in WIDEST_INTEGER:
        return _out_of("value", value, low, WIDEST_INTEGER[kind] if high is None else high)
    if kind == "string":
        return _broken_text(shape, value, name) or _out_of("length", len(value), low, high)
    return _out_of("length", len(value), low, high)


def _broken_text(shape: Any, value: str, name: str) -> str:
    if shape.enum and value not in shape.enum:
        return f"satisfy enum value set: [{', '.join(shape.enum)}]"
    pattern = shape.metadata.get("pattern")
    if pattern and not re.fullmatch(pattern.strip("^$"), value):
        return f"satisfy regular expression pattern: {pattern}"
    if name in IN_BYTES and len(value.encode("utf-8", "replace")) > IN_BYTES[name]:
        return f"have at most {IN_BYTES[name]} bytes"
    if re.search(r"[\x00\ud800-\udfff]", value):
        return "contain no NUL character and no half of a surrogate pair"
    return ""


def _out_of(what: str, size: int, low: int | None, high: int | None) -> str:
    if low is not None and size < low:
        return f"have {what} greater than or equal to {low}"
    if high is not None and size > high:
        return f"have {what} less than or equal to {high}"
    return ""


def lower(name: str) -> str:
    return name[:1].lower() + name[1:]


def _shortened(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:60] + "…"
