from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernel.job_kind import JobKind, JobResult
from kernel.progress import Progress


def do_nothing(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    return JobResult("Nothing was to be done.")


EMPTY = JobKind(label="Do nothing", queue="default", run=do_nothing, repeatable=True)
