"""Chromium, and a page that fails the test on anything a person would notice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.annotators import Places, make_places
from tests.product import PATIENCE_S, Product

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip

# Only ends a test that would hang: a page may wait for a job, and a job for a free core.
expect.set_options(timeout=PATIENCE_S * 1000)


class OneAtATime:
    """Answer one request after the other: on SQLite all threads of the test server share one connection to the
    database, so that two requests of a page would be in one transaction."""

    def __init__(self, application: Callable[..., Any]) -> None:
        self.application = application
        self.lock = Lock()

    def __call__(self, *request: Any) -> Any:
        with self.lock:
            return self.application(*request)


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        launched.on("context", lambda context: context.set_default_timeout(PATIENCE_S * 1000))
        yield launched
        launched.close()


@pytest.fixture
def engine(chromium: str, live_server: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    """Chromium beside the test's own server, in whose database the test may look."""
    server = live_server.thread.httpd
    monkeypatch.setattr(server, "application", OneAtATime(server.application))
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # Playwright runs a loop in this thread
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, product: Product) -> Iterator[Page]:
    """A page that fails the test on any console error, failed request or request that leaves the machine."""
    context = browser.new_context(base_url=product.url, viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    problems: list[str] = []
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("request", lambda r: None if r.url.startswith((product.url, "data:")) else problems.append(r.url))
    yield opened
    context.close()
    assert problems == []


@pytest.fixture
def strict(browser: Browser, product: Product) -> Iterator[Page]:
    """A page that axe can look into."""
    context = browser.new_context(base_url=product.url, bypass_csp=True, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.fixture
def context(browser: Browser, product: Product) -> Iterator[BrowserContext]:
    """A device whose network may fail: nothing it says on the console counts."""
    opened = browser.new_context(base_url=product.url, viewport={"width": 1280, "height": 900})
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def places(request: pytest.FixtureRequest, product: Product) -> Places:
    """A place in a campaign of its own for each name that the test module lists in WANTED."""
    return make_places(product, request.module.WANTED)
