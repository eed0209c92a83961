"""The states of HITs and assignments, and the periods that the protocol promises."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum

OVERRIDE = timedelta(days=30)  # how long after its submission a rejection can be reversed
DISPOSAL = timedelta(days=120)  # from a HIT's expiry to its disposal
TOKEN_LIFE = timedelta(hours=24)
ON_ITS_WAY = timedelta(seconds=5)  # how long after the end of a test its answers may still arrive
QUEUE = 25  # HITs one worker may hold at a time


class HITStatus(StrEnum):
    ASSIGNABLE = "Assignable"
    UNASSIGNABLE = "Unassignable"
    REVIEWABLE = "Reviewable"
    REVIEWING = "Reviewing"
    DISPOSED = "Disposed"


class AssignmentState(StrEnum):
    """The first three are the protocol's; of the others it has no record."""

    SUBMITTED = "Submitted"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    ACCEPTED = "Accepted"
    FREE = "Free"  # returned or abandoned; the id goes to the next worker


class RequestState(StrEnum):
    """The states of a worker's request for a qualification. Requesters see it once it is pending."""

    UNDER_WAY = "UnderWay"  # the worker is taking the test
    PENDING = "Pending"
    GRANTED = "Granted"
    REJECTED = "Rejected"
    LAPSED = "Lapsed"  # the time for the test ran out


OPEN_REQUEST = (RequestState.UNDER_WAY, RequestState.PENDING)
SEEN = (AssignmentState.SUBMITTED, AssignmentState.APPROVED, AssignmentState.REJECTED)
LIVE = (AssignmentState.ACCEPTED, *SEEN)


def hit_status(*, is_disposed: bool, is_reviewing: bool, is_expired: bool, available: int, pending: int) -> HITStatus:
    """Return the state that follows from the counters."""
    if is_disposed:
        return HITStatus.DISPOSED
    if available > 0 and not is_expired:
        return HITStatus.ASSIGNABLE
    if pending > 0:
        return HITStatus.UNASSIGNABLE
    return HITStatus.REVIEWING if is_reviewing else HITStatus.REVIEWABLE
