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
    name = re.sub(r"[^\w.-]+", "_", Path(upload.name or "upload").name).lstrip(".")[-100:] or "upload"
    folder = Path(settings.CORPUS_FOLDER) / "uploads"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{secrets.token_hex(4)}-{name}"
    with path.open("xb") as file:
        for chunk in upload.chunks():
            file.write(chunk)
    return str(path)
