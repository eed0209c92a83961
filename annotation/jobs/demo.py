"""The demo's campaigns and its release, made when its sample is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.services import assessing, demo
from corpus.models import Sample
from tesa_site.kernel import jobs
from tesa_site.kernel.job_kind import JobKind, JobResult
from tesa_site.kernel.models import User
from tesa_site.kernel.progress import Progress


def demo_campaigns(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    sample = Sample.objects.filter(name=parameters["sample"], is_demo=True).exclude(content_hash="").first()
    if sample is None:
        return JobResult("The demo is gone.")
    by = User.objects.filter(pk=parameters.get("by") or 0).first()
    given = demo.seed_campaigns(sample, by=by, report=progress.report)
    for campaign_id in demo.campaigns_over():
        if job := assessing.start_due(campaign_id, by=by):
            jobs.nudge(job)
    release = demo.seed_release(by=by, report=progress.report)
    then = ("demo_models", {"release": release.pk, "by": parameters.get("by")})
    return JobResult(f"{len(demo.PASTS)} campaigns with {given:,} invented answers, and a release.", then=then)


DEMO_CAMPAIGNS = JobKind(label="Make the demo's campaigns", queue="default", run=demo_campaigns)
