"""Bringing in answers that were given on MTurk, from a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.urls import reverse

from annotation.models import Campaign
from annotation.services import importing
from corpus.services import uploads
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.job_kind import JobKind, JobResult
from tesa_site.kernel.models import User
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import counted

LOGGED = 200  # bad rows that are named one by one


def import_mturk_results(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    campaign = Campaign.objects.filter(pk=parameters["campaign"]).first()
    if campaign is None:
        return JobResult("The campaign is gone.")
    by = User.objects.filter(pk=parameters.get("by_id") or 0).first()
    path, told = Path(parameters["path"]), 0
    done = importing.Import()
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            for done in importing.import_mturk_results(campaign, file, by=by):
                progress.report(done.read, None, f"{counted(done.read, 'row')} read")
                for bad in done.bad[told:LOGGED]:
                    progress.log(f"{path.name}, line {bad.line}: {bad.reason}")
                told = len(done.bad)
    except OSError as error:
        raise InvalidInput(f"cannot be read ({error.strerror or error})", where=path.name) from error
    uploads.delete_upload(str(path))
    added, unusable = counted(done.added, "answer was", "answers were"), counted(len(done.bad), "row was", "rows were")
    known = "1 was" if done.known == 1 else f"{done.known:,} were"
    said = f"{added} added; {known} there already; {unusable} not usable."
    return JobResult(said, reverse("campaign", args=[campaign.pk]))


IMPORT_MTURK_RESULTS = JobKind(
    label="Import MTurk results", queue="default", run=import_mturk_results, permission="annotation.change_campaign"
)
