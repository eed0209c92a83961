"""Memory of the whole product, as Linux shares it out (PSS): a page that two processes share counts half in each.

python -m benchmarks.memory [--verbose]

Read at rest, after every page of the demo has been opened once (two addresses of each kind), and when the processes
that draw plots have ended.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

from kernel.plots import vega
from tests.product import Product

PAGES = 30
SAME_KIND = 2
IDLE_SECONDS = 30
NUMBER = re.compile(r"\d+|[\w-]{22}")
LINK = re.compile(r'<a [^>]*href="([^"#]+)')


def processes(product: Product) -> list[int]:
    """Return the product's first process and all that descend from it."""
    assert product.process
    pids, waiting = [], deque([product.process.pid])
    while waiting:
        pid = waiting.popleft()
        pids.append(pid)
        for task in Path(f"/proc/{pid}/task").glob("*"):
            waiting.extend(int(child) for child in (task / "children").read_text().split())
    return pids


def mb(pid: int) -> float:
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(rows.partition("\nPss:")[2].split()[0]) / 1024


def total_mb(product: Product) -> tuple[float, int]:
    """Return the megabytes of all processes together, and how many processes they are."""
    each = [mb(pid) for pid in processes(product)]
    return sum(each), len(each)


def libraries(pid: int) -> set[str]:
    """Return the large packages whose compiled parts a process has loaded."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    return set(re.findall(r"site-packages/(\w+?)(?:\.libs)?/\S+\.so", maps))


def signed_in(product: Product, name: str) -> OpenerDirector:
    opener = build_opener(HTTPCookieProcessor(CookieJar()))
    address = product.url + "/account/sign-in/"
    page = opener.open(address).read().decode()
    token = page.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    form = {"csrfmiddlewaretoken": token, "username": name, "password": product.passwords[name]}
    with opener.open(address, urlencode(form).encode()) as answer:
        assert answer.url != address, "the sign-in was refused"
    return opener


def tour(product: Product) -> list[float]:
    """Read the first thirty pages that the home page's links lead to, page by page; return the milliseconds of each."""
    opener, seen, waiting = signed_in(product, "ada"), {"/"}, deque(["/"])
    times: list[float] = []
    while len(times) < PAGES:
        address = urljoin(product.url, waiting.popleft())
        started = time.perf_counter()
        with opener.open(address) as answer:
            text = answer.read().decode("utf-8", "replace")
            is_page = answer.headers.get_content_type() == "text/html"
        if not is_page:  # a file to download
            continue
        times.append((time.perf_counter() - started) * 1000)
        for link in LINK.findall(text):
            path = urlsplit(urljoin(address, unescape(link))).path
            if link.startswith("/") and path not in seen:
                seen.add(path)
                waiting.append(path)
    return times


def every_page(product: Product) -> Iterator[str]:
    """Read the pages that links lead to from the home page, two of each kind, and yield the address of each."""
    opener, waiting, kinds = signed_in(product, "ada"), deque(["/"]), Counter[str]()
    while waiting:
        address = urljoin(product.url, waiting.popleft())
        try:
            with opener.open(address) as answer:
                text = answer.read().decode("utf-8", "replace")
                is_page = answer.headers.get_content_type() == "text/html"
        except HTTPError as error:
            print(f"{address}: {error}")
            continue
        if not is_page:  # a file to download
            continue
        yield urlsplit(address).path
        for link in LINK.findall(text):
            path = urlsplit(urljoin(address, unescape(link))).path
            kind = NUMBER.sub("0", path)
            if link.startswith("/") and kinds[kind] < SAME_KIND and path not in waiting and "sign-out" not in path:
                kinds[kind] += 1
                waiting.append(path)


def submit(product: Product) -> None:
    """Let one invented person work at the running campaign for a few seconds, through its pages."""
    running = next(row for row in product.api("campaigns/")["results"] if row["status"] == "running")
    product.manage("simulate", running["name"], "--people", "1", "--minutes", "0.1", "--url", product.url)


def name_of(pid: int) -> str:
    command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return next((word for word in ("gunicorn", "worker", "scheduler", "launch") if word in command), command[:40])


def print_each(product: Product) -> None:
    for pid in processes(product):
        print(f"  {mb(pid):4.0f} MB {name_of(pid)} {' '.join(sorted(libraries(pid)))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verbose", action="store_true", help="print with which pages it grows, and who has it")
    options = parser.parse_args()
    with closing(Product().start()) as product:
        product.wait_for_demo()
        time.sleep(IDLE_SECONDS)
        rest, count = total_mb(product)
        print(f"at rest, {IDLE_SECONDS} s after the demo: {rest:.0f} MB in {count} processes", flush=True)
        before, pages, started = rest, 0, time.monotonic()
        for address in every_page(product):
            pages += 1
            if options.verbose and (now := total_mb(product)[0]) > before + 5:
                print(f"  {now - before:+.0f} MB with {address}", flush=True)
            before = total_mb(product)[0] if options.verbose else before
        took = time.monotonic() - started
        total, count = total_mb(product)
        print(f"after {pages} pages, {took:.0f} s: {total:.0f} MB in {count} processes, {total / rest:.2f} × at rest")
        if options.verbose:
            print_each(product)
        time.sleep(vega.IDLE_SECONDS + 5)
        total, count = total_mb(product)
        print(f"when nothing was drawn for a minute: {total:.0f} MB in {count} processes, {total / rest:.2f} × at rest")
        if options.verbose:
            print_each(product)


if __name__ == "__main__":
    main()
