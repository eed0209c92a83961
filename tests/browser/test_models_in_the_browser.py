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

INSTANCES, PEOPLE = 30, 3


@pytest.fixture(scope="module")
def trained(product: Product, browser: Browser) -> str:
    """The address of a finished experiment on the answers of a simulated crowd, released and started on pages."""
    answer_a_campaign(product)
    context = browser.new_context(base_url=product.url, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    sign_in(page, product, "ben")
    page.goto("/releases/new/")
    page.get_by_label(re.compile("Crowd")).check()
    page.get_by_label(re.compile("simulated participants")).check()
    page.get_by_role("button", name="Preview").click()
    page.get_by_label("Name").fill("Of the crowd")
    page.get_by_role("button", name="Create release").click()
    page.get_by_role("link", name="Train models").click()
    page.get_by_text("Options: split").click()
    page.get_by_label("Seeds").fill("1")
    page.get_by_label(re.compile("dataset-size curve")).check()
    page.get_by_role("button", name="Train all methods (CPU)").click()
    page.wait_for_url(re.compile(r"/models/\d+/$"))
    expect(page.locator("#progress .meter")).to_have_count(0)
    expect(page.get_by_text("the method chosen on validation")).to_be_visible()  # the page reloads by itself
    address = page.url.removeprefix(product.url)
    context.close()
    return address


def answer_a_campaign(product: Product) -> None:
    product.manage("draw_sample", "Demo newspaper", "--name", "For the crowd", "-n", str(INSTANCES), "--seed", "5")
    people = f"--redundancy={PEOPLE}"
    product.manage("create_campaign", "Crowd", "For the crowd", people, "--contact=team@tesa.invalid", "--start")
    output = product.manage("simulate", "Crowd", f"--people={PEOPLE}", "--seed=1", "--steady", f"--url={product.url}")
    assert "nothing lost, nothing double, no error" in output


def test_every_plot_comes_after_the_page_and_is_handed_out_with_its_data(page: Page, product: Product, trained: str):
    sign_in(page, product, "ben")
    page.goto(trained)
    of_a_run = page.locator(".methods").get_by_role("link", name="logistic-tesa").get_attribute("href")
    assert of_a_run
    for address, plots in ((trained, 2), (of_a_run, 2)):
        page.goto(address)

        expect(page.locator("figure.plot svg:visible")).to_have_count(plots)
        for link in page.locator("figure.plot figcaption a").all():
            response = page.request.get(f"{product.url}{link.get_attribute('href')}")
            assert response.ok
            assert response.text().startswith("<svg") == (link.inner_text() == "SVG")


def test_the_table_is_copied_from_the_page(page: Page, product: Product, trained: str):
    sign_in(page, product, "ben")
    page.goto(trained)

    for label, begin in (("LaTeX", "% needs"), ("Markdown", "| Method |"), ("CSV", '"method","backend","run"')):
        page.get_by_label("More actions").click()
        page.get_by_role("link", name=f"Copy results as {label}").click()
        expect(page.get_by_role("textbox", name=label)).to_have_value(re.compile("^" + re.escape(begin)))
        page.get_by_role("button", name="Close").click()


def test_a_plot_tells_its_figures_by_pointer_and_by_keys_hides_a_series_and_becomes_a_table(
    page: Page, product: Product, trained: str
):
    sign_in(page, product, "ben")
    page.goto(trained)
    figure = page.locator("figure.plot").first
    marks = figure.locator("svg:not(.on-phone) .mark-symbol.role-mark > path")
    tip = page.locator("body > .tip")
    figure.get_by_role("button", name="Show as table").click()
    assert figure.locator("tbody tr").count() == marks.count() > 8

    box = marks.first.bounding_box()
    assert box
    figures = (marks.first.get_attribute("aria-label") or "").split("; ")
    method = figures[0].removeprefix("method: ")
    # In its middle: beside it, a mark of another series may be nearer. Of two at one place the first is told.
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(tip).to_have_text("\n".join(figures))
    page.mouse.move(1, 1)
    expect(tip).to_be_hidden()
    figure.locator(".plot__scroll").focus()
    page.keyboard.press("ArrowRight")
    expect(tip).to_have_text("\n".join(figures))
    entry = figure.locator("svg").get_by_role("button", name=method)
    entry.focus()
    page.keyboard.press("Enter")
    expect(entry).to_have_attribute("aria-pressed", "false")
    expect(marks.first).to_be_hidden()


def test_the_table_on_the_page_equals_a_recomputation_from_the_files(page: Page, product: Product, trained: str):
    sign_in(page, product, "ben")
    page.goto(trained)

    expect(page.locator("tr.chosen")).to_have_count(1)
    rows = page.locator(".methods tbody tr").all()
    assert len(rows) == 14
    for row in rows:
        address = row.get_by_role("link").get_attribute("href")
        answer = page.request.get(f"{product.url}{address}files/predictions.jsonl")
        recomputed = recompute(answer.text().splitlines())
        shown = [re.match(r"[\d.]+", cell.inner_text()) for cell in row.locator("td").all()]
        expected = [f"{recomputed[column]:.3f}" for column in (*(("test", name) for name in COLUMNS), ("valid", "MAP"))]
        assert [match.group() for match in shown if match] == expected


def test_from_the_table_to_the_worst_instance_and_a_note(page: Page, product: Product, trained: str):
    sign_in(page, product, "ben")
    page.goto(trained)
    page.get_by_role("link", name="Errors").click()
    page.locator("table tbody a").first.click()

    expect(page.locator(".heat tr.gold")).not_to_have_count(0)
    page.get_by_label("Note", exact=True).fill("a note from the browser")
    page.get_by_role("button", name="Save note").click()
    expect(page.get_by_text("a note from the browser")).to_be_visible()


def test_the_test_figures_of_the_others_open_by_a_click(page: Page, product: Product, trained: str):
    sign_in(page, product, "ben")
    page.goto(trained)
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.get_by_role("columnheader", name="Test MAP")).to_have_count(0)

    page.get_by_role("button", name="Show test figures of all runs").click()

    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.get_by_text("ben showed all test figures")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_pages_of_models_fit_and_pass_the_accessibility_rules(browser, product, trained, width, scheme):
    context = browser.new_context(
        base_url=product.url, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    sign_in(page, product)
    for path in addresses(product, trained):
        page.goto(path)
        for details in page.locator("main details:not(.menu)").all():
            details.evaluate("element => element.open = true")

        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        results = Axe().run(page)
        assert results.violations_count == 0, f"{path}\n{results.generate_report()}"
    context.close()


WIDTHS = (1280, 1000, 768, 600, 360)


@pytest.mark.parametrize(
    "widths", [WIDTHS, *(pytest.param((width,), marks=pytest.mark.thorough) for width in WIDTHS)], ids=str
)
def test_plots_are_whole_and_their_letters_about_as_large_as_they_were_drawn(browser, product, trained, widths):
    context = browser.new_context(base_url=product.url, viewport={"width": widths[0], "height": 800})
    page = context.new_page()
    sign_in(page, product)
    for path in addresses(product, trained):
        page.goto(path)
        for width in widths:
            page.set_viewport_size({"width": width, "height": 800})
            expect(page.get_by_text("Drawing…")).to_have_count(0)

            assert not page.locator(".plot__scroll").evaluate_all(SCROLLING), path
            for letters in page.locator("figure.plot svg:visible").evaluate_all(LETTERS):
                assert 9 <= letters <= 16, path
    context.close()


SCROLLING = "plots => plots.filter(plot => plot.scrollWidth > plot.clientWidth).length"
LETTERS = (
    "drawings => drawings.map(drawing => 12 * drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width)"
)


def addresses(product: Product, trained: str) -> list[str]:
    experiment = trained.split("/")[-2]
    code = (
        "import json\nfrom modeling.models import *\n"
        f"e = Experiment.objects.get(pk={experiment})\n"
        "key = TaskRow.objects.filter(task_set=e.task_set, part='test').first().key\n"
        "run, other = e.runs.get(ranker='logistic-tesa', share=100).pk, e.runs.get(ranker='frequency', share=100).pk\n"
        "print(json.dumps([f'/models/runs/{run}/', f'/models/runs/{run}/errors/', "
        "f'/models/compare/?a={run}&b={other}', "
        "f'/models/{e.pk}/instances/{key}/', f'/models/splits/{e.split_id}/', f'/models/{e.pk}/delete/']))"
    )
    pages: list[str] = json.loads(product.python(code).splitlines()[-1])
    return [trained, f"{trained}runs/", f"{trained}setup/", f"{trained}instances/", "/models/", "/models/new/", *pages]
