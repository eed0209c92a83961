"""What the team decides about people and their answers. Filters propose, a person decides, nobody is rejected.

Excluded people are still paid and keep their answers, which no longer count; other people are asked instead.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import F

from annotation.models import AssignmentStatus, Campaign, Participation, ProblemReport, Task, WorkerVerdict
from annotation.quality.worker_filters import look_at_workers
from annotation.selectors import people as selectors
from annotation.selectors.cleaned import CleanedRow
from annotation.services import doubts, people_checks
from annotation.services.assigning import lock_tasks, return_slot
from annotation.task_types import TASK_TYPES
from tesa_site.kernel.clock import now
from tesa_site.kernel.errors import InvalidInput, WrongState
from tesa_site.kernel.models import User
from tesa_site.kernel.services import audit
from tesa_site.kernel.values import batches, storable

CHUNK = 500


def look_at_people(campaign: Campaign, rows: Iterable[CleanedRow] | None = None) -> int:
    """Run every worker filter, replace the stored concerns and return how many there are now.

    `rows` are the cleaned answers, late ones too, if the caller has them already.
    """
    answers, moment = people_checks.answers_given(campaign), now()  # before they are read
    filters = TASK_TYPES[campaign.task_type].worker_filters
    concerns = look_at_workers(selectors.worker_records(campaign, rows), filters)
    with transaction.atomic():
        here = lock_people(campaign)
        concerns = tuple(concern for concern in concerns if int(concern.worker) in here)
        WorkerVerdict.objects.filter(participation__campaign=campaign).delete()
        WorkerVerdict.objects.bulk_create(
            WorkerVerdict(
                participation_id=int(concern.worker),
                filter=concern.filter,
                level=concern.level.value,
                evidence=concern.evidence,
                numbers=dict(concern.numbers),
                made_at=moment,
            )
            for concern in concerns
        )
    # Outside the transaction: a process that has locked people must not wait for a campaign.
    Campaign.objects.filter(pk=campaign.pk).update(people_checked_at=moment, people_checked_answers=answers)
    return len(concerns)


def lock_people(campaign: Campaign) -> set[int]:
    """Lock the participations, so that nobody withdraws meanwhile; return the ids that have not withdrawn."""
    rows = Participation.objects.filter(campaign=campaign, withdrawn_at=None).order_by("pk")
    return set(rows.select_for_update(no_key=True).values_list("pk", flat=True))


def lock_person(participation_id: int) -> Participation:
    """Return this participation with its campaign and worker, locked until the transaction ends."""
    rows = Participation.objects.select_related("campaign", "worker").select_for_update(of=("self",))
    return rows.get(pk=participation_id)


def reason_in(text: str) -> str:
    """Return a reason as it is stored; raises if it is empty."""
    reason = " ".join(storable(text).split())
    if not reason:
        raise InvalidInput("say why: the decision must be explained to the person", field="reason")
    return reason[:500]


@transaction.atomic(durable=True)
def exclude(participation_id: int, *, reason: str, by: User | None) -> Participation:
    """Stop counting this person's answers and ask other people instead; they keep what they earned."""
    reason = reason_in(reason)
    person = lock_person(participation_id)
    if person.excluded_at:
        return person
    if person.withdrawn_at:
        raise WrongState("This person has withdrawn: none of their answers count.")
    person.excluded_at, person.excluded_why = now(), reason
    person.save(update_fields=["excluded_at", "excluded_why"])
    in_hand = list(person.assignments.filter(status=AssignmentStatus.TAKEN).select_for_update(of=("self",)))
    tasks = _counted_tasks(person)
    lock_tasks([*tasks, *(turn.task_id for turn in in_hand)])
    for turn in in_hand:
        turn.status, turn.ended_at = AssignmentStatus.EXPIRED, person.excluded_at
        turn.save(update_fields=["status", "ended_at"])
        return_slot(turn.task_id)
    for some in batches(tasks, CHUNK):
        Task.objects.filter(pk__in=some).update(answers=F("answers") - 1, free=F("free") + 1)
    doubts.forget_scores(tasks)
    audit.record("exclude person", person, by=by, reason=reason, after={"answers": len(tasks)})
    return person


@transaction.atomic(durable=True)
def include(participation_id: int, *, reason: str, by: User | None) -> Participation:
    """Count this person's answers again, beside those that others gave in the meantime."""
    reason = reason_in(reason)
    person = lock_person(participation_id)
    if not person.excluded_at:
        return person
    before = person.excluded_why
    person.excluded_at, person.excluded_why = None, ""
    person.save(update_fields=["excluded_at", "excluded_why"])
    tasks = lock_tasks(_counted_tasks(person))
    for some in batches(tasks, CHUNK):
        count_again(some)
    doubts.forget_scores(tasks)
    audit.record("include person", person, by=by, reason=reason, before={"excluded": before})
    return person


def _counted_tasks(person: Participation) -> list[int]:
    turns = person.assignments.filter(status=AssignmentStatus.SUBMITTED, task__is_gold=False)
    return sorted(turns.values_list("task_id", flat=True))


def count_again(ids: list[int]) -> None:
    """Add one answer to each of these locked tasks, in a free slot or, if there is none, in an additional one."""
    tasks = Task.objects.filter(pk__in=ids)
    full = list(tasks.filter(free=0).values_list("pk", flat=True))
    tasks.exclude(pk__in=full).update(answers=F("answers") + 1, free=F("free") - 1)
    Task.objects.filter(pk__in=full).update(answers=F("answers") + 1, slots=F("slots") + 1)


@transaction.atomic(durable=True)
def settle_report(report_id: int, *, by: User | None) -> ProblemReport:
    """Mark a report as dealt with."""
    settled = ProblemReport.objects.filter(pk=report_id, settled_at=None).update(settled_at=now(), settled_by=by)
    report = ProblemReport.objects.get(pk=report_id)
    if settled:
        audit.record("settle report", report, by=by)
    return report
