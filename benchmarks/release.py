"""How long a release takes to freeze and to export, in which memory.

    python -m benchmarks.release [--sizes 10000 50000] [--formats jsonl ...] [--freeze] [--keep FOLDER]

The release is invented: passages of some 600 characters, two entities with a background of 300 each, three people an
instance; the corpus is there, with articles five passages long, so that a stand-off file looks up every place. Each
step runs in a process of its own against a SQLite database in a temporary folder; the seconds are wall and CPU time of
the step alone, the memory is the process's peak above what it held before.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

SYLLABLES = ("ar", "ka", "lind", "mo", "ven", "sol", "dun", "wy", "tor", "be", "gri", "hol", "pe", "ras", "ul", "ny")
NOUNS = (
    "ports",
    "cities",
    "politicians",
    "actors",
    "companies",
    "leaders",
    "painters",
    "islands",
    "nations",
    "parties",
)
WORKERS = 100


def words(lot: random.Random, count: int) -> str:
    return " ".join("".join(lot.choices(SYLLABLES, k=lot.randint(1, 3))) for _ in range(count))


def instances(size: int, lot: random.Random) -> Iterator[Any]:
    """Yield invented instances, each of an article of its own."""
    from corpus.frozen import FrozenBackground, FrozenInstance, FrozenMention, instance_key
    from tesa_site.kernel.values import content_hash

    for number in range(size):
        names = (words(lot, 2).title(), f"{words(lot, 1).title()} {number}")
        context = f"{names[0]} and {names[1]} {words(lot, 110)}."
        end = len(names[0]) + 5
        spans = [(0, 0, len(names[0])), (1, end, end + len(names[1]))]
        said: dict[str, Any] = {"article_id": f"a{number}", "entity_type": "person", "entities": names}
        said |= {"kind": "content", "title": words(lot, 7), "context": context}
        about = tuple(FrozenBackground(name, f"{name} {words(lot, 55)}.", licence="CC BY-SA 4.0") for name in names)
        mentions = tuple(FrozenMention(*span) for span in spans)
        key = instance_key(**said, mentions=spans)
        group = content_hash(number)
        yield FrozenInstance(key, group, "Bench", date=None, mentions=mentions, backgrounds=about, **said)


def batches(size: int, lot: random.Random) -> Iterator[list[Any]]:
    made = instances(size, lot)
    while some := list(islice(made, 1000)):
        yield some


def fill(size: int) -> None:
    """Fill the database with a release of so many items and the articles they are from, without a campaign."""
    from annotation.models import Release, ReleaseItem
    from annotation.releasing.recipe import make_recipe
    from annotation.releasing.statistics import Statistics
    from annotation.task_types.aggregation.type import AGGREGATION
    from corpus.models import Article, Corpus
    from tesa_site.kernel.clock import now

    lot, statistics, at = random.Random(0), Statistics(AGGREGATION.release), 0
    corpus = Corpus.objects.create(name="Bench", source="jsonl", path="nowhere")
    release = Release.objects.create(
        name="Benchmark", recipe=make_recipe(AGGREGATION, ["Benchmark"]).to_json(), size=size
    )
    for some in batches(size, lot):
        rows = [row_of(one, lot) for one in some]
        ReleaseItem.objects.bulk_create(
            ReleaseItem(release=release, position=n, key=row["key"], type="person", size=2, value=row)
            for n, row in enumerate(rows, at)
        )
        filler = [words(lot, 110) for _ in range(2)]
        Article.objects.bulk_create(
            Article(corpus=corpus, source_id=one.article_id, paragraphs=[*filler, one.context, *filler]) for one in some
        )
        at += len(rows)
        for row in rows:
            statistics.add_row(row)
    release.statistics, release.content_hash, release.frozen_at = statistics.to_json(), "0" * 64, now()
    release.save()


def row_of(instance: Any, lot: random.Random) -> dict[str, Any]:
    people: list[dict[str, Any]] = []
    for worker in sorted(lot.sample(range(WORKERS), 3)):
        phrases: Any = said(lot)["phrases"]
        cleaned = [phrase.removeprefix("the ") for phrase in phrases]
        told = {"answers": phrases, "cleaned": cleaned, "not_aggregatable": not phrases, "rejected": False}
        people.append({"annotator": f"w{worker:012}", **told})
    given = Counter(phrase for one in people for phrase in one["cleaned"])
    shown = [{"phrase": one, "display": one.capitalize(), "support": n} for one, n in given.items()]
    return {**instance.to_json(), "schema": 2, "aggregations": shown, "annotations": people}


def make(size: int) -> None:
    """Fill the database with an answered campaign."""
    from datetime import timedelta

    from annotation.models import Annotation, Assignment, Participation, Worker
    from annotation.services import campaigns
    from corpus.models import Sample, SampledInstance
    from tesa_site.kernel.clock import now
    from tesa_site.kernel.values import content_hash

    lot, at = random.Random(0), 0
    sample = Sample.objects.create(name="Benchmark", size=size, content_hash=content_hash("benchmark"), seed=0)
    for some in batches(size, lot):
        SampledInstance.objects.bulk_create(
            SampledInstance(
                sample=sample, position=n, key=v.key, group=v.group, type="person", size=2, value=v.to_json()
            )
            for n, v in enumerate(some, at)
        )
        at += len(some)
    campaign = campaigns.create_campaign(campaigns.Plan("Benchmark", sample, contact="nobody"), by=None)
    for _ in campaigns.make_tasks(campaign):
        pass
    people = [
        Participation.objects.create(
            campaign=campaign, worker=Worker.objects.create(provider="local", external_id=str(n))
        )
        for n in range(WORKERS)
    ]
    moment = now()
    tasks = list(campaign.tasks.values_list("pk", "group"))
    for start in range(0, size, 1000):
        turns = [
            Assignment(
                campaign=campaign, task_id=pk, group=group, participation=person, status="submitted",
                expires_at=moment + timedelta(hours=1), ended_at=moment,
            )
            for pk, group in tasks[start : start + 1000]
            for person in lot.sample(people, 3)
        ]  # fmt: skip
        Assignment.objects.bulk_create(turns)
        Annotation.objects.bulk_create(
            Annotation(assignment=turn, answer=said(lot), seconds=lot.randint(20, 90)) for turn in turns
        )


def said(lot: random.Random) -> dict[str, object]:
    if lot.random() < 0.12:
        return {"phrases": [], "impossible": True, "reason": ""}
    phrases = [f"the {words(lot, 1)} {lot.choice(NOUNS)}" for _ in range(1 + (lot.random() < 0.15))]
    return {"phrases": phrases, "impossible": False, "reason": ""}


def freeze() -> None:
    from annotation.releasing.recipe import make_recipe
    from annotation.services import releases
    from annotation.task_types.aggregation.type import AGGREGATION

    release = releases.create_release(
        releases.ReleasePlan("Benchmark", make_recipe(AGGREGATION, ["Benchmark"])), by=None
    )
    releases.freeze_release(release, by=None, report=lambda *_: None)
    print(f"   {release.size:,} items", end="")


def export(format_: str, out: Path) -> None:
    from annotation.models import Release
    from annotation.services import release_exports

    release_exports.write_export(Release.objects.get(), format_, out, lambda done: None)
    path = out if out.is_file() else None
    size = path.stat().st_size if path else sum(one.stat().st_size for one in out.rglob("*") if one.is_file())
    print(f"   {size / 1e6:8.1f} MB", end="")


def step(name: str, argument: str, folder: Path) -> None:
    """Do one step in this process and print what it took."""
    import django

    django.setup()
    if name in ("make", "fill"):
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        (make if name == "make" else fill)(int(argument))
        return
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, cpu = time.perf_counter(), time.process_time()
    print(f"{name + ' ' + argument:24}", end="")
    freeze() if name == "freeze" else export(argument, folder / argument)
    spent, cpu = time.perf_counter() - start, time.process_time() - cpu
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"   {spent:7.2f} s   {cpu:7.2f} s CPU   + {grown / 1024:6.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--freeze", action="store_true", help="measure freezing an answered campaign instead")
    parser.add_argument("--formats", nargs="+", help="only these")
    parser.add_argument("--keep", type=Path, help="leave what is exported here")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        step(given.step[0], given.step[1], Path(given.step[2]))
        return
    from annotation.task_types.aggregation.type import AGGREGATION

    for size in given.sizes:
        with tempfile.TemporaryDirectory() as temporary:
            folder = given.keep or Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            environment = {**os.environ, "TESA_VAR": temporary, "DJANGO_SETTINGS_MODULE": "tesa_site.settings"}
            print(f"{size:,} instances, three people each")
            steps = [("fill", str(size))] + [("export", one) for one in given.formats or AGGREGATION.release.formats]
            if given.freeze:
                steps = [("make", str(size)), ("freeze", "")]
            for name, argument in steps:
                command = [sys.executable, "-m", "benchmarks.release", "--step", name, argument, str(folder)]
                subprocess.run(command, check=True, env=environment)


if __name__ == "__main__":
    main()
