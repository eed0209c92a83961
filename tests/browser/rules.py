"""What every page keeps to: it is no wider than the screen, and accessible."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WIDER = "document.documentElement.scrollWidth - innerWidth"


def check(page: Page) -> None:
    """Hold the page that is open against the rules, on a screen and on a phone, light and dark."""
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert page.evaluate(WIDER) <= 0, f"{page.url} is wider than {width} pixels"
            results = Axe().run(page)
            assert results.violations_count == 0, f"{page.url}, {width}, {scheme}\n{results.generate_report()}"
