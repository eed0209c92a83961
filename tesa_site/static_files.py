"""Collected static files under var/static: hashed names, compressed, made anew only when a source changed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def fingerprint() -> str:
    """Return a hash over every source file's path, size and time."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def collect_if_changed() -> bool:
    """Collect, unless the last collection was of the same files; return whether it did."""
    stamp, now = Path(settings.STATIC_ROOT) / ".fingerprint", fingerprint()
    if stamp.exists() and stamp.read_text() == now:
        return False
    call_command("collectstatic", verbosity=0, interactive=False)
    stamp.write_text(now)
    return True
