"""Faults that a sandbox account asks for, to rehearse a bad day."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from marketplace.errors import MarketError, parameter, refused, request_error, service_fault

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
        faults = [Fault(**value) for value in values]
    except TypeError:
        raise parameter("A fault has a kind and may have operation, when, rate and seconds.") from None
    for fault in faults:
        is_number = isinstance(fault.rate, int | float) and isinstance(fault.seconds, int | float)
        if fault.kind not in KINDS or fault.when not in ("before", "after") or not isinstance(fault.operation, str):
            raise parameter(f"A fault's kind is one of {', '.join(KINDS)}, and when is before or after.")
        if not is_number or not 0 <= fault.rate <= 1 or not 0 <= fault.seconds <= LONGEST_HANG:
            raise parameter(f"A fault's rate is from 0 to 1, and it lasts at most {LONGEST_HANG} seconds.")
    return faults


def drawn(faults: Sequence[Fault], operation: str) -> Fault | None:
    """Return the first fault that strikes this call."""
    fitting = (fault for fault in faults if fault.operation in ("*", operation))
    return next((fault for fault in fitting if random.random() < fault.rate), None)  # noqa: S311


def error_of(fault: Fault) -> MarketError:
    if fault.kind == "throttle":
        return refused("ThrottlingException", "Rate exceeded")
    if fault.kind == "throttle_wrapped":
        return request_error("ThrottlingException", "Rate exceeded")
    return service_fault("The service is unavailable: a fault that this sandbox account asked for.")
