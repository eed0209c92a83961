"""When an answer comes too late to count.

An answer to an open turn counts. After the turn was given back, was taken back or expired, it counts only if its slot
is still free; otherwise it is kept as late until somebody decides about it (`services/payments.py`). What a
marketplace gave out counts at any time.
"""

from __future__ import annotations

from enum import StrEnum

from annotation.models import Assignment, AssignmentStatus, CampaignStatus, Participation, Task
from annotation.selectors.grants import holds_what_is_asked


class Gone(StrEnum):
    """Why an answer to a turn would not count."""

    ANSWERED = "answered"  # this person has answered it already
    EXCLUDED = "excluded"
    STOPPED = "stopped"  # no more tasks because of their trust or a grant, and they no longer hold this one
    FINISHED = "finished"  # they went back to the provider that sent them
    CLOSED = "closed"
    LIMIT = "limit"  # their answers and open turns reach the most that one person may give
    TAKEN = "taken"  # somebody else has the slot


def why_gone(person: Participation, turn: Assignment) -> Gone | None:
    """Return why an answer to this turn would not count; None if it would."""
    if turn.status in (AssignmentStatus.SUBMITTED, AssignmentStatus.LATE, AssignmentStatus.WITHDRAWN):
        return Gone.ANSWERED
    if person.excluded_at:
        return Gone.EXCLUDED
    if turn.status == AssignmentStatus.TAKEN or turn.is_placed:
        return None
    if person.stopped_at or not holds_what_is_asked(person.campaign, person.worker_id):
        return Gone.STOPPED
    if person.finished_at:
        return Gone.FINISHED
    if person.campaign.status == CampaignStatus.CLOSED:
        return Gone.CLOSED
    in_hand = person.assignments.filter(status=AssignmentStatus.TAKEN)
    if person.campaign.per_person and person.answered + in_hand.count() >= person.campaign.per_person:
        return Gone.LIMIT
    is_free = turn.task.is_gold or Task.objects.filter(pk=turn.task_id, free__gt=0).exists()
    return None if is_free else Gone.TAKEN
