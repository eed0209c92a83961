"""How fast a dump of pages is indexed and read, and how much memory that takes.

    python -m benchmarks.backgrounds [--pages 200000] [--look-ups 20000] [--keep FOLDER]

The pages are generated: invented titles, one in twenty with a qualifier, one in fifty a redirect. For calibration, a
primary-key SELECT on a bare SQLite table with as many rows is measured in the same run.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from corpus.articles import EntityType
from corpus.backgrounds.base import Query
from corpus.backgrounds.dump import DumpSource
from corpus.backgrounds.linking import link

SYLLABLES = ("ar", "ka", "lind", "mo", "ven", "sol", "dun", "wy", "tor", "be", "gri", "hol", "pe", "ras", "ul", "ny")
TRADES = ("pilot", "botanist", "painter", "judge", "sailor", "composer")


def name(lot: random.Random, words: int) -> str:
    return " ".join("".join(lot.choices(SYLLABLES, k=lot.randint(2, 4))).title() for _ in range(words))


def generated(count: int, lot: random.Random) -> Iterator[dict[str, Any]]:
    titles: list[str] = [name(lot, 2) for _ in range(1_000)]
    previous = ""
    for number in range(count):
        title = f"{lot.choice(titles)} {name(lot, 1)} {number}"
        if number % 50 == 1:
            yield {"title": f"{title} the Elder", "redirect": previous}
            continue
        trade = lot.choice(TRADES)
        title = f"{title} ({trade})" if number % 20 == 2 else title
        sentence = f"{title} (born {lot.randint(1800, 1990)}) is a {trade} from {name(lot, 1)}."
        yield {"title": title, "text": " ".join([sentence, *(f"The {name(lot, 3)} came later." for _ in range(8))])}
        previous = title


def write(path: Path, count: int) -> list[str]:
    """Write the dump and return a sample of its titles."""
    lot = random.Random(7)
    titles = []
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(generated(count, random.Random(1))):
            file.write(json.dumps(row) + "\n")
            if number % max(count // 5_000, 1) == 0:
                titles.append(str(row["title"]))
    lot.shuffle(titles)
    return titles


def timed(what: str, call: Callable[[str], object], titles: Sequence[str], count: int) -> None:
    times = []
    for number in range(count):
        title = titles[number % len(titles)]
        start = time.perf_counter()
        call(title)
        times.append(time.perf_counter() - start)
    times.sort()
    middle, high = statistics.median(times) * 1e6, times[int(len(times) * 0.99)] * 1e6
    print(f"{what:34} median {middle:8.1f} µs    99 % {high:8.1f} µs    n {count:,}")


def bare_table(folder: Path, titles: Sequence[str], count: int) -> Callable[[str], object]:
    database = sqlite3.connect(folder / "bare.sqlite3")
    database.execute("CREATE TABLE page (title TEXT PRIMARY KEY, body TEXT)")
    database.executemany("INSERT OR IGNORE INTO page VALUES (?, 'x')", ((f"{n}",) for n in range(count)))
    database.executemany("INSERT OR IGNORE INTO page VALUES (?, 'x')", ((title,) for title in titles))
    database.commit()
    return lambda title: database.execute("SELECT body FROM page WHERE title = ?", (title,)).fetchone()


def measure(folder: Path, pages: int, look_ups: int) -> None:
    dump = folder / "pages.jsonl"
    titles = write(dump, pages)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, cpu = time.perf_counter(), time.process_time()
    source = DumpSource(dump)
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    megabytes = dump.stat().st_size / 2**20, source.index.stat().st_size / 2**20
    print(f"{pages:,} rows, dump {megabytes[0]:,.0f} MiB, index {megabytes[1]:,.0f} MiB")
    print(f"built in {wall:.1f} s ({cpu:.1f} s of CPU, {pages / cpu:,.0f} rows/s); memory grew by {grown:.0f} MiB")
    start = time.perf_counter()
    DumpSource(dump).close()
    print(f"opened again in {(time.perf_counter() - start) * 1e3:.1f} ms")
    timed("bare SELECT (calibration)", bare_table(folder, titles, pages), titles, look_ups)
    timed("look_up", source.look_up, titles, look_ups)
    timed("look_up, folded", lambda title: source.look_up(title.upper()), titles, look_ups)
    timed("look_up, missing", lambda title: source.look_up(f"{title}?!x"), titles, look_ups)
    timed("search", source.search, [" ".join(title.split()[:2]) for title in titles], min(look_ups, 500))
    timed("link", lambda title: link(Query(title, EntityType.PERSON), source), titles, min(look_ups, 2_000))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200_000)
    parser.add_argument("--look-ups", type=int, default=20_000)
    parser.add_argument("--keep", type=Path, help="folder for the dump and its index, instead of a temporary one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        measure(folder, options.pages, options.look_ups)


if __name__ == "__main__":
    main()
