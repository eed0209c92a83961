"""How long `make run` takes to its first page, cold (empty var/, demo included) and warm, and how much memory it keeps.

Memory is read 30 s after the demo's last job, and after a tour of 30 pages and a submit; the milliseconds of those
pages are printed beside it.

python -m benchmarks.start [--install]          (--install: also make a fresh .venv in a copy of the project)
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

from benchmarks import memory
from tests.product import ROOT, Product

IDLE_SECONDS = 30


def seconds_to_first_page(product: Product) -> float:
    started = time.monotonic()
    product.start()
    with urlopen(product.url + "/", timeout=10) as answer:
        assert answer.status == 200
    return time.monotonic() - started


def calibration() -> float:
    """Return the seconds this machine needs to start Python and import Django: the floor under every figure."""
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", "import django.core.management, celery, gunicorn.app.wsgiapp"], check=True)
    return time.monotonic() - started


def install_seconds() -> float:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tesa"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".venv", "var", ".git", ".*_cache"))
        started = time.monotonic()
        subprocess.run([getattr(sys, "_base_executable", sys.executable), "tesa_site/install.py"], cwd=copy, check=True)
        return time.monotonic() - started


def print_memory() -> None:
    with closing(Product().start()) as product:
        product.wait_for_demo()
        time.sleep(IDLE_SECONDS)
        idle, count = memory.total_mb(product)
        print(f"memory, {IDLE_SECONDS} s after the demo: {idle:.0f} MB in {count} processes", flush=True)
        first = statistics.median(memory.tour(product))
        again = statistics.median(memory.tour(product))
        memory.submit(product)
        toured, count = memory.total_mb(product)
        print(f"memory, after {memory.PAGES} pages and a submit: {toured:.0f} MB in {count} processes")
        print(f"those pages: median {first:.0f} ms at the first visit, {again:.0f} ms at the second")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true")
    options = parser.parse_args()
    print(f"import floor: {min(calibration() for _ in range(3)):.1f} s")
    if options.install:
        print(f"install: {install_seconds():.1f} s")
    cold, warm = [], []
    for _ in range(3):
        with closing(Product()) as product:
            cold.append(seconds_to_first_page(product))
            product.stop()
            warm.append(seconds_to_first_page(product))
    for name, seconds in (("cold", cold), ("warm", warm)):
        print(f"{name}: best {min(seconds):.1f} s, median {statistics.median(seconds):.1f} s of {len(seconds)}")
    print_memory()


if __name__ == "__main__":
    main()
