"""Withdrawal deletes a person's answers and identity, and keeps the pay owed to them."""

from __future__ import annotations

import secrets

from django.db import transaction
from django.db.models import F

from annotation.models import (
    AgreementReport,
    Annotation,
    Assignment,
    AssignmentStatus,
    HeldGrant,
    Invite,
    LateDecision,
    Participation,
    PaymentDetail,
    ProblemReport,
    TrustStop,
    Worker,
    WorkerVerdict,
)
from annotation.providers import PROVIDERS
from annotation.providers.base import Completion, Outcome
from annotation.selectors import annotators
from annotation.selectors.payments import owed_to
from annotation.selectors.places_left import erased_name
from annotation.services import doubts, finishing
from annotation.services.assigning import lock_tasks, return_turn
from annotation.services.excluding import uncount
from kernel.clock import now
from kernel.services import audit

CHANGED = (
    "withdrawn_at", "finished_at", "completion", "arrival", "worker", "invite", "active_ms", "gold_seen", "gold_right",
    "gold_points", "quiz_chosen",
)  # fmt: skip


def outcome_of(person: Participation) -> Outcome:
    """Return the outcome of leaving now: as if they finished here, or as not agreed if they have answered nothing."""
    if person.completion:
        return Outcome(person.completion)
    if not finishing.can_finish(person):
        return Outcome.NO_CONSENT
    return Outcome.LEFT_EARLY if finishing.is_partial(person) else Outcome.COMPLETED


@transaction.atomic(durable=True)
def withdraw(secret: str) -> tuple[Participation, Completion | None]:
    """Erase a person's texts and ids in one campaign; return them and how they go back. Repeating it has no effect."""
    rows = Participation.objects.select_related("campaign", "worker").select_for_update(of=("self",))
    person = rows.get(**annotators.owner_of(secret))
    outcome = outcome_of(person)
    completion = finishing.completion(person, outcome)
    if person.withdrawn_at:
        return person, completion
    if person.consented_at is None:
        _forget_visit(person)
        return person, completion
    mine = Assignment.objects.filter(participation=person).select_for_update()
    tasks = lock_tasks(mine.values_list("task_id", flat=True))
    return_turn(person)
    answers = _erase_answers(person)
    doubts.forget_scores(tasks)
    if answers:  # the report quotes them
        AgreementReport.objects.filter(campaign=person.campaign).delete()
    if not owed_to(person):
        PaymentDetail.objects.filter(participation=person).delete()  # otherwise it goes once they are paid
    _forget_who(person)
    person.withdrawn_at = now()
    if finishing.was_sent(person):
        person.finished_at, person.completion = person.finished_at or person.withdrawn_at, outcome
        kept = PROVIDERS[person.campaign.provider].kept_details
        person.arrival = {name: person.arrival.get(name, "") for name in kept}
    person.invite, person.active_ms = None, 0
    person.gold_seen = person.gold_right = person.gold_points = 0
    person.save(update_fields=CHANGED)
    audit.record("withdraw", person, by=None, after={"answers erased": answers, "earned": str(person.earned)})
    return person, completion


def _forget_visit(person: Participation) -> None:
    """Delete every trace of somebody who never agreed, even that they came; their place is free again."""
    worker, invite_id = person.worker, person.invite_id
    Participation.objects.filter(pk=person.pk).delete()
    if invite_id:
        Invite.objects.filter(pk=invite_id, used__gt=0).update(used=F("used") - 1)
    if not worker.participations.exists():
        worker.delete()


def _erase_answers(person: Participation) -> int:
    """Delete all texts, drafts, signals, reports and verdicts; return how many answers count no more."""
    mine = Assignment.objects.filter(participation=person)
    submitted = mine.filter(status=AssignmentStatus.SUBMITTED)
    counted = submitted.filter(task__is_gold=False) if person.excluded_at is None else submitted.none()
    uncount(list(counted.values_list("task_id", flat=True)), free=1)
    uncount(list(submitted.filter(task__is_gold=True).values_list("task_id", flat=True)), free=0)
    for model in (Annotation, ProblemReport, LateDecision):
        model.objects.filter(assignment__participation=person).delete()
    WorkerVerdict.objects.filter(participation=person).delete()
    TrustStop.objects.filter(participation=person).delete()
    person.practice_answers.all().delete()
    person.quiz_chosen = {}
    count = mine.filter(status__in=(AssignmentStatus.SUBMITTED, AssignmentStatus.LATE)).update(
        status=AssignmentStatus.WITHDRAWN
    )
    mine.filter(status=AssignmentStatus.EXPIRED).update(status=AssignmentStatus.RETURNED)  # no draft can come back
    mine.update(draft=None, draft_at=None)
    return count


def _forget_who(person: Participation) -> None:
    """Remove everything in this campaign that points to the person; campaigns they have not left keep knowing them.

    If pay is owed, a mark that cannot be read back takes the id's place, so that the same account cannot earn twice.
    """
    worker = person.worker
    owed = erased_name(person.campaign.slug, worker.provider, worker.external_id)
    nobody = owed if person.earned else f"erased {secrets.token_hex(16)}"
    if worker.participations.exclude(pk=person.pk).filter(withdrawn_at=None).exists():
        person.worker = Worker.objects.create(provider=worker.provider, external_id=nobody, is_demo=worker.is_demo)
        return
    HeldGrant.objects.filter(worker=worker).delete()
    worker.external_id, worker.user = nobody, None
    worker.save(update_fields=["external_id", "user"])
