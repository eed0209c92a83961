"""Errors of the requester endpoint, as boto3 expects them.

MarketError                 one answer: `kind` is what boto3 shows as Error.Code, `code` the TurkErrorCode
├── request_error(...)      RequestError with a TurkErrorCode; the message ends with a timestamp in milliseconds
├── invalid(...)            ValidationException: one sentence for each member that is wrong
└── refused(...)            any other kind: signatures, unknown operations, throttling
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

PREFIX = "AWS.MechanicalTurk."


class MarketError(Exception):
    """An answer other than success. Nothing was changed."""

    def __init__(self, kind: str, message: str, *, code: str = "", status: int = 400) -> None:
        self.kind, self.message, self.code, self.status = kind, message, code, status
        super().__init__(message)

    @property
    def sentence(self) -> str:
        """The message without the timestamp at its end, for a page."""
        return re.sub(r" \(\d+\)$", "", self.message)

    def body(self) -> dict[str, str]:
        return {"__type": self.kind, "Message": self.message} | ({"TurkErrorCode": self.code} if self.code else {})


def request_error(code: str, message: str) -> MarketError:
    """Return a RequestError; `code` without its prefix."""
    return MarketError("RequestError", f"{message} ({time.time_ns() // 1_000_000})", code=PREFIX + code)


def service_fault(message: str) -> MarketError:
    return MarketError("ServiceFault", message, code="AWS.ServiceUnavailable", status=500)


def invalid(problems: Sequence[str]) -> MarketError:
    """Return a ValidationException that lists every problem."""
    word = "error" if len(problems) == 1 else "errors"
    return MarketError("ValidationException", f"{len(problems)} validation {word} detected: {'; '.join(problems)}")


def refused(kind: str, message: str, status: int = 400) -> MarketError:
    return MarketError(kind, message, status=status)


def parameter(message: str) -> MarketError:
    return request_error("InvalidParameterValue", message)


def missing(what: str, identity: str) -> MarketError:
    """Return `HITDoesNotExist` and its like; `what` is the beginning of the code."""
    return request_error(f"{what}DoesNotExist", f"{what} {identity} does not exist.")


def wrong_state(what: str, state: str, allowed: str) -> MarketError:
    message = (
        f"This {what} is currently in the state '{state}'. This operation can be called with a status of: {allowed}"
    )
    return request_error(f"Invalid{what}State", message)
