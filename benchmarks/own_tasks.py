"""Own tasks: making them, what an annotator's page weighs, and how soon the editor's preview follows a key.

python -m benchmarks.own_tasks making [NAME ...] [--tasks 10000]
python -m benchmarks.own_tasks page [NAME ...]
python -m benchmarks.own_tasks preview [--lines 200] [--times 30]

Names are those of the library; what answering costs is measured by `benchmarks.campaign --task NAME`.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from contextlib import closing

from playwright.sync_api import Browser, Page, Request, sync_playwright

from annotation.task_types.own import library
from benchmarks.campaign import MAKE_OWN, make
from benchmarks.home import bare_product
from tests.product import Product

ONE_PART = ("sentiment", "likert_grid", "best_worst")
MAKE_EACH = """
import sys, time
from annotation.services import campaigns
from benchmarks.own_samples import make_plan
size, *names = sys.argv[-1].split()
for name in names:
    campaign = campaigns.create_campaign(make_plan(name, int(size)), by=None)
    started, used = time.monotonic(), time.process_time()
    for _ in campaigns.make_tasks(campaign):
        pass
    print(name, time.monotonic() - started, time.process_time() - used, flush=True)
"""
DESCRIBE = """
import sys
from benchmarks.own_samples import long_description
print(long_description(int(sys.argv[-1])), end="")
"""
LOOK = """
import gzip, logging, statistics, sys, time
from django.test import Client
from benchmarks.own_samples import long_description
from kernel.models import User
logging.disable()
lines, times = map(int, sys.argv[-1].split())
client, text = Client(SERVER_NAME="127.0.0.1"), long_description(lines)
client.force_login(User.objects.get(username="ben"))
def used_by(ask):
    seconds = []
    for number in range(times):
        started = time.process_time()
        answer = ask(number)
        seconds.append(time.process_time() - started)
        assert answer.status_code == 200
    return statistics.median(seconds), min(seconds), answer
def look(number):
    return client.post("/campaigns/tasks/preview/", {"text": text.replace("name: ", f"name: {number} ", 1)})
client.get("/bare/")
started = time.process_time()
look(0)
first = time.process_time() - started
median, least, answer = used_by(look)
bare, least_bare, _ = used_by(lambda number: client.get("/bare/"))
assert not answer.json()["problems"], answer.json()["problems"]
print(len(text.splitlines()), len(text), len(answer.content), len(gzip.compress(answer.content)))
print(1000 * median, 1000 * least, 1000 * bare, 1000 * least_bare, 1000 * first)
"""
WATCH = """() => {
  const [frame, text] = [document.querySelector("[data-frame]"), document.querySelector("#text")];
  const drawn = () => new Promise((done) => {
    frame.addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(done)), { once: true });
  });
  text.addEventListener("keydown", ({ timeStamp }) => {
    window.coming = drawn().then((shown) => shown - timeStamp);
  });
}"""
AT_THE_NAME = """() => {
  document.querySelector("#text").focus();
  document.querySelector("#text").setSelectionRange(6, 6);
}"""
ASKED = """() => performance.getEntriesByType("resource").filter((entry) => entry.name.endsWith("/tasks/preview/"))
  .map((entry) => entry.responseEnd - entry.requestStart)"""


def measure_making(names: Sequence[str], size: int) -> None:
    """Print how long making the tasks of each description takes, as a ratio to TESA's in the same run."""
    with closing(Product().start()) as product:
        product.wait_for_demo()
        (seconds, used, _), _ = make(product, size, 0)
        print(f"{size:,} tasks of TESA: {seconds:.2f} s ({used:.2f} s CPU)")
        for line in product.python(MAKE_EACH, " ".join([str(size), *names])).splitlines():
            name, own_seconds, own_used = line.split()
            print(
                f"{size:,} tasks of {name}: {float(own_seconds):.2f} s ({float(own_used):.2f} s CPU), "
                f"{float(own_used) / used:.2f} × TESA's CPU"
            )


def weigh(browser: Browser, address: str) -> tuple[float, int, float, int]:
    """Return the kilobytes and requests of a first visit without its typefaces, and those of the typefaces."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    done: list[Request] = []
    page.on("requestfinished", lambda request: done.append(request))
    page.goto(address, wait_until="networkidle")
    sizes: dict[bool, list[int]] = {True: [], False: []}
    for request in done:
        parts = request.sizes()
        sizes[request.resource_type == "font"].append(parts["responseBodySize"] + parts["responseHeadersSize"])
    context.close()
    return sum(sizes[False]) / 1000, len(sizes[False]), sum(sizes[True]) / 1000, len(sizes[True])


def measure_pages(names: Sequence[str]) -> None:
    """Print what a first visit to a task's page transfers, beside the page of TESA."""
    with bare_product(1) as (product, _), sync_playwright() as playwright:
        product.wait_for_demo()
        secrets = {"TESA": make(product, 20, 1)[1][0]}
        secrets |= {name: product.python(MAKE_OWN, f"{name} 20 1").split()[-1] for name in names}
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        tesa = 0.0
        for name, secret in secrets.items():
            size, requests, fonts, font_requests = weigh(browser, f"{product.url}/task/{secret}/")
            tesa = tesa or size
            print(
                f"{name}: {size:.1f} KB in {requests} requests without typefaces ({size / tesa:.2f} × TESA), "
                f"{size + fonts:.1f} KB in {requests + font_requests} with them"
            )
        browser.close()


def keys_to_frames(page: Page, address: str, text: str, times: int) -> list[float]:
    """Return the milliseconds from each key in the editor to the frame that shows its outcome."""
    page.goto(address, wait_until="networkidle")
    page.fill("#text", text)
    page.wait_for_timeout(1500)
    page.evaluate(WATCH)
    drawn: list[float] = []
    for number in range(times):
        page.evaluate(AT_THE_NAME)
        page.keyboard.press("abcdefghij"[number % 10])
        drawn.append(page.evaluate("() => window.coming"))
        page.wait_for_timeout(200)
    return drawn


def measure_preview(lines: int, times: int) -> None:
    """Print what one preview costs the server, and how soon Chromium has drawn it after a key."""
    with bare_product(1) as (product, cookies), sync_playwright() as playwright:
        product.wait_for_demo()
        size, costs = product.python(LOOK, f"{lines} {times}").splitlines()
        count, characters, body, packed = map(int, size.split())
        median, least, bare, least_bare, first = map(float, costs.split())
        print(
            f"description of {count} lines, {characters / 1000:.1f} KB: preview of {body / 1000:.1f} KB, "
            f"{packed / 1000:.1f} KB gzipped"
        )
        print(
            f"server: {median:.1f} ms CPU (best {least:.1f}, the first in a process {first:.0f}), "
            f"{least / least_bare:.1f} × a bare signed-in view ({bare:.1f} ms, best {least_bare:.1f})"
        )
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.add_cookies([{"name": "tesa_session", "value": cookies[0].partition("=")[2], "url": product.url}])
        page = context.new_page()
        text = product.python(DESCRIBE, str(lines))
        drawn = keys_to_frames(page, f"{product.url}/campaigns/tasks/new/", text, times)
        asked: list[float] = page.evaluate(ASKED)
        browser.close()
        print(
            f"from a key to the drawn frame: median {statistics.median(drawn):.0f} ms, "
            f"best {min(drawn):.0f}, worst {max(drawn):.0f} of {len(drawn)}; the answer took "
            f"{statistics.median(asked):.0f} ms of it"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    making = parts.add_parser("making", help="how long making tasks takes")
    making.add_argument("names", nargs="*", default=library.NAMES)
    making.add_argument("--tasks", type=int, default=10_000)
    page = parts.add_parser("page", help="what a first visit to a task transfers")
    page.add_argument("names", nargs="*", default=ONE_PART)
    preview = parts.add_parser("preview", help="how soon the editor shows what was typed")
    preview.add_argument("--lines", type=int, default=200)
    preview.add_argument("--times", type=int, default=30)
    options = parser.parse_args()
    if options.part == "making":
        measure_making(options.names, options.tasks)
    elif options.part == "page":
        measure_pages(options.names)
    else:
        measure_preview(options.lines, options.times)


if __name__ == "__main__":
    main()
