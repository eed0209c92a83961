"""Whether exactly as many HITs exist as were ordered when publishing is killed, and how heavy a worker's pages are.

    python -m benchmarks.hits kill [--hits 10000]
    python -m benchmarks.hits pages

Both start the product as `make run` does. `kill` publishes a campaign by the job's own service in a process that is
ended by SIGKILL half-way, and again in a second process. `pages` opens the worker site in Chromium, each page with an
empty cache, and sums up what is transferred.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import time
from contextlib import closing
from typing import Any

from benchmarks.marketplace import HIT_GIVEN, TYPE, connect
from tests.product import Product, wait_for

MAKE = """
import sys
from datetime import timedelta
from decimal import Decimal
from annotation.services import campaigns
from annotation.services.market import ledger
from marketplace.models import Requester
from marketplace.services import money
from kernel.clock import now
from kernel.models import Job
from tests.make import make_campaign
hits = {"title": "Name them all", "description": "One phrase"}
size = int(sys.argv[1])
given = {"provider": "mturk", "provider_settings": hits, "reward": Decimal("0.05")}
campaign = make_campaign("Many", size=size, redundancy=1, **given)
money.deposit(Requester.objects.get(own="main").pk, size * 6)
holder = {"kind": "follow_marketplace", "status": "running", "lock": campaigns.lock_of(campaign)}
Job.objects.create(**holder, heartbeat_at=now() + timedelta(days=1))  # keeps the scheduler from publishing meanwhile
ledger.set_budget(campaign.pk, size * 6, by=None)
print(campaign.pk)
"""
PUBLISH = """
import sys
from annotation.models import Campaign
from annotation.services.market import following
print(following.follow(Campaign.objects.get(pk=int(sys.argv[1])), report=lambda *_: None))
"""
COUNT = """
import json
from marketplace.models import HIT
from annotation.models import Campaign, LedgerEntry, Posting
done = LedgerEntry.objects.filter(kind="posting", state="done")
keys = HIT.objects.values_list("annotation", flat=True)
print(json.dumps({
    "hits": HIT.objects.count(), "keys": len(set(keys)), "postings": Posting.objects.filter(state="open").count(),
    "ledger": done.count(), "cents": sum(one.total_cents for one in done),
    "reserved": Campaign.objects.get(name="Many").reserved_cents,
}))
"""
PUBLISH_TASK = """
from tests.annotation.mturk import HITS, make_published
make_published(size=1, provider_settings=HITS | {"title": "A task of ours", "rehearsal": True})
"""
SHOWN = ("marketplace/", "marketplace/groups/{group}/", "marketplace/queue/", "marketplace/dashboard/")


def kill(hits: int) -> None:
    with closing(Product()) as product:
        product.start()
        campaign = product.python(MAKE, str(hits)).strip()
        client = connect(product)
        started = time.perf_counter()
        first = product.start_python(PUBLISH, campaign)
        wait_for(lambda: hits_in(product) >= hits // 2, seconds=3600)
        first.kill()
        first.wait()
        before = counted(product)["hits"]
        product.python(PUBLISH, campaign)
        seconds, counts = time.perf_counter() - started, counted(product)
        print(f"killed with {before:,} HITs there; {json.dumps(counts)} after {seconds:.0f} s")
        print(f"balance {client.get_account_balance()['AvailableBalance']}")
        assert counts["hits"] == counts["keys"] == counts["postings"] == counts["ledger"] == hits, counts


def hits_in(product: Product) -> int:
    """Return the number of HITs, read from the file: asking the installation would slow it down."""
    with closing(sqlite3.connect(f"file:{product.var / 'tesa.sqlite3'}?mode=ro", uri=True)) as reading:
        return int(reading.execute("SELECT COUNT(*) FROM marketplace_hit").fetchone()[0])


def counted(product: Product) -> dict[str, int]:
    return dict(json.loads(product.python(COUNT)))


def pages() -> None:
    from playwright.sync_api import sync_playwright

    with closing(Product()) as product:
        product.start()
        hit = connect(product, "sandbox").create_hit(**TYPE, **HIT_GIVEN)["HIT"]
        secret = product.python(
            "from marketplace.services import people\nprint(people.invent_workers(1)[0].secret)"
        ).strip()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
            )
            for path in SHOWN:
                weigh(browser, product.url, secret, path.format(group=hit["HITGroupId"]))
            product.python(PUBLISH_TASK)
            for title, name in (("A task of ours", "accepted, with a task of ours"), ("Name them all", "accepted")):
                weigh(browser, product.url, secret, accept(browser, product.url, secret, title), name)
            browser.close()


def enter(browser: Any, url: str, secret: str) -> Any:
    """Return a browser with an empty cache in which an invented worker is signed in."""
    context = browser.new_context()
    context.request.post(f"{url}/marketplace/enter/{secret}/")
    return context


def accept(browser: Any, url: str, secret: str, title: str) -> str:
    """Accept a HIT; return the path of its page."""
    context = enter(browser, url, secret)
    page = context.new_page()
    page.goto(f"{url}/marketplace/")
    page.get_by_role("button", name=f"Accept and work on {title}").click()
    page.wait_for_url("**/marketplace/work/**")
    path = str(page.url).removeprefix(f"{url}/")
    context.close()
    return path


def weigh(browser: Any, url: str, secret: str, path: str, name: str = "") -> None:
    """Print what a first visit transfers from this installation; what else a HIT loads is its requester's."""
    context, sizes = enter(browser, url, secret), list[int]()

    def add(request: Any) -> None:
        if request.url.startswith(url):
            measured = request.sizes()
            sizes.append(measured["responseBodySize"] + measured["responseHeadersSize"])

    page = context.new_page()
    page.on("requestfinished", add)
    page.goto(f"{url}/{path}", wait_until="load")
    page.wait_for_load_state("networkidle")
    print(f"{name or path.split('/')[1] or 'browse'}: {sum(sizes) / 1000:.1f} KB in {len(sizes)} requests")
    context.close()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=("kill", "pages"))
    arguments.add_argument("--hits", type=int, default=10_000)
    options = arguments.parse_args()
    if options.what == "kill":
        kill(options.hits)
    else:
        pages()


if __name__ == "__main__":
    main()
