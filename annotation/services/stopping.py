"""Giving nobody below a campaign's limit of trust further tasks. What they did stays, counts and is paid.

It happens in the transaction that changes somebody's counters, while their row is locked: nobody gets a task after it.
Researchers see each stop with its evidence and can undo it.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.models import Campaign, Participation, TrustStop
from annotation.providers.base import Outcome
from annotation.quality.trust import Trust, TrustLimit, trust_of
from annotation.services.excluding import lock_person, reason_in
from kernel.clock import now
from kernel.models import User
from kernel.services import audit
from kernel.values import Json

GOLD_CHANGED = "The known answers of a check task were corrected, or it was withdrawn."


def limit_of(campaign: Campaign) -> TrustLimit:
    return TrustLimit(campaign.trust_stop, campaign.trust_tests)


def stop_if_due(person: Participation, moment: datetime) -> bool:
    """Stop a locked person whose trust is below the campaign's limit; the caller saves `stopped_at`."""
    trust = trust_of(person.gold_points, person.gold_seen)
    if person.stopped_at or trust is None or not _is_missed(person, trust):
        return False
    limit = limit_of(person.campaign)
    person.stopped_at = moment
    TrustStop.objects.create(
        participation_id=person.pk, made_at=moment, points=trust.points, tests=trust.tests, percent=limit.percent
    )
    after: Json = {"trust": trust.in_words, "limit": f"{limit.percent}% from {limit.least} check tasks on"}
    audit.record("stop person", person, by=None, after=after)
    return True


def follow_gold(person: Participation, *, by: User | None) -> None:
    """Stop a locked person, or lift their stop, where gold that was corrected or withdrawn calls for it."""
    if not person.stopped_at:
        stop_if_due(person, now())
        return
    trust = trust_of(person.gold_points, person.gold_seen)
    if trust is None or not _is_missed(person, trust):
        _lift(person, GOLD_CHANGED, by=by)


def _is_missed(person: Participation, trust: Trust) -> bool:
    return limit_of(person.campaign).is_missed(trust, least=person.trust_from)


@transaction.atomic(durable=True)
def undo_stop(participation_id: int, *, reason: str, by: User | None) -> Participation:
    """Let somebody go on. The limit acts again after as many further check tasks as the campaign asks for."""
    reason = reason_in(reason)
    person = lock_person(participation_id)
    if not person.stopped_at:
        return person
    person.trust_from = person.gold_seen + person.campaign.trust_tests
    _lift(person, reason, by=by)
    person.save(update_fields=["stopped_at", "trust_from", "finished_at", "completion"])
    return person


def _lift(person: Participation, reason: str, *, by: User | None) -> None:
    """Undo the stop of a locked person; the caller saves the row. A visit that it ended can go on."""
    person.stopped_at = None
    if person.completion == Outcome.EXCLUDED and not person.excluded_at:
        person.finished_at, person.completion = None, ""
    open_stop = TrustStop.objects.filter(participation=person, undone_at=None)
    open_stop.update(undone_at=now(), undone_by=by, undone_why=reason)
    audit.record("undo stop of person", person, by=by, reason=reason)
