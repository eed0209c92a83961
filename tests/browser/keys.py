"""Keys that lead to another page."""

from __future__ import annotations

from playwright.sync_api import Page


def press(page: Page, key: str) -> None:
    """Press a key that leads to another page, and wait until that one listens to keys."""
    with page.expect_navigation():
        page.keyboard.press(key)
