"""Typed makers: the smallest row that makes sense, with every field open to be overridden."""

from __future__ import annotations

from typing import Any

from corpus.models import Article, Corpus, Entity
from tesa_site.kernel.clock import now
from tesa_site.kernel.models import Job, User, WorkerHeartbeat
from tesa_site.kernel.roles import Role
from tesa_site.kernel.services import people

PASSWORD = "correct horse battery staple"


def make_user(username: str = "ben", role: Role = Role.RESEARCHER, **fields: Any) -> User:
    return people.create_user(username, role=role, password=PASSWORD, **fields)


def make_corpus(name: str = "News", **fields: Any) -> Corpus:
    return Corpus.objects.create(**{"name": name, "source": "jsonl", "path": "/nowhere/news.jsonl"} | fields)


def make_article(corpus: Corpus | None = None, **fields: Any) -> Article:
    source_id = fields.pop("source_id", f"a{Article.objects.count()}")
    default = {"title": "A title", "paragraphs": ["A first line.", "Another."], "content_hash": source_id}
    return Article.objects.create(corpus=corpus or make_corpus(), source_id=source_id, **default | fields)


def make_entity(corpus: Corpus, name: str = "Ida Lind", **fields: Any) -> Entity:
    return Entity.objects.create(corpus=corpus, name=name, **{"key": name, "type": "person"} | fields)


def make_job(**fields: Any) -> Job:
    return Job.objects.create(**{"kind": "check_worker", "queue": "default", "parameters": {"seconds": 1}} | fields)


def make_running_job(**fields: Any) -> Job:
    running = {"status": "running", "worker": "somewhere:1", "started_at": now(), "heartbeat_at": now()}
    return make_job(**running | fields)


def make_worker(name: str = "somewhere:1", queues: tuple[str, ...] = ("default",), **fields: Any) -> WorkerHeartbeat:
    return WorkerHeartbeat.objects.create(name=name, queues=list(queues), **fields)
