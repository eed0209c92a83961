"""Typed makers: the smallest row that makes sense, with every field open to be overridden."""

from __future__ import annotations

from typing import Any

from tesa_site.kernel.clock import now
from tesa_site.kernel.models import Job, User, WorkerHeartbeat
from tesa_site.kernel.roles import Role
from tesa_site.kernel.services import people

PASSWORD = "correct horse battery staple"


def make_user(username: str = "ben", role: Role = Role.RESEARCHER, **fields: Any) -> User:
    return people.create_user(username, role=role, password=PASSWORD, **fields)


def make_job(**fields: Any) -> Job:
    return Job.objects.create(**{"kind": "check_worker", "queue": "default", "parameters": {"seconds": 1}} | fields)


def make_running_job(**fields: Any) -> Job:
    running = {"status": "running", "worker": "somewhere:1", "started_at": now(), "heartbeat_at": now()}
    return make_job(**running | fields)


def make_worker(name: str = "somewhere:1", queues: tuple[str, ...] = ("default",), **fields: Any) -> WorkerHeartbeat:
    return WorkerHeartbeat.objects.create(name=name, queues=list(queues), **fields)
