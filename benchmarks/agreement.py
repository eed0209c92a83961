"""How long agreement over a large campaign takes, bootstrap intervals included, and whether published values come out.

    python -m benchmarks.agreement [SNOW_FOLDER] [--annotations 50000] [--workers 100]

The campaign is invented: three people an instance, phrases drawn from a vocabulary with variants, one in five "not
aggregatable". The folder, if given, is the public collection of Snow and others (2008): all_collected_data/*.tsv.
Time is CPU time of one run.
"""

from __future__ import annotations

import argparse
import csv
import random
import time
from collections.abc import Callable
from pathlib import Path

from annotation.quality.agreement import Agreement, Interval, fleiss_kappa, krippendorff_alpha
from annotation.quality.consensus import dawid_skene, majority
from annotation.quality.pairs import mean_kappa, worker_agreement, worker_pairs
from annotation.quality.ratings import Ratings, Undefined
from annotation.quality.units import unit_agreement
from annotation.task_types import TASK_TYPES

Row = tuple[str, str, tuple[str, ...]]
ADJECTIVES = ("northern", "southern", "old", "new", "large", "small", "former", "national", "local", "french", "labour")
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


def timed(name: str, work: Callable[[], object]) -> float:
    """Print and return the CPU seconds of a step."""
    start = time.process_time()
    result = work()
    spent = time.process_time() - start
    print(f"{name:42} {spent:7.2f} s   {shown(result)}")
    return spent


def shown(result: object) -> str:
    if not isinstance(result, Agreement) or isinstance(result.value, Undefined):
        return ""
    interval = result.interval
    around = f" [{interval.low:.4f}, {interval.high:.4f}]" if isinstance(interval, Interval) else ""
    return f"{result.value:.4f}{around}"


def campaign(annotations: int, workers: int, seed: int = 0) -> list[Row]:
    """Return (instance, worker, phrases) rows: three people an instance, none = "not aggregatable"."""
    generator = random.Random(seed)
    people = [f"w{n:03}" for n in range(workers)]
    rows: list[Row] = []
    for instance in range(-(-annotations // 3)):
        likely = (generator.choice(ADJECTIVES), generator.choice(NOUNS))
        for worker in generator.sample(people, 3):
            rows.append((f"i{instance:06}", worker, phrases(generator, likely)))
    return rows[:annotations]


def phrases(generator: random.Random, likely: tuple[str, str]) -> tuple[str, ...]:
    if generator.random() < 0.2:
        return ()
    adjective = likely[0] if generator.random() < 0.5 else generator.choice(ADJECTIVES)
    noun = likely[1] if generator.random() < 0.7 else generator.choice(NOUNS)
    first = f"{adjective} {noun if generator.random() < 0.9 else noun.removesuffix('s')}"
    return (first, noun) if generator.random() < 0.15 else (first,)


def measure(rows: list[Row]) -> float:
    """Print every measure's time and return the sum."""
    type_ = TASK_TYPES["aggregation"]  # imported here, outside the measured time
    answered = Ratings.of((i, w, "answered" if phrases else "not aggregatable") for i, w, phrases in rows)
    first = Ratings.of((i, w, phrases[0] if phrases else "") for i, w, phrases in rows)
    steps: list[tuple[str, Callable[[], object]]] = [
        ("alpha, answered or not, 1,000 resamples", lambda: krippendorff_alpha(answered)),
        ("Fleiss, answered or not, 1,000 resamples", lambda: fleiss_kappa(answered)),
        ("alpha, first phrase, 1,000 resamples", lambda: krippendorff_alpha(first)),
        ("Cohen, every pair of workers", lambda: worker_pairs(answered)),
        ("each worker against the others", lambda: worker_agreement(answered)),
        ("free text, 3 measures, 1,000 resamples", lambda: unit_agreement(rows, type_)),
        ("Dawid-Skene, answered or not", lambda: dawid_skene(answered)),
    ]
    return sum(timed(name, step) for name, step in steps)


def published(folder: Path) -> None:
    """Print our values for the three categorical tasks; compare with the collection's published ones."""
    print(f"{'task':6} {'alpha':>8} {'Fleiss':>8} {'Cohen*':>8} {'majority':>9} {'Dawid-Skene':>12}")
    for task in ("rte", "temp", "wsd"):
        with (folder / "all_collected_data" / f"{task}.standardized.tsv").open(encoding="utf-8") as lines:
            table = [*csv.DictReader(lines, delimiter="\t")]
        gold = {row["orig_id"]: row["gold"] for row in table}
        ratings = Ratings.of((row["orig_id"], row["!amt_worker_ids"], row["response"]) for row in table)
        votes, model = majority(ratings), dawid_skene(ratings).labels
        share = sum((gold[item] in best) / len(best) for item, best in votes.items()) / len(gold)
        right = sum(model[item] == label for item, label in gold.items()) / len(gold)
        alpha, fleiss = krippendorff_alpha(ratings, replicates=1).value, fleiss_kappa(ratings, replicates=1).value
        cohen = mean_kappa(worker_pairs(ratings, least_items=20))
        print(f"{task:6} {alpha:8.4f} {fleiss:8.4f} {cohen:8.4f} {share:9.4f} {right:12.4f}")
    print("* mean over pairs of workers who share at least 20 items; ties of the majority share the credit")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--annotations", type=int, default=50_000)
    parser.add_argument("--workers", type=int, default=100)
    options = parser.parse_args()
    if options.folder:
        published(options.folder)
    rows = campaign(options.annotations, options.workers)
    print(f"{len(rows):,} annotations by {options.workers} workers")
    print(f"{'together':42} {measure(rows):7.2f} s   target < 30 s")


if __name__ == "__main__":
    main()
