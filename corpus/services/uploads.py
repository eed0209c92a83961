"""Storing uploaded files where workers can read them. An upload belongs to one corpus or job and is deleted with it."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from corpus.models import Corpus
from corpus.sources.files import KEEP_OUT


def store_upload(upload: UploadedFile[Any]) -> str:
    """Store the upload in the folder for archives under a unique name; return the path."""
    name = re.sub(r"[^\w.-]+", "_", Path(upload.name or "upload").name).lstrip(".")
    name = name.encode("utf-8", "replace")[-100:].decode("utf-8", "ignore") or "upload"  # file names count bytes
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    mark_upload_folder()
    path = folder / f"{secrets.token_hex(4)}-{name}"
    with path.open("xb") as file:
        for chunk in upload.chunks():
            file.write(chunk)
    return str(path)


def mark_upload_folder() -> None:
    """Mark the folder of uploads so that it is skipped when a folder above it is read."""
    if _folder().is_dir():
        (_folder() / KEEP_OUT).touch()


def is_upload(path: str) -> bool:
    """Return whether a path is an upload, which we may delete."""
    return Path(path).resolve().parent == _folder().resolve()


def is_in_upload_folder(path: Path) -> bool:
    """Return whether a path is the folder of uploads or inside it; users may not name such paths."""
    return path.resolve().is_relative_to(_folder().resolve())


def without_upload_folder(where: str) -> str:
    """Return a place inside an upload with the file name its owner gave it; any other place unchanged."""
    return re.sub(rf"^{re.escape(str(_folder()))}/[0-9a-f]{{8}}-", "", where)


def delete_upload(path: str, *, of: Corpus | None = None) -> None:
    """Delete an upload, unless a corpus other than `of` reads it; files that were not uploaded are never deleted."""
    readers = Corpus.objects.filter(path__endswith=f"/{Path(path).name}").exclude(pk=of.pk if of else 0)
    if is_upload(path) and not any(is_upload(reader.path) for reader in readers):
        Path(path).unlink(missing_ok=True)


def _folder() -> Path:
    return Path(settings.CORPUS_FOLDER) / "uploads"
