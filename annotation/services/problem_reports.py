"""Problems that annotators report with a text, and settling them."""

from __future__ import annotations

from django.db import transaction

from annotation.models import Assignment, ProblemReport
from annotation.services.assigning import lock_participation
from kernel.clock import now
from kernel.errors import InvalidInput
from kernel.models import User
from kernel.services import audit
from kernel.values import storable

MOST_CHARACTERS = 2000  # characters


@transaction.atomic
def report_problem(secret: str, assignment_id: int, text: str) -> ProblemReport:
    """Store a word about one's own task; the same word twice is stored once."""
    person = lock_participation(secret)
    assignment = Assignment.objects.get(pk=assignment_id, participation=person)
    words = " ".join(storable(text).split())[:MOST_CHARACTERS]
    if not words:
        raise InvalidInput("say in a few words what is wrong, so that somebody can fix it", field="text")
    return ProblemReport.objects.get_or_create(assignment=assignment, text=words)[0]


@transaction.atomic(durable=True)
def settle_report(report_id: int, *, by: User | None) -> ProblemReport:
    """Mark a report as dealt with."""
    settled = ProblemReport.objects.filter(pk=report_id, settled_at=None).update(settled_at=now(), settled_by=by)
    report = ProblemReport.objects.get(pk=report_id)
    if settled:
        audit.record("settle report", report, by=by)
    return report
