"""Every kind of job there is: name → "module:attribute" of a tesa_site.kernel.job_kind.JobKind."""

from __future__ import annotations

JOB_KINDS = {
    "check_worker": "tesa_site.kernel.jobs.check_worker:CHECK_WORKER",
}
