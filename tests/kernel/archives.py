"""Backups for tests: something to back up, and archives taken apart, changed and put together again."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.contrib.admin.models import LogEntry
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from kernel.models import Attempt, AuditEntry, Job, JobLog, JobStatus, User
from kernel.progress import Silent
from kernel.roles import Role
from kernel.services import backup, people, tokens
from kernel.services.backup import archive, files, tables
from kernel.services.backup.archive import ArchiveWriter, BackupReport

MOMENT = datetime(2026, 11, 5, 23, 59, 59, 123457, tzinfo=UTC)


def make_state() -> str:
    """Fill every table of the kernel and the storage; return an API key."""
    ada = people.create_user("ada", role=Role.ADMINISTRATOR, password="Été-2026-ключ", email="ada@example.org")
    User.objects.filter(pk=ada.pk).update(first_name="Ségolène 张", last_login=MOMENT)
    job = Job.objects.create(
        kind="check_worker",
        subject='Naïve "quoted"\nline\ttab 🦉',
        parameters={"é": [1, 2.5, None, True, {"deep": "\u2028"}], "big": 2**60},
        queue="default",
        created_by=ada,
        status=JobStatus.SUCCEEDED,
        total=2**62,
        started_at=MOMENT,
    )
    JobLog.objects.create(job=job, attempt=1, text="ligne une", at=MOMENT)
    AuditEntry.objects.create(action="check", subject_type="kernel.job", before=None, after={"a": []}, actor=ada)
    Attempt.objects.create(kind="sign in", key="0" * 64, address="2001:db8::1", at=MOMENT)
    LogEntry.objects.create(user=ada, object_id="1", object_repr="ü", action_flag=2, change_message="[]")
    default_storage.save("runs/1/π.txt", ContentFile("π = 3,14…\n".encode()))
    default_storage.save("empty", ContentFile(b""))
    default_storage.save("big.bin", ContentFile(os.urandom(3 * archive.CHUNK + 17)))
    return tokens.create_token(ada, "a script")[1]


def all_rows() -> dict[str, list[Any]]:
    return {model._meta.label: list(model._base_manager.order_by("pk").values()) for model in tables.stored_models()}


def all_files() -> dict[str, str]:
    return {name: hashlib.sha256(default_storage.open(name).read()).hexdigest() for name in files.stored_names()}


def written() -> io.BytesIO:
    target = io.BytesIO()
    backup.write_backup(target, Silent())
    return target


def unpacked(source: io.BytesIO) -> dict[str, bytes]:
    return {name: content.read() for name, content in archive.members(source)}


def repacked(
    source: io.BytesIO, edit: Callable[[dict[str, bytes]], None] = lambda _: None, **changes: Any
) -> io.BytesIO:
    """Return the archive with other members and manifest entries, but with hashes that agree."""
    members = unpacked(source)
    manifest = json.loads(members.pop("manifest.json"))
    edit(members)
    manifest["members"] = [
        {
            "name": name,
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "rows": content.count(b"\n") - 1 if name.startswith("tables/") else None,
        }
        for name, content in members.items()
    ]
    return tar_gz({**members, "manifest.json": json.dumps({**manifest, **changes}).encode()})


def tar_gz(members: dict[str, bytes]) -> io.BytesIO:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return target


def small_archive(folder: Path) -> bytes:
    """Return an archive that needs no database."""
    target = io.BytesIO()
    with ArchiveWriter(target, folder) as writer:
        writer.add("tables/a.jsonl", [b'["id"]\n', b"[1]\n"], rows=1)
        writer.add("files/noise", [os.urandom(5000)])
        writer.finish(BackupReport("1.0", "2026-11-05", "sqlite", [], [], []))
    return target.getvalue()
