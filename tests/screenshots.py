"""`make screenshots`: every kind of page at 1280 and 360 pixels, light and dark, as PNG files in one folder.

It starts the product with its demo, or visits one that runs already (TESA_URL, with its TESA_VAR). It follows links
from the first page and takes one page of each address pattern. It prints every page that is wider than a phone.
With --readme it takes only the four pictures of the README, in tesa_site/screenshots/.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Error, Page, sync_playwright

from tests.product import PATIENCE_S, Product

SIZES = {"1280": {"width": 1280, "height": 900}, "360": {"width": 360, "height": 760}}
README_SIZE, README_SCALE = {"width": 1280, "height": 680}, 0.8
THEMES = ("light", "dark")
# Files, plots and the many lists of Django's admin, of which one is enough.
SKIPPED = re.compile(r"/(task|static)/|download|\.(svg|csv|tex|md|jsonl|zip|json)$|/files/.|/model/|/fairseq$")
ADMIN_LISTS = re.compile(r"^/admin/(kernel|corpus|annotation|modeling|auth)/\w+/")
SIMILAR = {ADMIN_LISTS: "/admin/list/", re.compile(r"/\d+(?=/|$)"): "/n", re.compile(r"/[0-9a-f]{16,}(?=/|$)"): "/key"}
ANONYMOUS = (
    "/account/sign-in/",
    "/account/forgot/",
    "/account/forgot/sent/",
    "/marketplace/",
    "/marketplace/join/",
    "/nowhere/",
)
WORKER = ("", "queue/", "dashboard/", "qualifications/", "messages/")
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def pattern(path: str) -> str:
    for expression, replacement in SIMILAR.items():
        path = expression.sub(replacement, path)
    return path


class Camera:
    def __init__(self, out: Path, only: str) -> None:
        self.out, self.only, self.taken = out, re.compile(only), 0
        out.mkdir(parents=True, exist_ok=True)

    def take(self, page: Page, name: str) -> None:
        """Photograph the page that is open, in each size and theme."""
        name = name.strip("/").replace("/", "-") or "home"
        if not self.only.search(name):
            return
        page.wait_for_load_state("networkidle")
        for size, viewport in SIZES.items():
            page.set_viewport_size(viewport)  # type: ignore[arg-type]
            for theme in THEMES:
                page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
                page.screenshot(path=self.out / f"{name}.{size}-{theme}.png", full_page=True)
            if page.evaluate(WIDER):
                print(f"{name} is wider than {size} pixels", flush=True)
        page.set_viewport_size(SIZES["1280"])  # type: ignore[arg-type]
        self.taken += 1


@contextmanager
def running_product() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the address of a product with its demo, and the demo's passwords."""
    if url := os.environ.get("TESA_URL"):
        stored = json.loads((Path(os.environ["TESA_VAR"]) / "demo-sign-ins.json").read_text())
        yield url, {name: password for name, (password, _) in stored.items()}
        return
    product = Product()
    try:
        product.start().wait_for_demo()
        yield product.url, product.passwords
    finally:
        product.close()


def open_page(browser: Browser, url: str, scale: float = 1) -> Page:
    context = browser.new_context(base_url=url, viewport=SIZES["1280"], device_scale_factor=scale)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_S * 1000)
    context.add_cookies([{"name": "tesa_typefaces", "value": "1", "url": url}])
    return context.new_page()


def sign_in(page: Page, name: str, password: str) -> None:
    page.goto("/account/sign-in/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"//[^/]+/$"))


def walk(page: Page, camera: Camera) -> None:
    """Follow the links of every page, breadth first, and photograph one page of each pattern."""
    waiting, seen = ["/", "/components/"], {"/", "/components/"}
    while waiting:
        path = waiting.pop(0)
        try:
            page.goto(path)
        except Error:  # a file to download
            continue
        landed = pattern(urlsplit(page.url).path)
        if landed == pattern(urlsplit(path).path):
            camera.take(page, landed)
        for link in page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)"):
            parts = urlsplit(link)
            if parts.netloc != urlsplit(page.url).netloc or SKIPPED.search(parts.path) or pattern(parts.path) in seen:
                continue
            seen.add(pattern(parts.path))
            waiting.append(parts.path + (f"?{parts.query}" if parts.query else ""))


def annotate(page: Page, camera: Camera) -> None:
    """Begin a campaign as a signed-in annotator and go as far as the first real task."""
    page.goto("/")
    camera.take(page, "annotator-home")
    page.get_by_role("main").locator("form button, a[href^='/task/']").first.click()
    for step in range(14):
        camera.take(page, f"annotator-{step:02}")
        main = page.get_by_role("main")
        for name in {box.get_attribute("name") for box in main.locator("input[type=radio]").all()}:
            main.locator(f"input[type=radio][name='{name}']").first.check()
        for box in main.locator("input[type=checkbox][required]").all():
            box.check()
        texts = main.locator("input[type=text]:visible, input:not([type]):visible")
        if texts.count():
            texts.first.fill("the places")
        forward = main.locator("form .btn.primary, a.btn.primary")
        is_task = page.get_by_text("This answer").count() > 0  # what it pays: only real tasks say so
        if is_task or not forward.count():
            break
        forward.first.click()
        page.wait_for_load_state()


def annotate_and_look_around(page: Page, camera: Camera) -> None:
    annotate(page, camera)
    secret = re.search(r"/task/[^/]+/", page.url)
    report = page.locator("a[href*='/report/']").first.get_attribute("href")
    for name in ("instructions", "mine", "leave") if secret else ():
        page.goto(f"{secret[0]}{name}/")  # type: ignore[index]
        camera.take(page, f"annotator-{name}")
    page.goto(report or "/")
    camera.take(page, "annotator-report")


def take_for_the_readme(browser: Browser, url: str, passwords: dict[str, str], out: Path) -> None:
    """Take a campaign, its review, results of models and an annotator's task, each as it fits a README."""
    out.mkdir(parents=True, exist_ok=True)

    def take(page: Page, name: str) -> None:
        page.set_viewport_size(README_SIZE)  # type: ignore[arg-type]
        page.wait_for_load_state("networkidle")
        page.screenshot(path=out / f"{name}.png", animations="disabled")

    page = open_page(browser, url, README_SCALE)
    sign_in(page, "ben", passwords["ben"])
    page.goto("/campaigns/")
    page.get_by_role("link", name="Demo study (running)").click()
    take(page, "campaign")
    page.get_by_role("navigation", name="Campaign").get_by_role("link", name="Review").click()
    take(page, "review")
    page.goto("/models/")
    page.get_by_role("main").get_by_role("link", name="Demo: all methods").click()
    page.locator(".methods").first.evaluate("table => scrollTo(0, table.getBoundingClientRect().top - 160)")
    take(page, "results")
    page = open_page(browser, url, README_SCALE)
    sign_in(page, "cleo", passwords["cleo"])
    annotate(page, Camera(out, "^$"))
    page.get_by_label("One phrase for all of them").fill("music directors of the Corvane Philharmonic")
    take(page, "task")


def join_marketplace(page: Page, camera: Camera) -> None:
    """Become a worker and photograph the worker site."""
    page.goto("/marketplace/join/")
    page.get_by_role("button", name="Start working").click()
    for path in WORKER:
        page.goto(f"/marketplace/{path}")
        camera.take(page, f"worker-{path}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("out", type=Path, nargs="?", default=Path("var/screenshots"))
    arguments.add_argument("--readme", action="store_true", help="only the pictures of the README")
    arguments.add_argument("--only", default="", metavar="PATTERN", help="pages whose name matches this expression")
    options = arguments.parse_args()
    with running_product() as (url, passwords), sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-lcd-text"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        if options.readme:
            return take_for_the_readme(browser, url, passwords, Path("tesa_site/screenshots"))
        camera = Camera(options.out, options.only)
        anybody = open_page(browser, url)
        for path in ANONYMOUS:
            anybody.goto(path)
            camera.take(anybody, path)
        for name, tour in (("ada", walk), ("cleo", annotate_and_look_around), ("cleo", join_marketplace)):
            page = open_page(browser, url)
            sign_in(page, name, passwords[name])
            tour(page, camera)
        browser.close()
    print(f"{camera.taken} pages in {options.out}")


if __name__ == "__main__":
    main()
