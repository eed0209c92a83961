"""The product's settings plus a job that does nothing: what is left is the queue's own work."""

from __future__ import annotations

from tesa_site.settings import *  # noqa: F403
from tesa_site.settings import TESA_JOB_KINDS as _KINDS

TESA_JOB_KINDS = {**_KINDS, "empty": "benchmarks.empty_job:EMPTY"}
