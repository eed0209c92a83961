"""From a release to a results table in real Chromium: press Train, watch, and hold the numbers against the files."""

from __future__ import annotations

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.signing_in import sign_in
from tests.modeling.recompute import COLUMNS, recompute
from tests.product import Product

pytestmark = pytest.mark.browser

MAKE_RELEASE = """
from tests.make import make_synthetic_release
print(make_synthetic_release("Generated", instances=48, description="generated for a test").pk)
"""


@pytest.fixture(scope="module")
def trained(product: Product, browser: Browser) -> str:
    """The address of an experiment that was started with one click and has ended."""
    release = product.python(MAKE_RELEASE).split()[-1]
    context = browser.new_context(base_url=product.url, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    sign_in(page, product, "ben")
    page.get_by_role("link", name="Models", exact=True).click()
    page.goto(f"/models/new/?release={release}")
    page.get_by_role("button", name="Train all CPU rankers").click()
    page.wait_for_url(re.compile(r"/models/\d+/$"))
    expect(page.locator(".answer__number")).to_be_visible(timeout=240_000)  # the page comes anew by itself
    address = page.url.removeprefix(product.url)
    context.close()
    return address


def test_the_table_on_the_page_equals_a_recomputation_from_the_files(page: Page, product: Product, trained: str):
    sign_in(page, product, "ben")
    page.goto(trained)

    expect(page.locator("tr.chosen")).to_have_count(1)
    rows = page.locator("table.results tbody tr").all()
    assert len(rows) == 14
    for row in rows:
        address = row.get_by_role("link").get_attribute("href")
        answer = page.request.get(f"{product.url}{address}files/predictions.jsonl")
        found = recompute(answer.text().splitlines())
        shown = [re.match(r"[\d.]+", cell.inner_text()) for cell in row.locator("td").all()]
        told = [f"{found[part, name]:.3f}" for part in ("valid", "test") for name in COLUMNS]
        assert [match.group() for match in shown if match] == told


def test_from_the_table_to_the_worst_instance_and_a_note(page: Page, product: Product, trained: str):
    sign_in(page, product, "ben")
    page.goto(trained)
    page.get_by_role("link", name=re.compile("ranks worst")).click()
    page.locator("table tbody a").first.click()

    expect(page.locator(".ranks tr.gold")).not_to_have_count(0)
    page.get_by_label("In your words").fill("a note from the browser")
    page.get_by_role("button", name="Keep the note").click()
    expect(page.get_by_text("a note from the browser")).to_be_visible()


def test_the_test_figures_of_the_others_open_by_a_click(page: Page, product: Product, trained: str):
    sign_in(page, product, "ben")
    page.goto(trained)
    expect(page.get_by_role("columnheader", name="Test MAP")).to_have_count(0)

    page.get_by_role("button", name="Show the test figures of all runs").click()

    expect(page.get_by_text(re.compile("were opened by ben"))).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_pages_of_models_fit_and_pass_the_accessibility_rules(browser, product, trained, width, scheme):
    context = browser.new_context(
        base_url=product.url, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    sign_in(page, product)
    for path in addresses(product, trained):
        page.goto(path)
        for details in page.locator("details").all():
            details.evaluate("element => element.open = true")

        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        results = Axe().run(page)
        assert results.violations_count == 0, f"{path}\n{results.generate_report()}"
    context.close()


def addresses(product: Product, trained: str) -> list[str]:
    experiment = trained.split("/")[-2]
    code = (
        "import json\nfrom modeling.models import *\n"
        f"e = Experiment.objects.get(pk={experiment})\n"
        "key = TaskRow.objects.filter(task_set=e.task_set, part='test').first().key\n"
        "one, other = e.runs.get(ranker='logistic-tesa').pk, e.runs.get(ranker='frequency').pk\n"
        "print(json.dumps([f'/models/runs/{one}/', f'/models/runs/{one}/errors/', "
        "f'/models/compare/?a={one}&b={other}', "
        "f'/models/{e.pk}/instances/{key}/', f'/models/splits/{e.split_id}/', f'/models/{e.pk}/delete/']))"
    )
    found: list[str] = json.loads(product.python(code).splitlines()[-1])
    return [trained, "/models/", "/models/new/", *found]
