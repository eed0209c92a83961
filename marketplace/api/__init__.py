"""The requester endpoint: every operation of the protocol by name."""

from __future__ import annotations

from marketplace.api import assignments, hits, people, qualifications
from marketplace.api.calls import Handler, not_supported

OPERATIONS: dict[str, Handler] = {
    **hits.OPERATIONS,
    **assignments.OPERATIONS,
    **qualifications.OPERATIONS,
    **people.OPERATIONS,
    "GetFileUploadURL": not_supported,
    "SendTestEventNotification": not_supported,
    "UpdateNotificationSettings": not_supported,
}
