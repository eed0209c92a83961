"""A look-up of titles: what one costs the web server and the database, as a ratio to a bare view of the same run.

python -m benchmarks.lookups [--titles 100000] [--times 300]          (TESA_DATABASE_URL=… for PostgreSQL)

The titles are invented: two or three words of a vocabulary of 5,000, some with a qualifier, a fifth of them redirects.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from urllib.parse import urlencode

from benchmarks import cpu
from benchmarks.home import bare_product
from tests.product import Product

SYLLABLES = ["ar", "den", "hol", "mi", "ra", "dun", "lin", "ter", "os", "ka", "vel", "no", "sam", "bri", "tol", "ge"]
PEOPLE = 40  # each may look up a limited number of times in a minute
KINDS: Mapping[str, Callable[[list[str]], str]] = {
    "a beginning": lambda words: words[0][:4],
    "a whole title": " ".join,
    "words inside": lambda words: f"{words[-1]} {words[0][:3]}",
    "a common word": lambda words: "of",
    "an address": lambda words: f"https://en.wikipedia.org/wiki/{'_'.join(words)}",
    "nothing": lambda words: "zzz qqq",
}
MAKE = """
import sys, tempfile, time
from pathlib import Path
from corpus.services import titles
from kernel.progress import Silent
from tests.annotation.linking import make_linking_campaign
from tests.make import make_participation
started = time.monotonic()
stored = titles.load_dump(Path(sys.argv[-1]), Silent())
seconds = time.monotonic() - started
campaign = make_linking_campaign(Path(tempfile.mkdtemp()))
people = range(int(sys.argv[-2]))
print(stored, seconds, *(make_participation(campaign, f"person {number}").secret for number in people))
"""


def invented(number: int) -> Iterator[list[str]]:
    """Yield the words of titles; every tenth has a common one."""
    rng = random.Random(1)
    words = ["".join(rng.sample(SYLLABLES, 3)) for _ in range(5_000)]
    for place in range(number):
        own = rng.sample(words, rng.choice((2, 2, 3)))
        yield [own[0], "of", *own[1:]] if place % 10 == 0 else own


def write_dump(path: Path, titles: Sequence[list[str]]) -> None:
    """Write pages; every fifth title redirects to the page before it."""
    before = ""
    with path.open("w") as file:
        for place, words in enumerate(titles):
            title = f"{' '.join(words).capitalize()}{' (town)' if place % 7 == 0 else ''}"
            is_redirect = place % 5 == 4
            about = {"redirect": before} if is_redirect else {"text": f"{title} is an invented town. It is small."}
            file.write(json.dumps({"title": title, **about}) + "\n")
            before = before if is_redirect else title


def measured(product: Product, paths: Sequence[str], headers: Mapping[str, str]) -> tuple[float, float, float]:
    """Return the milliseconds of processor time of one request, of the web server and the database, and the median."""
    meter, seconds = cpu.Meter(product), []
    connection = HTTPConnection("127.0.0.1", product.port)
    for path in paths:
        started = time.monotonic()
        connection.request("GET", path, headers=dict(headers))
        answer = connection.getresponse()
        body = answer.read()
        seconds.append(time.monotonic() - started)
        if answer.status != 200:
            raise SystemExit(f"{path} answered {answer.status}: {body[:200]!r}")
    connection.close()
    web, database = meter.read()
    return 1000 * web / len(paths), 1000 * database / len(paths), 1000 * statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--titles", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=300)
    options = parser.parse_args()
    titles = list(invented(options.titles))
    with bare_product(1) as (product, cookies), tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "pages.jsonl"
        write_dump(dump, titles)
        stored, seconds, *secrets = product.python(MAKE, str(PEOPLE), str(dump)).split()
        print(f"{int(stored):,} titles stored in {float(seconds):.1f} s")
        bare_paths, signed_in = ["/bare/"] * options.times, {"Cookie": cookies[0]}
        measured(product, bare_paths, signed_in)  # warm up
        web, database, median = measured(product, bare_paths, signed_in)
        bare = web + database
        print(f"a bare view: {bare:.1f} ms CPU, median {median:.1f} ms")
        rng, people = random.Random(2), cycle(secrets)
        for kind, words_of in KINDS.items():
            asked = [urlencode({"q": words_of(rng.choice(titles))}) for _ in range(options.times)]
            paths = [f"/task/{next(people)}/lookup/pages/?{query}" for query in asked]
            web, database, median = measured(product, paths, {"Accept": "application/json"})
            cost = web + database
            print(
                f"{kind}: {cost:.1f} ms CPU (web {web:.1f}, database {database:.1f}), {cost / bare:.1f} × a bare view, "
                f"median {median:.1f} ms"
            )


if __name__ == "__main__":
    main()
