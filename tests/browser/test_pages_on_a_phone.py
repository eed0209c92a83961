"""Every page on a phone, as on a first visit: light, still, and no wider than the screen, whatever names it shows."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from playwright.sync_api import BrowserContext, Page, Request

from tests.browser.signing_in import sign_in
from tests.browser.test_pages_in_the_browser import PATHS
from tests.product import Product

pytestmark = pytest.mark.browser
PHONE = {"width": 360, "height": 760}
MOST_BYTES, MOST_BYTES_WARM, MOST_SHIFT = 150_000, 27_000, 0.02
MOST_REQUESTS = 13
OWN_FILES = 1  # more: the task type's script, where answers are shown and corrected
FONT_FILES = 2  # more: letters beyond the core, one file for each typeface
SHIFTS = """
  window.shifted = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.shifted += entry.value; }))
    .observe({ type: "layout-shift", buffered: true });
"""
WIDER = "document.documentElement.scrollWidth - innerWidth"


def visit(page: Page, path: str) -> tuple[int, int]:
    """Open a page; return how many requests it took, and how many bytes went over the wire."""
    requests: list[Request] = []

    def note(request: Request) -> None:
        requests.append(request)

    page.on("requestfinished", note)
    page.goto(path)
    page.wait_for_load_state("networkidle")
    page.remove_listener("requestfinished", note)
    sizes = [request.sizes() for request in requests]
    return len(requests), sum(size["responseHeadersSize"] + size["responseBodySize"] for size in sizes)


def forget_files(context: BrowserContext, page: Page) -> None:
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})


def faults_of(page: Page, paths: Iterable[str], most_requests: int = MOST_REQUESTS) -> list[str]:
    faults = []
    for path in paths:
        requests, size = visit(page, path)
        shifted, wider = page.evaluate("window.shifted"), page.evaluate(WIDER)
        allowed = most_requests + (OWN_FILES if path.startswith("/admin/review/") else 0)
        faults += [f"{path} takes {requests} requests"] if requests > allowed else []
        faults += [f"{path} weighs {size:,} bytes"] if size > MOST_BYTES else []
        faults += [f"{path} shifts by {shifted:.3f}"] if shifted > MOST_SHIFT else []
        faults += [f"{path} is {wider} pixels too wide"] if wider > 0 else []
    return faults


def test_every_page_is_light_and_still_and_fits_a_phone(browser, product):
    context = browser.new_context(base_url=product.url, viewport=PHONE)
    context.add_init_script(SHIFTS)
    page = context.new_page()
    sign_in(page, product)
    _, again = visit(page, "/campaigns/")[1], visit(page, "/campaigns/1/")[1]
    forget_files(context, page)

    faults = faults_of(page, PATHS)

    assert not faults, "\n".join(faults)
    assert again < MOST_BYTES_WARM
    context.close()


MAKE = """
import json, sys
from tests.make import make_answer, make_article, make_campaign, make_corpus, make_entity, make_experiment
from tests.make import make_participation, make_release, make_split, make_synthetic_release
from tests.corpus.frozen_instances import make_frozen
paths = ["/", "/corpus/", "/campaigns/", "/releases/", "/models/", "/jobs/"]
for number, name in enumerate(json.loads(sys.argv[1])):
    corpus = make_corpus(name)
    article, entity = make_article(corpus, title=name, source_id=f"hostile {number}"), make_entity(corpus, name)
    campaign = make_campaign(name)
    make_answer(make_participation(campaign, f"Hostile {number}"))
    release = make_release(name, items=[make_frozen()], phrases=(name,))
    experiment = make_experiment(name, split=make_split(make_synthetic_release(f"{name[:80]}!", instances=8)))
    paths += [f"/corpus/{corpus.pk}/", f"/corpus/articles/{article.pk}/", f"/corpus/entities/{entity.pk}/"]
    paths += [f"/campaigns/{campaign.pk}/{tab}" for tab in ("", "people/", "settings/", "answers/")]
    paths += [f"/releases/{release.pk}/{tab}" for tab in ("", "items/", "items/0/", "files/", "recipe/")]
    paths += [f"/models/{experiment.pk}/{tab}" for tab in ("", "runs/", "setup/")]
print(json.dumps(paths))
"""
HOSTILE = [
    "W" * 90,
    "مجموعة المقالات عن المدن الساحلية التي لا تنتهي أسماؤها أبدًا",
    "🧑‍🔬🧑‍🚀👩‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿" * 4,
    "<b>O’Neill & “Söhne”</b>/../" * 3,
]


def make_hostile(product: Product) -> list[str]:
    output = product.python(MAKE, json.dumps(HOSTILE))
    return list(json.loads(output.strip().splitlines()[-1]))


def test_names_of_any_shape_keep_the_layout(browser, product):
    context = browser.new_context(base_url=product.url, viewport=PHONE)
    context.add_init_script(SHIFTS)
    page = context.new_page()
    sign_in(page, product)

    faults = faults_of(page, make_hostile(product), MOST_REQUESTS + FONT_FILES)

    assert not faults, "\n".join(faults)
    context.close()
