"""What a draft and a submit read of one turn: only what they need, because all annotators wait for this."""

from __future__ import annotations

from annotation.models import Assignment, Campaign, Participation, Placement, Task
from annotation.models.placements import PLACED
from kernel.databases.joined import Joined

FROM = f"""
    FROM {Assignment._meta.db_table} AS turn
    JOIN {Task._meta.db_table} AS task ON task.id = turn.task_id
    JOIN {Participation._meta.db_table} AS person ON person.id = turn.participation_id
    JOIN {Campaign._meta.db_table} AS campaign ON campaign.id = person.campaign_id
    WHERE turn.id = %s AND """
BY_SECRET = "person.secret = %s"  # noqa: S105 - SQL
BY_PLACEMENT = f"person.id = (SELECT participation_id FROM {Placement._meta.db_table} WHERE secret = %s)"  # noqa: S608
# What is checked before the turn. Nothing is locked, so whatever may change is read again in it.
ASKED = {
    "turn": (Assignment, ("task", "participation", "status")),
    "task": (Task, ("question",)),
    "person": (Participation, ("campaign", "excluded_at", "withdrawn_at")),
    "campaign": (Campaign, ("task_type", "task_settings")),
}
# What is decided by in the turn, and shown on the next page. Another column is read when it is asked for.
LOCKED = {
    "turn": (Assignment, ("task", "participation", "status", "taken_at", "expires_at", "is_placed")),
    "task": (Task, ("is_gold", "gold")),
    "person": (
        Participation,
        (
            "campaign", "worker", "arrival", "signals_agreed", "given", "answered", "gold_seen", "gold_right",
            "gold_points", "trust_from", "stopped_at",
            "active_ms", "earned", "last_seen_at", "finished_at", "excluded_at", "withdrawn_at",
        ),
    ),
    "campaign": (
        Campaign,
        (
            "name", "task_type", "task_settings", "status", "provider", "provider_settings", "reward",
            "currency", "time_limit_s", "per_person", "gold_every", "trust_stop", "trust_tests", "shows_reasons",
            "quiz_gold", "qualifications", "keeps_authors_out", "contact", "seed",
        ),
    ),
}  # fmt: skip
_asked = {way: Joined(ASKED, FROM + way) for way in (BY_SECRET, BY_PLACEMENT)}
_locked = {way: Joined(LOCKED, FROM + way, locks="person, turn") for way in (BY_SECRET, BY_PLACEMENT)}


def asked(secret: str, assignment_id: int) -> Assignment:
    """Return one of this person's turns with its question, whom it asks, and the kind of task."""
    return _turn(_asked, secret, assignment_id)


def locked(secret: str, assignment_id: int) -> Assignment:
    """Return one of this person's turns with all that decides about it; the person and the turn are locked."""
    return _turn(_locked, secret, assignment_id)


def _turn(ways: dict[str, Joined], secret: str, assignment_id: int) -> Assignment:
    way = BY_PLACEMENT if secret.startswith(PLACED) else BY_SECRET
    turn, task, person, campaign = ways[way].get(assignment_id, secret)
    turn.task, turn.participation, person.campaign = task, person, campaign
    person.secret = secret  # never saved: the pages lead to the address they came by
    return turn  # type: ignore[no-any-return]
