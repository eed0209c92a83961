"""Faults that a sandbox account asks for, to rehearse a bad day."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.marketplace.errors import MarketError, parameter, refused, request_error, service_fault

KINDS = ("error", "hang", "reset", "throttle", "throttle_wrapped")
LONGEST_HANG = 30


@dataclass(frozen=True)
class Fault:
    """`operation` "*" means all; `when` tells whether the call is carried out first; `rate` is a probability."""

    kind: str
    operation: str = "*"
    when: str = "before"
    rate: float = 1.0
    seconds: float = 0.0

    @property
    def is_after(self) -> bool:
        return self.when == "after" and not self.kind.startswith("throttle")


def read_faults(values: Sequence[Mapping[str, Any]]) -> list[Fault]:
    """Return the faults; raise if one is not understood."""
    try:
        found = [Fault(**value) for value in values]
    except TypeError:
        raise parameter("A fault has a kind and may have operation, when, rate and seconds.") from None
    for one in found:
        is_number = isinstance(one.rate, int | float) and isinstance(one.seconds, int | float)
        if one.kind not in KINDS or one.when not in ("before", "after") or not isinstance(one.operation, str):
            raise parameter(f"A fault's kind is one of {', '.join(KINDS)}, and when is before or after.")
        if not is_number or not 0 <= one.rate <= 1 or not 0 <= one.seconds <= LONGEST_HANG:
            raise parameter(f"A fault's rate is from 0 to 1, and it lasts at most {LONGEST_HANG} seconds.")
    return found


def drawn(faults: Sequence[Fault], operation: str) -> Fault | None:
    """Return the first fault that strikes this call."""
    hits = (one for one in faults if one.operation in ("*", operation) and random.random() < one.rate)  # noqa: S311
    return next(hits, None)


def error_of(fault: Fault) -> MarketError:
    if fault.kind == "throttle":
        return refused("ThrottlingException", "Rate exceeded")
    if fault.kind == "throttle_wrapped":
        return request_error("ThrottlingException", "Rate exceeded")
    return service_fault("The service is unavailable: a fault that this sandbox account asked for.")
