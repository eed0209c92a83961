"""Looking at a campaign's people with every worker filter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from annotation.models import Campaign
from annotation.services import doubts, people
from tesa_site.kernel.job_kind import JobKind, JobResult
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import counted


def look_at_people(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    campaign = Campaign.objects.filter(pk=parameters["campaign"]).first()
    if campaign is None:
        return JobResult("The campaign is gone.")
    progress.report(0, 1, "reading every answer")
    number = people.look_at_people(campaign)
    while doubts.catch_up(campaign, most=doubts.CHUNK):
        progress.report(0, 1, "scoring tasks for the review")
    progress.report(1, 1)
    return JobResult(f"The filters have {counted(number, 'remark')}.", reverse("campaign-people", args=[campaign.pk]))


LOOK_AT_PEOPLE = JobKind(
    label="Look at a campaign's people",
    queue="default",
    run=look_at_people,
    permission="annotation.change_participation",
)
