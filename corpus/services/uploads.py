"""Keeping an uploaded archive where the workers can read it. An upload is its corpus's or its job's, nobody else's."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from corpus.models import Corpus
from corpus.sources.files import KEEP_OUT


def keep(upload: UploadedFile[Any]) -> str:
    """Store the upload in the folder for archives under a name of its own; return the path."""
    name = re.sub(r"[^\w.-]+", "_", Path(upload.name or "upload").name).lstrip(".")
    name = name.encode("utf-8", "replace")[-100:].decode("utf-8", "ignore") or "upload"  # file names count bytes
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    keep_out()
    path = folder / f"{secrets.token_hex(4)}-{name}"
    with path.open("xb") as file:
        for chunk in upload.chunks():
            file.write(chunk)
    return str(path)


def keep_out() -> None:
    """Mark the folder of uploads, so that whoever reads a folder above it does not read them."""
    if _folder().is_dir():
        (_folder() / KEEP_OUT).touch()


def is_kept(path: str) -> bool:
    """Tell whether a path is an upload's, which is ours to delete."""
    return Path(path).resolve().parent == _folder().resolve()


def is_inside(path: Path) -> bool:
    """Tell whether a path leads to the uploads, which nobody may name."""
    return path.resolve().is_relative_to(_folder().resolve())


def shown(where: str) -> str:
    """Return a place inside an upload as its owner calls the file; other places as they are."""
    return re.sub(rf"^{re.escape(str(_folder()))}/[0-9a-f]{{8}}-", "", where)


def forget(path: str, *, of: Corpus | None = None) -> None:
    """Delete an upload that nothing needs any more; what was not uploaded stays, as does what another corpus reads."""
    readers = Corpus.objects.filter(path__endswith=f"/{Path(path).name}").exclude(pk=of.pk if of else 0)
    if is_kept(path) and not any(is_kept(reader.path) for reader in readers):
        Path(path).unlink(missing_ok=True)


def _folder() -> Path:
    return Path(settings.CORPUS_FOLDER) / "uploads"
