"""Freezing releases, and writing files of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.urls import reverse

from annotation.models import Release
from annotation.services import release_exports, releases
from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.job_kind import JobKind, JobResult
from tesa_site.kernel.models import User
from tesa_site.kernel.progress import Progress
from tesa_site.kernel.values import counted


def freeze_release(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Fill and close a release. After a crash it starts from the beginning."""
    release = Release.objects.filter(pk=parameters["release"]).first()
    if release is None:
        raise InvalidInput("the release is gone", field="release")
    by = User.objects.filter(pk=parameters.get("by") or 0).first()
    release = releases.freeze_release(release, by=by, report=progress.report)
    return JobResult(f"{counted(release.size, 'instance')} frozen.", reverse("release", args=[release.pk]))


FREEZE_RELEASE = JobKind(
    label="Freeze a release", queue="default", run=freeze_release, permission="annotation.add_release"
)


def export_release(parameters: Mapping[str, Any], progress: Progress) -> JobResult:
    """Write one format of a release. Repeating it replaces the last file."""
    release = Release.objects.filter(pk=parameters["release"]).first()
    if release is None:
        raise InvalidInput("the release is gone", field="release")
    total = release.size
    export = release_exports.export_release(
        release, parameters["format"], lambda done: progress.report(done, total, f"{counted(done, 'instance')} written")
    )
    url = reverse("release-download", args=[release.pk, export.format])
    return JobResult(f"{filesizeformat(export.size)}, SHA-256 {export.sha256}", url)


EXPORT_RELEASE = JobKind(
    label="Export a release", queue="default", run=export_release, permission="annotation.view_release"
)
