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


def forget(path: str) -> None:
    """Delete an upload that nothing needs any more; what was not uploaded is not ours to delete."""
    folder = (Path(settings.CORPUS_FOLDER) / "uploads").resolve()
    if Path(path).resolve().parent == folder:
        Path(path).unlink(missing_ok=True)
