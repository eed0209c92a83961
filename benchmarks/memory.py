"""Memory of the whole product, as Linux shares it out (PSS): a page that two processes share counts half in each."""

from __future__ import annotations

import re
import time
from collections import deque
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

from tests.product import Product

PAGES = 30
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


def total_mb(product: Product) -> tuple[float, int]:
    """Return the megabytes of all processes together, and how many processes they are."""
    maps = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in processes(product)]
    return sum(int(rows.partition("\nPss:")[2].split()[0]) for rows in maps) / 1024, len(maps)


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


def submit(product: Product) -> None:
    """Let one invented person work at the running campaign for a few seconds, through its pages."""
    running = next(row for row in product.api("campaigns/")["results"] if row["status"] == "running")
    product.manage("simulate", running["name"], "--people", "1", "--minutes", "0.1", "--url", product.url)
