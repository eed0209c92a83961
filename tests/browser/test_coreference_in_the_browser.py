"""Coreference scores in Chromium: upload, table, and a document stepped through by keyboard, on every screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.browser.rules import check
from tests.browser.signing_in import sign_in
from tests.product import Product

pytestmark = pytest.mark.browser
KEY = """<DOC><DOCNO>harbour</DOCNO><TXT>
<COREF ID="1" MIN="boat">The <COREF ID="2">pilot</COREF>'s old boat</COREF> left at noon.
<COREF ID="3" TYPE="IDENT" REF="2">She</COREF> praised <COREF ID="4" TYPE="IDENT" REF="1">it</COREF>.
The weather stayed calm.
<COREF ID="5" TYPE="IDENT" REF="1">The boat</COREF> returned with <COREF ID="6" TYPE="IDENT" REF="2">her</COREF>.
</TXT></DOC>
"""
RESPONSE = """<DOC><DOCNO>harbour</DOCNO><TXT>
The <COREF ID="2">pilot</COREF>'s old <COREF ID="1">boat</COREF> left at noon.
<COREF ID="3" TYPE="IDENT" REF="2">She</COREF> praised <COREF ID="4" TYPE="IDENT" REF="2">it</COREF>.
The <COREF ID="7">weather</COREF> stayed calm.
<COREF ID="5" TYPE="IDENT" REF="1">The boat</COREF> returned with her.
</TXT></DOC>
"""


def file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}


def score(page: Page, product: Product) -> None:
    sign_in(page, product, "ben")
    page.goto("/campaigns/coreference/")
    page.get_by_label("Key", exact=True).set_input_files(file("gold.sgm", KEY))
    page.get_by_label("Response 1").set_input_files(file("ours.sgm", RESPONSE))
    page.get_by_label("Response 2").set_input_files(file("theirs.sgm", KEY))
    page.get_by_role("button", name="Score responses").click()
    expect(page.get_by_role("heading", name="Scores against gold.sgm")).to_be_visible()


def test_differences_are_stepped_through_by_key(page: Page, product: Product):
    score(page, product)
    expect(page.get_by_role("region", name="Scores").get_by_role("row", name="MUC")).to_contain_text("100.00")
    page.get_by_role("link", name="harbour", exact=True).click()
    marks = page.locator("a.mention__mark")
    total = marks.count()
    assert total >= 4

    page.keyboard.press("n")
    expect(marks.first).to_be_focused()
    page.keyboard.press("n")
    expect(marks.nth(1)).to_be_focused()
    expect(page.locator("[data-step-count]")).to_have_text(f"Difference 2 of {total}")
    page.keyboard.press("p")
    page.keyboard.press("p")
    expect(marks.last).to_be_focused()
    page.get_by_role("link", name="Next").click()
    expect(marks.first).to_be_focused()
    marks.first.press("Enter")
    expect(marks.nth(1)).to_be_focused()

    expect(page.get_by_text("stayed calm").first).to_be_visible()
    page.get_by_role("link", name="Only differences").click()
    expect(page.get_by_role("row")).to_have_count(4 + 1)
    page.get_by_role("link", name="theirs.sgm").click()
    expect(page.get_by_text("No differences")).to_be_visible()


def test_every_step_is_accessible_on_every_screen(strict: Page, product: Product):
    sign_in(strict, product, "ben")
    strict.goto("/campaigns/coreference/")
    check(strict)
    score(strict, product)
    check(strict)
    strict.get_by_role("link", name="harbour", exact=True).click()
    check(strict)


def test_without_scripts_the_links_lead_from_difference_to_difference(page: Page, browser: Browser, product: Product):
    score(page, product)
    context = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state())
    plain = context.new_page()
    plain.goto(f"{page.url}1/0/")
    plain.get_by_role("link", name="Next").click()
    assert plain.url.endswith("#d1")
    plain.locator("#d1").click()
    assert plain.url.endswith("#d2")
    context.close()
