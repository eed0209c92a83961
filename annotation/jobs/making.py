"""Making a campaign's tasks, a few hundred at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from annotation.models import Campaign
from annotation.services import campaigns
from tesa_site.kernel.job_kind import JobKind, JobResult
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import counted


def make_tasks(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    campaign = Campaign.objects.select_related("sample").filter(pk=parameters["campaign"]).first()
    if campaign is None:
        return JobResult("The campaign is gone.")
    total = campaign.sample.size
    for done in campaigns.make_tasks(campaign):
        progress.report(done, total, f"{counted(done, 'task')} made")
    return JobResult(f"{counted(total, 'task is', 'tasks are')} ready.", reverse("campaign", args=[campaign.pk]))


MAKE_TASKS = JobKind(
    label="Make a campaign's tasks", queue="default", run=make_tasks, permission="annotation.add_campaign"
)
