"""How soon a first visit shows something, and its largest part: first and largest contentful paint in Chromium.

python -m benchmarks.paint [--times 15] [--before FOLDER]

With --before, the product of another checkout (with a .venv of its own, or a link to one) is visited in turn with this
one, and each page is compared with what it took there. Every visit begins with an empty cache. The bare page of the run
is what a browser takes for a page with nothing on it.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.home import MAKE_SESSIONS

PAGES = ("/bare/", "/", "/campaigns/2/", "/releases/1/")
SERVE = """
import sys
from contextlib import closing
from tests.product import Product
with closing(Product(DJANGO_SETTINGS_MODULE="benchmarks.bare_settings").start()) as product:
    product.wait_for_demo()
    print("ready", product.url, product.python(sys.argv[1]).split()[-1], flush=True)
    sys.stdin.read()
"""
PAINTED = """() => Promise.all(["paint", "largest-contentful-paint"].map((type) => new Promise((done) => {
  new PerformanceObserver((list) => {
    const found = list.getEntries().filter((entry) => entry.name !== "first-paint").at(-1);
    if (found) done(found.startTime);
  }).observe({ type, buffered: true });
})))"""
MOMENTS = ("first", "largest")


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """Start the product of a checkout with its demo; yield its address and the key of a session."""
    command = [".venv/bin/python", "-c", SERVE, MAKE_SESSIONS.format(number=1)]
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin
    assert process.stdout
    try:
        line = next((line for line in process.stdout if line.startswith("ready ")), "")
        assert line, f"the product of {folder} did not start"
        yield line.split()[1], line.split()[2]
    finally:
        process.stdin.close()
        process.wait()


def painted_after(browser: Browser, url: str, session: str, path: str) -> list[float]:
    """Return the milliseconds until a browser that was never here shows the first of a page, and its largest part."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_cookies([{"name": "tesa_session", "value": session, "url": url}])
    page = context.new_page()
    answer = page.goto(url + path, wait_until="networkidle")
    assert answer is not None
    assert answer.status == 200, path
    milliseconds: list[float] = page.evaluate(PAINTED)
    context.close()
    return milliseconds


def measure(folders: list[Path], times: int) -> dict[tuple[Path, str], list[float]]:
    """Return the medians of each page of each checkout.

    All are visited in one round, so that a slow moment hits all alike; each time in another order, because what comes
    after a heavy page has to wait until the browser has cleared that away.
    """
    taken: dict[tuple[Path, str], list[list[float]]] = {(folder, path): [] for path in PAGES for folder in folders}
    with ExitStack() as stack, sync_playwright() as playwright:
        products = {folder: stack.enter_context(served(folder)) for folder in folders}
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for number in range(times + 2):  # the first two visits warm the processes
            for folder, path in random.Random(number).sample([*taken], len(taken)):
                milliseconds = painted_after(browser, *products[folder], path)
                if number > 1:
                    taken[folder, path].append(milliseconds)
        browser.close()
    return {key: [statistics.median(values) for values in zip(*visits, strict=True)] for key, visits in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--before", type=Path, help="another checkout to compare with")
    options = parser.parse_args()
    here = Path.cwd()
    medians = measure([here, *([options.before] if options.before else [])], options.times)
    for path in PAGES:
        for number, moment in enumerate(MOMENTS):
            now, bare = medians[here, path][number], medians[here, "/bare/"][number]
            line = f"{path:16} {moment:8} {now:6.0f} ms, {now / bare:.2f} × bare"
            if options.before:
                before = medians[options.before, path][number]
                line += f"; before {before:6.0f} ms; now / before {now / before:.2f}"
            print(line)


if __name__ == "__main__":
    main()
