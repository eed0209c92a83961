"""Keeping an uploaded archive where the workers can read it."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile


def keep(upload: UploadedFile[Any]) -> str:
    """Store the upload in the folder for archives under a name of its own; return the path."""
    name = re.sub(r"[^\w.-]+", "_", Path(upload.name or "upload").name).lstrip(".")
    name = name.encode("utf-8", "replace")[-100:].decode("utf-8", "ignore") or "upload"  # file names count bytes
    folder = Path(settings.CORPUS_FOLDER) / "uploads"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{secrets.token_hex(4)}-{name}"
    with path.open("xb") as file:
        for chunk in upload.chunks():
            file.write(chunk)
    return str(path)


def is_kept(path: str) -> bool:
    """Tell whether a path is an upload's, which is ours to delete."""
    return Path(path).resolve().parent == (Path(settings.CORPUS_FOLDER) / "uploads").resolve()


def forget(path: str) -> None:
    """Delete an upload that nothing needs any more; what was not uploaded stays."""
    if is_kept(path):
        Path(path).unlink(missing_ok=True)
