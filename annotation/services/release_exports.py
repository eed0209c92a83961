"""Writes releases to files: in a temporary folder first, then hashed and moved to the file storage."""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.core.files.storage import default_storage

from annotation.models import Release, ReleaseExport
from annotation.releasing.exports.base import ExportSource, Format, Parts
from annotation.selectors import releases as selectors
from annotation.task_types import type_of
from kernel.clock import now
from kernel.errors import InvalidInput
from kernel.models import OPEN_STATUSES, Job, User
from kernel.services import jobs as job_services
from kernel.services.backup.files import hand_over

BYTES = 2**20
KIND = "export_release"
FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of a member of a zip file: the same release gives the same bytes


def format_of(release: Release, name: str) -> Format:
    """Return a format of the release's task type; raises InvalidInput if it has none of this name."""
    formats = type_of(release).release.formats
    if name not in formats:
        raise InvalidInput(f"must be one of {', '.join(formats)}", field="format")
    return formats[name]


def source_of(release: Release, tick: Callable[[int], None] = lambda done: None) -> ExportSource:
    """Return what formats write from; raises WrongState while the release is being frozen."""
    facts = selectors.facts_of(release)
    return ExportSource(facts, lambda: selectors.values_in_pages(release), tick, selectors.ContextPlaces())


def lock_of(release: Release, format_: str) -> str:
    """Return what keeps a format of a release from being written twice at a time."""
    return f"release {release.pk} {format_}"


def open_jobs(release: Release) -> dict[str, Job]:
    """Return the jobs that write formats of a release now, by format."""
    jobs = Job.objects.filter(kind=KIND, lock__startswith=lock_of(release, ""), status__in=OPEN_STATUSES)
    return {str(job.parameters["format"]): job for job in jobs}


def start_export(release: Release, format_: str, *, by: User | None) -> Job:
    """Queue the job that writes one format."""
    label = format_of(release, format_).label
    selectors.facts_of(release)
    return job_services.create_job(
        KIND,
        subject=f"{release}: {label}",
        parameters={"release": release.pk, "format": format_},
        by=by,
        lock=lock_of(release, format_),
    )


def export_release(release: Release, format_: str, report: Callable[[int], None]) -> ReleaseExport:
    """Write a format and keep the file; an earlier one of the same format is replaced."""
    form, source = format_of(release, format_), source_of(release, report)
    folder = Path(settings.VAR) / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder) as name:
        path = _written(form, source, Path(name))
        size = path.stat().st_size
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        stored = hand_over(path, f"releases/{release.pk}/{path.name}")
    earlier = list(ReleaseExport.objects.filter(release=release, format=format_).values_list("file", flat=True))
    export, _ = ReleaseExport.objects.update_or_create(
        release=release,
        format=format_,
        defaults={"file": stored, "size": size, "sha256": digest, "created_at": now()},
    )
    for old in earlier:
        default_storage.delete(old)
    return export


def write_export(
    release: Release,
    format_: str,
    out: Path,
    report: Callable[[int], None],
    *,
    mark: bool = True,
    parts: Parts | None = None,
) -> None:
    """Write a format to a path: a file, or a folder.

    With `mark`, CSV begins with a byte-order mark. `parts` says how the release is split.
    """
    form, source = format_of(release, format_), replace(source_of(release, report), mark=mark, parts=parts)
    if not form.suffix:
        out.mkdir(parents=True, exist_ok=True)
        form.write(source, out)
        return
    part = out.with_name(f"{out.name}.part")
    try:
        form.write(source, part)
        os.replace(part, out)
    finally:
        part.unlink(missing_ok=True)


def split_folder(release: Release, parts: Parts, folder: Path) -> Path:
    """Write the Hugging Face folder of a split release as a zip file in this folder; return its path."""
    return _written(format_of(release, "huggingface"), replace(source_of(release), parts=parts), folder)


def _written(form: Format, source: ExportSource, folder: Path) -> Path:
    if form.suffix:
        path = folder / f"{source.slug}{form.suffix}"
        form.write(source, path)
        return path
    inside = folder / source.slug
    form.write(source, inside)
    return _zipped(inside, folder / f"{source.slug}-{form.name}.zip")


def _zipped(folder: Path, out: Path) -> Path:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = zipfile.ZipInfo(str(path.relative_to(folder.parent)), FIRST_DAY)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.file_size = path.stat().st_size
            with path.open("rb") as file, archive.open(member, "w") as target:
                shutil.copyfileobj(file, target, BYTES)
    return out
