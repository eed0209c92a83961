"""How long the review's page takes with a large campaign behind it, and how long assessing that campaign takes.

    TESA_VAR=/tmp/somewhere-empty python -m benchmarks.review [--annotations 50000] [--workers 100]

Fills the database of this installation with an invented campaign (once), so give it one of its own. Pages are asked for
through Django's test client (middleware, templates and database included); times are CPU time of this process, the
best of five.
"""

from __future__ import annotations

import argparse
import os
import time
from functools import partial
from itertools import count

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.test import Client  # noqa: E402

from annotation.models import Annotation, Assignment, Campaign, Participation, Task, Worker  # noqa: E402
from annotation.services import assessing, campaigns  # noqa: E402
from annotation.services.instructions import default_instructions  # noqa: E402
from annotation.task_types import TASK_TYPES  # noqa: E402
from benchmarks.agreement import Row  # noqa: E402
from benchmarks.agreement import campaign as invented  # noqa: E402
from benchmarks.cpu import best_ms  # noqa: E402
from benchmarks.passages import make_sample  # noqa: E402
from corpus.frozen import FrozenInstance, FrozenMention  # noqa: E402
from kernel.clock import now  # noqa: E402
from kernel.models import User  # noqa: E402
from kernel.roles import Role  # noqa: E402
from kernel.services import people  # noqa: E402
from kernel.values import content_hash  # noqa: E402

TYPES = ("person", "location", "organization")


def instance(key: str, number: int) -> FrozenInstance:
    """Return a passage about two entities that no other passage names."""
    first, second = f"Ida {word(number)}", f"Karl {word(number + 7)}"
    start = len(first) + 5
    return FrozenInstance(
        key=key, group=key, corpus="", article_id=key, date=None, entity_type=TYPES[number % 3],
        entities=(first, second), kind="content", title="Two people meet",
        context=f"{first} met {second} in Arden. " * 20,
        mentions=(FrozenMention(0, 0, len(first)), FrozenMention(1, start, start + len(second))),
        backgrounds=(None, None),
    )  # fmt: skip


def word(number: int) -> str:
    """Return a name of its own for each number."""
    letters = [chr(ord("a") + number // 17**place % 17) for place in range(4)]
    return "".join(letters).title() + "sen"


def rows(annotations: int, workers: int) -> list[Row]:
    """Return who wrote which phrases about which instance."""
    return [(content_hash(key), who, phrases) for key, who, phrases in invented(annotations, workers)]


def fill(rows: list[Row]) -> Campaign:
    """Store the invented campaign as if people had answered it."""
    keys = sorted({row[0] for row in rows})
    sample = make_sample(f"Benchmark {time.time()}", len(keys), map(instance, keys, count()))
    made = Campaign.objects.create(
        name=sample.name, task_type="aggregation", sample=sample,
        instructions=default_instructions(TASK_TYPES["aggregation"]),
        contact="x", consent="x", status="running", redundancy=3,
    )  # fmt: skip
    for _ in campaigns.make_tasks(made):
        pass
    answer(made, rows)
    return made


@transaction.atomic
def answer(made: Campaign, rows: list[Row]) -> None:
    names = sorted({row[1] for row in rows})
    workers = Worker.objects.bulk_create(Worker(provider="benchmark", external_id=f"{made.pk} {n}") for n in names)
    entries = Participation.objects.bulk_create(
        Participation(campaign=made, worker=w, number=n, answered=500) for n, w in enumerate(workers, 1)
    )
    person = dict(zip(names, entries, strict=True))
    tasks = dict(Task.objects.filter(campaign=made).values_list("member__key", "pk"))
    turns = Assignment.objects.bulk_create(
        Assignment(
            campaign=made, task_id=tasks[key], participation=person[who], group=key, status="submitted",
            expires_at=now(),
        )
        for key, who, _ in rows
    )  # fmt: skip
    Annotation.objects.bulk_create(
        (
            Annotation(
                assignment=turn, seconds=40, active_ms=30_000,
                answer={"phrases": list(phrases), "impossible": not phrases, "reason": ""},
            )
            for turn, (_, _, phrases) in zip(turns, rows, strict=True)
        ),
        batch_size=2000,
    )  # fmt: skip
    Task.objects.filter(campaign=made).update(answers=3, free=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--annotations", type=int, default=50_000)
    parser.add_argument("--workers", type=int, default=100)
    options = parser.parse_args()
    call_command("prepare", verbosity=0)
    user = User.objects.filter(username="benchmark").first() or people.create_user("benchmark", role=Role.RESEARCHER)
    answers = rows(options.annotations, options.workers)
    known = Campaign.objects.filter(name__startswith="Benchmark").first()
    made = known if known and known.assignments.count() == len(answers) else fill(answers)
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(user)
    pages = {
        "the queue, nothing assessed": f"/admin/review/{made.pk}/",
        "the queue": f"/admin/review/{made.pk}/",
        "tasks by state": f"/admin/review/{made.pk}/tasks/?state=waiting",
        "campaigns to review": "/admin/review/",
        "agreement": f"/campaigns/{made.pk}/agreement/",
    }
    name, url = next(iter(pages.items()))
    print(f"{name:32} {best_ms(lambda: client.get(url), 1):8.0f} ms")
    start = time.process_time()
    last = start
    for step in assessing.assess(made):
        if step.startswith(("Measuring", "50 tasks")):
            print(f"{step:32} {time.process_time() - last:8.1f} s")
            last = time.process_time()
    print(f"{'tasks scored':32} {time.process_time() - last:8.1f} s")
    print(f"{'assessing':32} {time.process_time() - start:8.1f} s   target < 30 s")
    for name, url in [*pages.items()][1:]:
        print(f"{name:32} {best_ms(partial(client.get, url)):8.0f} ms   target < 200 ms")


if __name__ == "__main__":
    main()
