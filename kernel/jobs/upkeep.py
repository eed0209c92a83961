"""Jobs that keep an installation healthy: backups and the daily clean-up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from kernel.job_kind import JobKind, JobResult
from kernel.progress import Progress
from kernel.services import backup, removing


def back_up(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    name, report = backup.store_backup(progress)
    return JobResult(f"{name}: {report.text}.", reverse("backup", args=[name]))


def clean_up(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    return JobResult(removing.remove_old_data(progress))


BACK_UP = JobKind(
    label="Back up everything", queue="default", run=back_up, repeatable=True, permission="kernel.operate"
)
CLEAN_UP = JobKind(label="Clean up", queue="default", run=clean_up, repeatable=True, permission="kernel.operate")
