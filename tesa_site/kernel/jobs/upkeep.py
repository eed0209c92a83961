"""What keeps an installation healthy: backups, and throwing away what nobody needs any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from tesa_site.kernel.job_kind import JobKind, Outcome
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.services import backup, cleaning


def back_up(parameters: Mapping[str, Any], progress: Progress) -> Outcome:
    name, report = backup.store_backup(progress)
    return Outcome(f"{name}: {report.text}.", reverse("backup", args=[name]))


def clean_up(parameters: Mapping[str, Any], progress: Progress) -> Outcome:
    return Outcome(cleaning.clean_up(progress))


BACK_UP = JobKind(label="Back up everything", queue="default", run=back_up, permission="kernel.operate")
CLEAN_UP = JobKind(label="Clean up", queue="default", run=clean_up, permission="kernel.operate")
