"""What every page keeps to: it is no wider than the screen, and accessible."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

Screen = tuple[int, Literal["light", "dark"]]
SCREENS: tuple[Screen, ...] = ((360, "light"), (360, "dark"), (1280, "light"), (1280, "dark"))
WIDER = "document.documentElement.scrollWidth - innerWidth"


def check(page: Page, screens: Iterable[Screen] = SCREENS) -> None:
    """Hold the page that is open against the rules, on a screen and on a phone, light and dark."""
    for width, scheme in screens:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert page.evaluate(WIDER) <= 0, f"{page.url} is wider than {width} pixels"
        results = Axe().run(page)
        assert results.violations_count == 0, f"{page.url}, {width}, {scheme}\n{results.generate_report()}"
