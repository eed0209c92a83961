from __future__ import annotations

from playwright.sync_api import Page

from tests.product import Product


def sign_in(page: Page, product: Product, name: str = "ada") -> None:
    """Sign in as somebody who was here before: the browser has the typefaces, so pages look as they usually do."""
    page.context.add_cookies([{"name": "tesa_typefaces", "value": "1", "url": product.url}])
    page.goto("/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(product.passwords[name])
    page.keyboard.press("Enter")
    page.wait_for_url(product.url + "/")
