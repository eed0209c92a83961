"""Signing in, watching a job and cancelling it, in real Chromium against the running product."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from kernel.services.jobs import MOST_SECONDS
from tests.browser.signing_in import fill_in_the_form, sign_in
from tests.product import Product

pytestmark = pytest.mark.browser


def start_check(page: Page, seconds: int) -> None:
    page.goto("/jobs/")
    page.get_by_label("Duration").fill(str(seconds))
    page.get_by_role("button", name="Check worker").click()


def test_signing_in_and_out(page, product):
    fill_in_the_form(page, product)
    expect(page.get_by_role("heading", name="Home")).to_be_visible()

    page.get_by_label("Account menu").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto("/jobs/")
    expect(page).to_have_url(re.compile("/account/sign-in/"))


def test_a_job_s_bar_moves_by_itself_and_polling_stops_at_the_end(page, product):
    page.clock.install()
    sign_in(page, product, "ben")
    start_check(page, MOST_SECONDS)  # runs for as long as the page takes to show it
    page.get_by_role("link", name="Details").click()
    bar = page.get_by_role("progressbar")

    expect(page.get_by_text("Running")).to_be_visible()
    expect(bar).not_to_have_attribute("value", "0")
    # The message that follows the job sees its end too, and then reads the page's figures once more.
    with page.expect_response(lambda answer: answer.url == page.url and "hx-request" not in answer.request.headers):
        product.api(f"jobs/{page.url.rstrip('/').rpartition('/')[2]}/cancel/", {})
    expect(page.locator(".badge.cancelled")).to_be_visible()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.clock.run_for(10_000)
    assert requests == []


def test_a_job_started_on_a_page_is_followed_there_and_on_the_next_page(page, product):
    sign_in(page, product)
    start_check(page, MOST_SECONDS)
    toast = page.locator("#toasts .toast")

    expect(toast).to_contain_text("Check worker")
    expect(page).to_have_url(re.compile("/jobs/$"))
    expect(page.get_by_label("Jobs, 1 running or waiting")).to_be_visible()
    number = product.api("jobs/")["results"][0]["id"]
    page.goto("/account/")
    expect(toast.locator(".bar, .small").first).to_be_visible()
    product.api(f"jobs/{number}/cancel/", {})
    expect(toast).to_contain_text("Cancelled")
    toast.get_by_role("button", name="Close").click()
    expect(toast).to_have_count(0)
    page.reload()
    expect(page.get_by_label("Jobs, 0 running or waiting")).to_be_visible()
    expect(toast).to_have_count(0)


def test_the_list_shows_a_job_that_was_started_on_it_and_its_end(page, product):
    sign_in(page, product, "ben")
    start_check(page, MOST_SECONDS)
    newest = page.locator("#jobs-table tbody tr").first

    expect(newest).to_contain_text(re.compile("Queued|Running"))
    product.api(f"jobs/{product.api('jobs/?kind=check_worker')['results'][0]['id']}/cancel/", {})
    expect(newest).to_contain_text("Cancelled")


def test_input_outlives_a_session_that_ended(page, product):
    sign_in(page, product, "ben")
    page.goto("/account/")
    page.get_by_label("First name").fill("Benedikt")
    page.context.clear_cookies(name="tesa_session")
    page.get_by_role("button", name="Save account").click()

    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert product.passwords["ben"] not in page.evaluate("JSON.stringify(sessionStorage)")
    page.get_by_label("Username").fill("ben")
    page.get_by_label("Password").fill(product.passwords["ben"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("First name")).to_have_value("Benedikt")
    expect(page.locator("#toasts")).to_contain_text("Your input is back")
    page.reload()
    expect(page.get_by_label("First name")).not_to_have_value("Benedikt")


def test_a_job_is_cancelled_and_retried_from_its_page(page, product):
    sign_in(page, product)
    start_check(page, MOST_SECONDS)
    page.get_by_role("link", name="Details").click()
    expect(page.get_by_text("Running")).to_be_visible()

    page.get_by_role("button", name="Cancel job").click()
    expect(page.locator(".badge.cancelled")).to_be_visible()

    page.get_by_role("button", name="Retry job").click()
    expect(page.get_by_text("Running")).to_be_visible()
    page.get_by_role("button", name="Cancel job").click()
    expect(page.locator(".badge.cancelled")).to_be_visible()


def test_a_job_can_be_followed_without_javascript(browser, product):
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, product)
    start_check(page, 1)

    expect(page.locator("meta[http-equiv=refresh], .badge.succeeded")).to_have_count(1)
    expect(page.get_by_text("rounds without a fault")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "100")
    context.close()


def import_articles(page: Page, name: str, file: Path) -> None:
    page.goto("/corpus/new/")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Format", exact=True).select_option("jsonl")
    page.get_by_label("Or upload a file").set_input_files(file)
    page.get_by_role("button", name="Import articles").click()


def test_the_page_of_a_corpus_shows_what_the_search_after_an_import_found(page, product, tmp_path):
    people = [{"name": name, "type": "person"} for name in ("Ida Lind", "Otto Berg")]
    text = "The mayors Ida Lind and Otto Berg opened the new bridge on Sunday."
    articles = [{"id": f"m{number}", "title": "Mayors", "text": text, "entities": people} for number in range(3)]
    file = tmp_path / "mayors.jsonl"
    file.write_text("\n".join(map(json.dumps, articles)))
    sign_in(page, product, "ben")

    import_articles(page, "Mayors", file)

    tabs = page.get_by_role("navigation", name="Corpus")
    expect(tabs.get_by_role("link", name=re.compile(r"Instances\s*\d"))).to_be_visible()
    expect(page.get_by_label("Jobs, 0 running or waiting")).to_be_visible()
    expect(page.get_by_text("No instances yet")).to_have_count(0)


def test_after_an_import_that_failed_the_page_of_its_job_says_why(context, product, tmp_path):
    page = context.new_page()  # the corpus is gone: that its page is not found stands on the console
    file = tmp_path / "empty.jsonl"
    file.write_text('{"id": "a1", "title": "Mayors"\n')
    sign_in(page, product, "ben")

    import_articles(page, "Nothing", file)

    expect(page).to_have_url(re.compile(r"/jobs/\d+/$"))
    expect(page.get_by_text("Nothing could be read as jsonl")).to_be_visible()


def test_a_refused_upload_travels_once_and_stays_chosen(context: BrowserContext, product: Product, tmp_path: Path):
    page = context.new_page()  # Chromium writes the refusal on the console
    sign_in(page, product, "ben")
    archive = tmp_path / "mine.tar"
    archive.write_bytes(b"no archive")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.goto("/corpus/new/")
    page.get_by_label("Name", exact=True).fill("Gazette")
    page.get_by_label("Format", exact=True).select_option("jsonl")
    page.get_by_label("Or upload a file").set_input_files(archive)

    page.get_by_role("button", name="Import articles").click()

    expect(page.get_by_role("alert")).to_contain_text("cannot be read in this format")
    assert len(sent) == 1
    expect(page.get_by_label("Name", exact=True)).to_have_value("Gazette")
    assert page.get_by_label("Or upload a file").evaluate("field => field.files[0].name") == "mine.tar"

    page.get_by_label("Format", exact=True).select_option("text")
    page.get_by_role("button", name="Import articles").click()

    # The corpus, or its job if that has failed by now: there is no archive to read, and then there is no corpus.
    expect(page).to_have_url(re.compile(r"/(corpus|jobs)/\d+/$"))
