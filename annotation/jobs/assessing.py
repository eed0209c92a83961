"""Assessing a campaign's answers: agreement, evidence about workers, doubt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from annotation.models import Annotation, Campaign
from annotation.services import assessing, doubts
from tesa_site.kernel.job_kind import JobKind, JobResult
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import counted


def assess(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Run again, it replaces what it found."""
    campaign = Campaign.objects.filter(pk=parameters["campaign"]).first()
    if campaign is None:
        return JobResult("The campaign is gone.")
    answers = Annotation.objects.filter(assignment__campaign=campaign).count()
    total = max(1, -(-answers // assessing.EVERY) + campaign.tasks_made // doubts.CHUNK + 2)
    for done, step in enumerate(assessing.assess(campaign), 1):
        progress.report(min(done, total), total, step)
    return JobResult(f"{counted(answers, 'answer')} assessed.", reverse("agreement-campaign", args=[campaign.pk]))


ASSESS_CAMPAIGN = JobKind(
    label="Assess a campaign's answers", queue="default", run=assess, permission="annotation.add_review"
)
