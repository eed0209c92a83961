from __future__ import annotations

from playwright.sync_api import Page

from tests.product import Product

SESSION = "tesa_session"


def sign_in(page: Page, product: Product, name: str = "ada") -> None:
    """Open the first page as somebody who has signed in before, with the session they got then.

    The session is every other test's, too. Once a test has ended it, the form is filled in again.
    """
    if name in product.sessions:
        remember_typefaces(page, product)
        page.context.add_cookies([{"name": SESSION, "value": product.sessions[name], "url": product.url}])
        page.goto("/")
        if page.url == product.url + "/":
            return
    fill_in_the_form(page, product, name)
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    product.sessions[name] = cookies[SESSION]


def fill_in_the_form(page: Page, product: Product, name: str = "ada") -> None:
    """Sign in with name and password."""
    remember_typefaces(page, product)
    page.goto("/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(product.passwords[name])
    page.keyboard.press("Enter")
    page.wait_for_url(product.url + "/")


def remember_typefaces(page: Page, product: Product) -> None:
    """Be somebody who was here before: the browser has the typefaces, so pages look as they usually do."""
    page.context.add_cookies([{"name": "tesa_typefaces", "value": "1", "url": product.url}])
