"""The home page under load, as a ratio to a bare signed-in view measured in the same run.

python -m benchmarks.home [--clients 50] [--seconds 30]          (TESA_DATABASE_URL=… for PostgreSQL)
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from benchmarks import load
from tests.product import ROOT, Product

MAKE_SESSIONS = """
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from kernel.models import User
user = User.objects.get(username="ben")
for _ in range({number}):
    session = SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session.create()
    print(session.session_key)
"""


@contextmanager
def bare_product(sessions: int, root: Path = ROOT) -> Iterator[tuple[Product, list[str]]]:
    """Start a checkout with the bare view; yield it with the cookies of this many signed-in browsers."""
    started = Product(
        root=root,
        DJANGO_SETTINGS_MODULE="benchmarks.bare_settings",
        TESA_LOST_AFTER_SECONDS="30",
        TESA_HEARTBEAT_SECONDS="5",
        TESA_SWEEP_SECONDS="5",
    ).start()
    with closing(started) as product:
        keys = product.python(MAKE_SESSIONS.format(number=sessions)).split()
        yield product, [f"tesa_session={key}" for key in keys]


def transferred(product: Product, cookie: str) -> tuple[int, int]:
    """Return (bytes, requests) of a first visit to the home page, as a browser that takes gzip would make it."""
    headers = {"Cookie": cookie, "Accept-Encoding": "gzip"}

    def fetch(path: str) -> tuple[bytes, int]:
        with urlopen(Request(product.url + path, headers=headers), timeout=10) as answer:
            body = answer.read()
            size = len(body) + len(str(answer.headers))
            return gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body, size

    page, size = fetch("/")
    parts = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.decode()))
    return size + sum(fetch(part)[1] for part in parts), 1 + len(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    with bare_product(options.clients) as (product, cookies):
        size, requests = transferred(product, cookies[0])
        print(f"first visit: {size / 1000:.1f} KB in {requests} requests")

        def visited(path: str, seconds: float) -> load.Result:
            return load.run(product.port, [load.visitor(path, cookie) for cookie in cookies], seconds=seconds)

        for path in ("/", "/bare/"):
            visited(path, 3)  # warm up
        # Bare, home, bare, home: a machine that slows down meanwhile slows both.
        results: dict[str, list[load.Result]] = {"/bare/": [], "/": []}
        for path in ("/bare/", "/", "/bare/", "/"):
            result = visited(path, options.seconds / 2)
            results[path].append(result)
            print(f"{path:8} {result}")
            if result.errors:
                sys.exit("there were errors: the figures mean nothing")
        best = {path: max(result.per_second for result in rounds) for path, rounds in results.items()}
        print(f"home / bare: {best['/'] / best['/bare/']:.2f}")


if __name__ == "__main__":
    main()
