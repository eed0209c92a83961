"""Typed makers: the smallest row that makes sense, with every field open to be overridden."""

from __future__ import annotations

from typing import Any

from annotation.models import Campaign, Participation, Worker
from annotation.services import campaigns, joining
from corpus.models import Article, Corpus, Entity, EntityCorrection, Sample, SampledInstance
from tesa_site.kernel.clock import now
from tesa_site.kernel.models import Job, User, WorkerHeartbeat
from tesa_site.kernel.roles import Role
from tesa_site.kernel.services import people
from tests.corpus.frozen_instances import make_frozen

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


def make_correction(corpus: Corpus, **fields: Any) -> EntityCorrection:
    default = {"kind": "rename", "names": ["ida lind"], "value": "Ida Berg", "entity_name": "Ida Lind"}
    more = {"entity_type": "person", "reason": "a test"}
    return EntityCorrection.objects.create(corpus=corpus, **default | more | fields)


def make_job(**fields: Any) -> Job:
    return Job.objects.create(**{"kind": "check_worker", "queue": "default", "parameters": {"seconds": 1}} | fields)


def make_running_job(**fields: Any) -> Job:
    running = {"status": "running", "worker": "somewhere:1", "started_at": now(), "heartbeat_at": now()}
    return make_job(**running | fields)


def make_worker(name: str = "somewhere:1", queues: tuple[str, ...] = ("default",), **fields: Any) -> WorkerHeartbeat:
    return WorkerHeartbeat.objects.create(name=name, queues=list(queues), **fields)


def make_sample(name: str = "Pilot", size: int = 3, **fields: Any) -> Sample:
    """Return a sample of `size` instances, each of its own article and overlap group."""
    sample = Sample.objects.create(name=name, size=size, content_hash=name, **fields)
    values = [make_frozen(article_id=f"{name} {number}", group=f"{name} {number}") for number in range(size)]
    SampledInstance.objects.bulk_create(
        SampledInstance(
            sample=sample, position=n, key=v.key, group=v.group, type=v.entity_type, size=v.size, value=v.to_json()
        )
        for n, v in enumerate(values)
    )
    return sample


def make_campaign(
    name: str = "Phrases", *, sample: Sample | None = None, size: int = 3, is_running: bool = True, **fields: Any
) -> Campaign:
    """Return a campaign with its tasks made, open unless told otherwise."""
    sample = sample or make_sample(f"Sample of {name}", size)
    plan = campaigns.Plan(name=name, sample=sample, **{"contact": "team@tesa.invalid"} | fields)
    campaign = campaigns.create_campaign(plan, by=None)
    for _ in campaigns.make_tasks(campaign):
        pass
    return campaigns.start(campaign.pk, by=None) if is_running else campaign


def make_participation(campaign: Campaign, name: str = "cleo", *, is_ready: bool = True) -> Participation:
    """Return a person in the campaign: past consent and instructions, unless told otherwise."""
    worker, _ = Worker.objects.get_or_create(provider="local", external_id=name)
    person = joining.join(campaign, worker)
    if is_ready:
        joining.consent(person.secret, signals=True)
        joining.read_instructions(person.secret)
    return Participation.objects.select_related("campaign").get(pk=person.pk)
