"""The demo: an account for each role, an invented newspaper, and three campaigns on it. Never in production."""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import transaction

from annotation.models import Release, RetiredVersion
from annotation.services import demo as annotation_demo
from annotation.services import releases
from corpus.models import Corpus, Sample
from corpus.services import corpora, titles
from kernel import jobs
from kernel.errors import WrongState
from kernel.models import Job, JobStatus, User
from kernel.roles import Role
from kernel.services import jobs as job_services
from kernel.services import people
from modeling.services import demo as modeling_demo

CORPUS_NAME = "Demo newspaper"
BACKGROUNDS = "backgrounds.jsonl"  # of the demo's folder
SAMPLE_NAME, SAMPLE_SIZE = "Demo sample", 40
ACCOUNTS = (("ada", Role.ADMINISTRATOR), ("ben", Role.RESEARCHER), ("cleo", Role.ANNOTATOR))


def passwords_path() -> Path:
    return Path(settings.VAR) / "demo-sign-ins.json"


def seed_if_empty() -> bool:
    """Add the demo to an empty database; return whether it did."""
    if settings.PRODUCTION:
        raise WrongState("The demo is never added to a production installation.")
    if User.objects.exists():
        return False
    passwords = {name: secrets.token_hex(4) for name, _ in ACCOUNTS}
    with transaction.atomic():
        users = [people.create_user(name, role=role, password=passwords[name], is_demo=True) for name, role in ACCOUNTS]
        path = passwords_path()
        path.touch(mode=0o600)
        path.write_text(json.dumps({user.username: [passwords[user.username], user.password] for user in users}))
        ada = users[0]
        jobs.nudge(job_services.start_check(queue="default", seconds=3, by=ada))
        jobs.nudge(_read_demo_newspaper(ada))
    return True


def go_on() -> int:
    """Queue the demo's lost jobs again, because somebody has started the product again; return how many."""
    lost = Job.objects.filter(status=JobStatus.LOST, created_by__is_demo=True)
    count = 0
    for job in filter(job_services.is_repeatable, lost):
        with suppress(WrongState):  # another job works on the same thing
            jobs.nudge(job_services.retry_job(job.pk, by=None))
            count += 1
    return count


def _folder() -> Path:
    return Path(settings.BASE_DIR) / "corpus" / "demo"


def _read_demo_newspaper(by: User) -> Job:
    folder = _folder()
    corpus = corpora.open_corpus(CORPUS_NAME, source="nitf", path=str(folder / "nitf"), by=by, is_demo=True)
    then = ["demo_campaigns", {"sample": SAMPLE_NAME, "by": by.pk}]
    sample = {"name": SAMPLE_NAME, "n": SAMPLE_SIZE, "seed": 1, "by": by.pk, "then": then}
    parameters = {"corpus": corpus.pk, "find": True, "dump": str(folder / BACKGROUNDS), "sample": sample}
    lock = corpora.lock_of(corpus)
    return job_services.create_job("ingest", subject=str(corpus), parameters=parameters, by=by, lock=lock)


def sign_ins() -> list[tuple[str, str, str]]:
    """Return (name, password, role) of the demo accounts that still have their first password."""
    try:
        kept = json.loads(passwords_path().read_text())
    except (OSError, ValueError):
        return []
    # The stored hashes are compared: checking three passwords would add a second to every start.
    hashes = dict(User.objects.filter(is_demo=True, is_active=True).values_list("username", "password"))
    return [
        (name, kept[name][0], role.value)
        for name, role in ACCOUNTS
        if name in hashes and name in kept and kept[name][1] == hashes[name]
    ]


@transaction.atomic
def remove() -> int:
    """Delete everything that belongs to the demo; return the number of accounts deleted."""
    users = User.objects.filter(is_demo=True)
    Job.objects.filter(created_by__in=users).delete()
    Job.objects.filter(kind__in=corpora.JOB_KINDS, subject=CORPUS_NAME).delete()
    modeling_demo.remove_demo_models()
    for release in Release.objects.filter(is_demo=True):
        releases.delete_release(release, by=None)
    RetiredVersion.objects.filter(is_demo=True).delete()
    annotation_demo.remove()
    Sample.objects.filter(is_demo=True).delete()
    Corpus.objects.filter(is_demo=True).delete()
    titles.forget_dump(_folder() / BACKGROUNDS)
    count = users.count()
    users.delete()
    passwords_path().unlink(missing_ok=True)
    return count
