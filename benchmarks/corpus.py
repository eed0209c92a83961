"""Cost of a newspaper archive: CPU and memory from files to instances, and page times while an archive is read.

    python -m benchmarks.corpus [--sizes 10000 30000 100000] [--pages]      (TESA_DATABASE_URL=… for PostgreSQL)

Archives are generated: NITF articles of New York Times size (about 700 words, 2 to 9 tagged names that the text
mentions, every second one with an abstract), in monthly .tgz files like those of the LDC. --pages reads one of them on
the running product while four annotators load pages, and compares the times with those before the reading began.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
from contextlib import closing
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks import load
from tests.product import ROOT, Product

FIRST = "Ada Bela Carl Dora Egon Fritz Greta Hugo Irma Jonas Klara Lars Mona Nils Olga Paul Rosa Sven Tilda Uwe"
LAST = "Ander Berg Dahl Ek Falk Grim Holm Lind Moe Nord Ravn Sand Torp Vik", "gren sen mann by feld quist strand ham"
PLACES = "Ald Bran Cor Dun Elm Far Glen Har Kel Lor Mer Ost", "burg mere stad vale haven ford ton wick"
KINDS = "University Council Bank Museum Orchestra"
TEXT = """the a an of in on for with and to from at by council market river harbour budget school train winter report
officials said yesterday that plan would cost more than expected because several members had asked whether old
bridges could carry heavier traffic while others wanted trees along main road before summer begins again"""


def joined(parts: tuple[str, str]) -> list[str]:
    """Return every combination of a first and a second part."""
    return [first + second for first in parts[0].split() for second in parts[1].split()]


FIRST_NAMES, LAST_NAMES, PLACE_NAMES, WORDS = FIRST.split(), joined(LAST), joined(PLACES), TEXT.split()
ORG_NAMES = [f"{place} {kind}" for place in PLACE_NAMES[:40] for kind in KINDS.split()]


def article(number: int, chance: random.Random) -> str:
    """Return one NITF document."""
    people = {(chance.choice(LAST_NAMES), chance.choice(FIRST_NAMES)) for _ in range(chance.randint(1, 5))}
    places, orgs = chance.sample(PLACE_NAMES, chance.randint(1, 3)), chance.sample(ORG_NAMES, chance.randint(0, 2))
    named = [f"{first} {last}" for last, first in people] + places + orgs
    paragraphs = [paragraph(chance, named) for _ in range(22)]
    tags = [f'<person class="indexing_service">{last}, {first}</person>' for last, first in sorted(people)]
    tags += [f'<location class="indexing_service">{place}</location>' for place in places]
    tags += [f'<org class="indexing_service">{escape(org)}</org>' for org in orgs]
    abstract = f"<abstract><p>{paragraph(chance, named)}</p></abstract>" if number % 2 else ""
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><nitf><head><title>Report {number}</title>'
        '<meta name="publication_day_of_month" content="5"/><meta name="publication_month" content="3"/>'
        f'<meta name="publication_year" content="2006"/><docdata><doc-id id-string="{number}"/>'
        f"<identified-content>{''.join(tags)}</identified-content></docdata></head><body><body.head><hedline>"
        f"<hl1>Report {number}</hl1></hedline>{abstract}</body.head><body.content>"
        f'<block class="full_text">{body}</block></body.content></body></nitf>'
    )


def paragraph(chance: random.Random, named: list[str]) -> str:
    sentences = []
    for _ in range(2):
        words = chance.choices(WORDS, k=15)
        if chance.random() < 0.35:
            words[chance.randrange(1, 12)] = chance.choice(named)
        words[0] = words[0].capitalize()
        sentences.append(" ".join(words) + ".")
    return " ".join(sentences)


def write_archive(folder: Path, size: int, *, seed: int = 1) -> Path:
    """Write `size` articles as monthly archives of 2,500; return the folder."""
    chance = random.Random(seed)
    folder.mkdir(parents=True)
    for month, start in enumerate(range(0, size, 2500)):
        with tarfile.open(folder / f"{month:03}.tgz", "w:gz", compresslevel=1) as archive:
            for number in range(start, min(start + 2500, size)):
                text = article(number, chance).encode()
                member = tarfile.TarInfo(f"{month:02}/05/{number:07}.xml")
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text))
    return folder


def measured(product: Product, *arguments: str) -> tuple[float, float, float]:
    """Run a command; return its CPU seconds (children included), wall seconds and largest process in MB."""
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT, env=product.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(arguments)} failed: {output}")
    print(f"    {output.strip().splitlines()[-1]}")
    return used.ru_utime + used.ru_stime, time.monotonic() - started, used.ru_maxrss / 1000


def whole_path(sizes: list[int]) -> None:
    per_article = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            archive = write_archive(Path(folder) / "archive", size)
            with closing(Product()) as product:
                product.manage("migrate", "-v0")
                read = measured(product, "ingest", "nitf", str(archive), "--name", "Bench")
                search = measured(product, "find_instances", "Bench")
        cpu = [seconds * 1000 / size for seconds, _, _ in (read, search)]
        per_article.append(sum(cpu))
        print(
            f"{size:7,} articles: read {cpu[0]:.2f} ms, search {cpu[1]:.2f} ms, together {sum(cpu):.2f} ms CPU per "
            f"article; {read[1] + search[1]:.0f} s; largest process {max(read[2], search[2]):.0f} MB"
        )
    print(f"most / least expensive size: {max(per_article) / min(per_article):.2f}")


MAKE_PEOPLE = """
from tests.make import make_campaign, make_participation
campaign = make_campaign("Bench", size=100)
print(*(make_participation(campaign, f"person {number}").secret for number in range(4)))
"""


def pages(size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        archive = write_archive(Path(folder) / "archive", size)
        with closing(Product().start()) as product:
            product.wait_for_demo()
            clients = [load.visitor(f"/task/{secret}/") for secret in product.python(MAKE_PEOPLE).split()]
            quiet = load.run(product.port, clients, seconds=10)
            reading = subprocess.Popen(
                [sys.executable, "manage.py", "ingest", "nitf", str(archive), "--name", "Bench"],
                cwd=ROOT, env=product.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            time.sleep(3)
            busy = load.run(product.port, clients, seconds=20)
            print(f"annotators' pages on an idle server:   {quiet}")
            print(f"annotators' pages during the reading:  {busy}")
            print(
                "the reading " + ("was still running" if reading.poll() is None else "had finished: use more articles")
            )
            reading.kill()
            reading.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 30_000])
    parser.add_argument("--pages", action="store_true")
    options = parser.parse_args()
    if options.pages:
        pages(options.sizes[-1])
    else:
        whole_path(options.sizes)


if __name__ == "__main__":
    main()
