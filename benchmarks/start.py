"""How long `make run` takes to its first page: cold (empty var/, demo included) and warm. Installing is told apart.

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
from pathlib import Path
from urllib.request import urlopen

from tests.product import ROOT, Product


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true")
    options = parser.parse_args()
    print(f"import floor: {min(calibration() for _ in range(3)):.1f} s")
    if options.install:
        print(f"install: {install_seconds():.1f} s")
    cold, warm = [], []
    for _ in range(3):
        product = Product()
        try:
            cold.append(seconds_to_first_page(product))
            product.stop()
            warm.append(seconds_to_first_page(product))
        finally:
            product.close()
    for name, found in (("cold", cold), ("warm", warm)):
        print(f"{name}: best {min(found):.1f} s, median {statistics.median(found):.1f} s of {len(found)}")


if __name__ == "__main__":
    main()
