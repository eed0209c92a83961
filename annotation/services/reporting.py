"""What annotators tell about a text."""

from __future__ import annotations

from django.db import transaction

from annotation.models import Assignment, ProblemReport
from annotation.services.assigning import lock_participation
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.values import storable

LONGEST = 2000  # characters


@transaction.atomic
def report_problem(secret: str, assignment_id: int, text: str) -> ProblemReport:
    """Store a word about one's own task; the same word twice is stored once."""
    person = lock_participation(secret)
    assignment = Assignment.objects.get(pk=assignment_id, participation=person)
    told = " ".join(storable(text).split())[:LONGEST]
    if not told:
        raise InvalidInput("say in a few words what is wrong, so that somebody can mend it", field="text")
    return ProblemReport.objects.get_or_create(assignment=assignment, text=told)[0]
