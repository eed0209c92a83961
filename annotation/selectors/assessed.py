"""Whether a campaign's answers have been assessed as they are now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from annotation.models import AgreementReport, Campaign, CampaignStatus, Task
from annotation.selectors.agreement import answers_now
from annotation.selectors.review_queue import tasks_to_score
from kernel.models import OPEN_STATUSES, Job


def lock_of(campaign: Campaign) -> str:
    """Return what keeps a campaign from being assessed twice at a time."""
    return f"assess campaign {campaign.pk}"


def job_at_work(campaign: Campaign) -> Job | None:
    return Job.objects.filter(lock=lock_of(campaign), status__in=OPEN_STATUSES).first()


def is_over(campaign: Campaign) -> bool:
    """Tell whether nobody is expected to answer any more."""
    if campaign.status == CampaignStatus.CLOSED:
        return True
    tasks = Task.objects.filter(campaign=campaign, is_gold=False)
    return tasks.exists() and not tasks.filter(answers__lt=F("slots")).exists()


def is_due(campaign: Campaign) -> bool:
    """Tell whether there are answers that the last assessment has not seen."""
    answers = answers_now(campaign)
    measured = AgreementReport.objects.filter(campaign=campaign).values_list("measured_on", flat=True).first()
    return answers.number > 0 and (measured != answers.mark or tasks_to_score(campaign).exists())


@dataclass(frozen=True)
class AssessmentState:
    """What a page says of it: was it ever made, is it to be made (again), and which job does it now.

    The checks of people run on their own as well, so that there may be warnings before the first assessment.
    """

    is_made: bool
    is_due: bool
    job: Job | None
    made_at: datetime | None
    people_checked_at: datetime | None


def assessment(campaign: Campaign, *, is_due: bool) -> AssessmentState:
    made_at = AgreementReport.objects.filter(campaign=campaign).values_list("made_at", flat=True).first()
    is_made, job = made_at is not None, job_at_work(campaign)
    return AssessmentState(is_made, is_due or not is_made, job, made_at, campaign.people_checked_at)
