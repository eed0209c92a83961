"""The events that people can get e-mails about, and the job that sends them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from annotation.selectors import notices as annotation_notices
from kernel import jobs, selectors
from kernel.clock import now
from kernel.errors import TesaError
from kernel.job_kind import JobKind, JobResult
from kernel.models import Job
from kernel.notice_kind import NoticeKind
from kernel.progress import Progress
from kernel.services import jobs as job_services
from kernel.services import notices

BETWEEN_TRIES = timedelta(minutes=10)
KINDS: Mapping[str, NoticeKind] = {
    "campaign_complete": NoticeKind(
        "A campaign is complete", "annotation.view_campaign", annotation_notices.complete_campaigns
    ),
    "low_wage": NoticeKind("Hourly pay is below the target", "annotation.view_campaign", annotation_notices.low_wages),
    "flagged_participant": NoticeKind(
        "A quality check flags a participant", "annotation.view_campaign", annotation_notices.flagged_participants
    ),
    "failed_job": NoticeKind("A job failed", "kernel.view_job", selectors.failed_job_notices),
}


def send_notices(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    sent, failed = notices.send_due_notices(KINDS)
    if failed:
        raise TesaError(
            f"The mail server refused {failed} of {sent + failed} notices; they will be sent again in ten minutes. "
            "Check TESA_EMAIL_URL."
        )
    return JobResult(f"{sent} sent.")


SEND_NOTICES = JobKind(
    label="Send e-mail notices", queue="default", run=send_notices, repeatable=True, permission="kernel.operate"
)


def start_sending() -> None:
    """Queue the job if there is news for somebody, at most every ten minutes."""
    if Job.objects.filter(kind="send_notices", created_at__gt=now() - BETWEEN_TRIES).exists():
        return
    if next(notices.due_notices(KINDS), None) is not None:
        jobs.nudge(job_services.create_job("send_notices", subject="e-mail", lock="notices"))
