"""Every page of a large installation: milliseconds and queries of each, most expensive first.

    TESA_VAR=/tmp/somewhere-empty python -m benchmarks.large [--tasks 50000] [--articles 300000] [--runs 500]

Fills the database of this installation (once), so give it one of its own: a corpus, a campaign with two answers a task
and one participant for ten tasks, its agreement, its doubts and its release, and an experiment. Then follows the links
of the home page, the fragments that pages load by themselves included, two of each kind. Pages are asked for in this
process; the time is that of the second visit.
"""

from __future__ import annotations

import argparse
import html
import os
import random
import re
import time
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import django

MOST_MS, MOST_QUERIES = 1000, 50
SAME_KIND = 2
MADE = "A large campaign"
NUMBER = re.compile(r"\d+|[0-9a-f]{32,}|(?<=/)[\w-]{22}(?=/)")
LINK = re.compile(r'(?:<a [^>]*href|hx-get)="([^"#]+)')
STATES = ("exact", "ambiguous", "missing")  # of backgrounds
NAMES_SHOWN = ("Ida", "Karl", "Nora", "Emil", "Vera", "Otto")


def fill_corpus(articles: int) -> None:
    """Store a corpus as if it had been read and searched: an entity for ten articles, two instances for three."""
    from corpus.models import Appearance, Article, Background, Corpus, Entity, Finding, Instance, ReadUnit
    from kernel.values import batches

    lot = random.Random(0)
    corpus = Corpus.objects.create(name="A large corpus", source="nitf", path="/nowhere/large")
    ReadUnit.objects.bulk_create(
        ReadUnit(corpus=corpus, key=f"{n:03}.tgz", added=2500) for n in range(-(-articles // 2500))
    )
    entities = Entity.objects.bulk_create(
        [
            Entity(
                corpus=corpus, key=f"{n:064}", type=("person", "location", "organization")[n % 3],
                name=f"{NAMES_SHOWN[n % 6]} Name{n}", articles=20, instances=4,
            )
            for n in range(articles // 10)
        ],
        batch_size=2000,
    )  # fmt: skip
    Background.objects.bulk_create(
        [
            Background(
                entity=e, status=("exact", "ambiguous", "missing")[n % 3], title=e.name, text=f"{e.name} is known."
            )
            for n, e in enumerate(entities)
        ],
        batch_size=2000,
    )
    for numbers in batches(range(articles), 5000):
        chosen = [lot.sample(entities, 2) for _ in numbers]
        texts = [f"{first.name} met {second.name} in Arden." for first, second in chosen]
        stored = Article.objects.bulk_create(
            [
                Article(
                    corpus=corpus, source_id=str(n), content_hash=str(n), title=f"Report {n}",
                    paragraphs=[text, *["The council met again and said little. " * 5] * 3],
                    where=f"{n // 2500:03}.tgz:{n}.xml",
                )
                for n, text in zip(numbers, texts, strict=True)
            ],
            batch_size=1000,
        )  # fmt: skip
        places = [[(text.index(e.name), text.index(e.name) + len(e.name)) for e in some]
                  for text, some in zip(texts, chosen, strict=True)]  # fmt: skip
        Appearance.objects.bulk_create(
            [
                Appearance(
                    article=a, entity=e,
                    mentions=[{"part": "body", "paragraph": 0, "start": start, "end": end, "form": e.name}],
                )
                for a, some, where in zip(stored, chosen, places, strict=True)
                for e, (start, end) in zip(some, where, strict=True)
            ],
            batch_size=2000,
        )  # fmt: skip
        Instance.objects.bulk_create(
            [
                Instance(
                    corpus=corpus, article=a, key=f"{a.pk:064}", group=f"{a.pk:064}", type=first.type, size=2,
                    entity_keys=[first.key, second.key], entity_names=[first.name, second.name],
                    names_text=f"{first.name}\n{second.name}", kind="content", title=a.title, context=text,
                    mentions=[{"entity": n, "start": start, "end": end} for n, (start, end) in enumerate(where)],
                )
                for a, text, (first, second), where in zip(stored, texts, chosen, places, strict=True)
                if a.pk % 3
            ],
            batch_size=1000,
        )  # fmt: skip
    instances = articles * 2 // 3
    Finding.objects.create(
        corpus=corpus, articles=articles, tagged_articles=articles, entities=len(entities), tuples=articles,
        instances=instances, instance_articles=instances, instance_entities=len(entities), groups=instances,
    )  # fmt: skip


def fill_campaign(tasks: int) -> None:
    """Answer a campaign, measure its agreement and doubts, review one task in ten, pay people, freeze a release."""
    from annotation.models import Annotation, Campaign, Participation, Payment, Review, WorkerVerdict
    from annotation.releasing.recipe import make_recipe
    from annotation.services import assessing, releases
    from annotation.task_types.aggregation.type import AGGREGATION
    from benchmarks import review
    from kernel.clock import now

    seen = Counter[str]()
    two_each = []
    for row in review.rows(3 * tasks, tasks // 10):  # three a task
        seen[row[0]] += 1
        if seen[row[0]] < 3:
            two_each.append(row)
    made = review.fill(two_each)
    Campaign.objects.filter(pk=made.pk).update(name=MADE, redundancy=2)
    made.refresh_from_db()
    made.tasks.update(answers=2, slots=2)
    people = list(Participation.objects.filter(campaign=made))
    for person in people:
        person.earned, person.answered, person.given = person.number % 30, 20, 20
        person.paid = person.number % 30 // 2
        person.consented_at = person.instructed_at = now()
    Participation.objects.bulk_update(
        people, ["earned", "answered", "given", "paid", "consented_at", "instructed_at"], 500
    )
    Payment.objects.bulk_create(
        [Payment(participation=p, amount=p.paid, paid_on=now().date()) for p in people if p.paid], batch_size=1000
    )
    for _ in assessing.assess(made):
        pass
    WorkerVerdict.objects.bulk_create(
        [WorkerVerdict(participation=p, filter="fast", level="weak", evidence="fast") for p in people[::10]],
        batch_size=1000,
    )
    chosen = made.tasks.filter(pk__in=list(made.tasks.values_list("pk", flat=True))[::10])
    Review.objects.bulk_create(
        [
            Review(annotation=a, reviewer_name="benchmark", verdict="accept", before=a.answer, after=a.answer)
            for a in Annotation.objects.filter(assignment__task__in=chosen)
        ],
        batch_size=1000,
    )
    release = releases.create_release(
        releases.ReleasePlan("A large release", make_recipe(AGGREGATION, [MADE])), by=None
    )
    releases.freeze_release(release, by=None, report=lambda *_: None)


def fill(tasks: int, articles: int, runs: int) -> None:
    from benchmarks import dashboards

    for name, step in (
        ("corpus", lambda: fill_corpus(articles)),
        ("campaign", lambda: fill_campaign(tasks)),
        ("experiment", lambda: dashboards.fill(runs, 1_718)),
    ):
        started = time.monotonic()
        step()
        print(f"{name} made in {time.monotonic() - started:.0f} s", flush=True)


def every_page(client: Any) -> Iterator[tuple[str, Any]]:
    """Yield the pages and fragments that links lead to from the home page, two addresses of each kind."""
    waiting, kinds, seen = deque(["/"]), Counter[str](), {"/"}
    while waiting:
        address = waiting.popleft()
        answer = client.get(address)
        if answer.status_code != 200:
            print(f"{address}: status {answer.status_code}")
            continue
        if answer.streaming or not answer["Content-Type"].startswith("text/html"):  # a file
            continue
        yield address, answer
        for link in LINK.findall(answer.content.decode()):
            parts = urlsplit(urljoin(address, html.unescape(link)))
            to = parts.path + (f"?{parts.query}" if parts.query else "")
            kind = NUMBER.sub("0", parts.path) + " ".join(sorted(parse_qs(parts.query)))
            is_filtered = parts.query and to.startswith("/admin/") and not to.startswith("/admin/review/")
            if parts.netloc or to in seen or kinds[kind] >= SAME_KIND or "sign-out" in to or is_filtered:
                continue
            seen.add(to)
            kinds[kind] += 1
            waiting.append(to)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tasks", type=int, default=50_000)
    arguments.add_argument("--articles", type=int, default=300_000)
    arguments.add_argument("--runs", type=int, default=500)
    options = arguments.parse_args()
    if "TESA_VAR" not in os.environ:
        raise SystemExit("Set TESA_VAR to an empty folder: this fills a database.")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tesa_site.settings")
    django.setup()
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from annotation.models import Campaign
    from kernel.models import User
    from kernel.roles import Role
    from tesa_site import preparing
    from tests.make import make_user

    preparing.prepare()
    user = User.objects.filter(username="benchmark").first() or make_user("benchmark", Role.ADMINISTRATOR)
    User.objects.filter(pk=user.pk).update(is_superuser=True)
    if not Campaign.objects.filter(name=MADE).exists():
        fill(options.tasks, options.articles, options.runs)
    client = Client(raise_request_exception=False, headers={"host": "127.0.0.1"})
    client.force_login(User.objects.get(pk=user.pk))
    rows = []
    for address, _ in every_page(client):
        with CaptureQueriesContext(connection) as queries:
            started = time.perf_counter()
            client.get(address)
            rows.append(((time.perf_counter() - started) * 1000, len(queries), address))
    for spent, asked, address in sorted(rows, reverse=True)[:40]:
        over = "  over" if spent > MOST_MS or asked > MOST_QUERIES else ""
        print(f"{spent:7.0f} ms {asked:4} queries  {address}{over}")
    print(
        f"{len(rows)} pages; over {MOST_MS} ms: {sum(spent > MOST_MS for spent, _, _ in rows)}; over {MOST_QUERIES} "
        f"queries: {sum(asked > MOST_QUERIES for _, asked, _ in rows)}, at most {max(asked for _, asked, _ in rows)}"
    )


if __name__ == "__main__":
    main()
