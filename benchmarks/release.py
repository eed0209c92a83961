"""How long a release takes to freeze and to export, in which memory.

    python -m benchmarks.release [--sizes 10000 50000] [--formats jsonl ...] [--freeze] [--keep FOLDER]

The release is invented: passages of about 110 words, two to four entities with a background each, three people an
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
from pathlib import Path
from typing import Any

from benchmarks.agreement import NOUNS
from benchmarks.backgrounds import SYLLABLES
from kernel.values import batches

WORKERS = 100


def words(lot: random.Random, count: int) -> str:
    return " ".join("".join(lot.choices(SYLLABLES, k=lot.randint(1, 3))) for _ in range(count))


def fill(size: int) -> None:
    """Fill the database with a release of this many items and the articles they are from, without a campaign."""
    from annotation.models import Release, ReleaseItem
    from annotation.releasing.recipe import make_recipe
    from annotation.releasing.statistics import Statistics
    from annotation.task_types.aggregation.type import AGGREGATION
    from benchmarks.passages import passage
    from corpus.models import Article, Corpus
    from kernel.clock import now

    lot, statistics, at = random.Random(0), Statistics(AGGREGATION.release), 0
    corpus = Corpus.objects.create(name="Passages", source="jsonl", path="nowhere")
    release = Release.objects.create(
        name="Benchmark", recipe=make_recipe(AGGREGATION, ["Benchmark"]).to_json(), size=size
    )
    for some in batches(map(passage, range(size)), 1000):
        rows = [row_of(instance, lot) for instance in some]
        ReleaseItem.objects.bulk_create(
            ReleaseItem(
                release=release, position=n, key=row["key"], type="person", size=len(row["entities"]), value=row
            )
            for n, row in enumerate(rows, at)
        )
        filler = [words(lot, 110) for _ in range(2)]
        Article.objects.bulk_create(
            Article(corpus=corpus, source_id=instance.article_id, paragraphs=[*filler, instance.context, *filler])
            for instance in some
        )
        at += len(rows)
        for row in rows:
            statistics.add_row(row)
    release.statistics, release.content_hash, release.frozen_at = statistics.to_json(), "0" * 64, now()
    release.save()


def row_of(instance: Any, lot: random.Random) -> dict[str, Any]:
    people: list[dict[str, Any]] = []
    for worker in sorted(lot.sample(range(WORKERS), 3)):
        phrases = some_phrases(lot)
        cleaned = [phrase.removeprefix("the ") for phrase in phrases]
        answer = {"answers": phrases, "cleaned": cleaned, "not_aggregatable": not phrases, "rejected": False}
        people.append({"annotator": f"w{worker:012}", **answer})
    support = Counter(phrase for person in people for phrase in person["cleaned"])
    shown = [{"phrase": phrase, "display": phrase.capitalize(), "support": n} for phrase, n in support.items()]
    return {**instance.to_json(), "schema": 2, "aggregations": shown, "annotations": people}


def some_phrases(lot: random.Random) -> list[str]:
    if lot.random() < 0.12:
        return []
    return [f"the {words(lot, 1)} {lot.choice(NOUNS)}" for _ in range(1 + (lot.random() < 0.15))]


def freeze() -> None:
    from annotation.models import Campaign
    from annotation.releasing.recipe import make_recipe
    from annotation.services import releases
    from annotation.task_types.aggregation.type import AGGREGATION

    release = releases.create_release(
        releases.ReleasePlan("Benchmark", make_recipe(AGGREGATION, [Campaign.objects.get().name])), by=None
    )
    releases.freeze_release(release, by=None, report=lambda *_: None)
    print(f"   {release.size:,} items", end="")


def export(format_: str, out: Path) -> None:
    from annotation.models import Release
    from annotation.services import release_exports

    release_exports.write_export(Release.objects.get(), format_, out, lambda done: None)
    size = sum(path.stat().st_size for path in (out, *out.rglob("*")) if path.is_file())
    print(f"   {size / 1e6:8.1f} MB", end="")


def step(name: str, argument: str, folder: Path) -> None:
    """Do one step in this process and print what it took."""
    import django

    django.setup()
    if name in ("make", "fill"):
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        if name == "fill":
            fill(int(argument))
        else:  # an answered campaign
            from benchmarks import review

            review.fill(review.rows(3 * int(argument), WORKERS))
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
    options = parser.parse_args()
    if options.step:
        step(options.step[0], options.step[1], Path(options.step[2]))
        return
    from annotation.task_types.aggregation.type import AGGREGATION

    for size in options.sizes:
        with tempfile.TemporaryDirectory() as temporary:
            folder = options.keep or Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            environment = {**os.environ, "TESA_VAR": temporary, "DJANGO_SETTINGS_MODULE": "tesa_site.settings"}
            print(f"{size:,} instances, three people each")
            formats = options.formats or AGGREGATION.release.formats
            steps = [("fill", str(size))] + [("export", format_) for format_ in formats]
            if options.freeze:
                steps = [("make", str(size)), ("freeze", "")]
            for name, argument in steps:
                command = [sys.executable, "-m", "benchmarks.release", "--step", name, argument, str(folder)]
                subprocess.run(command, check=True, env=environment)


if __name__ == "__main__":
    main()
