"""Every page says where one is: its title, its heading and the pages its breadcrumbs lead to agree."""

from __future__ import annotations

import pytest
from django.urls import reverse
from lxml import html

from kernel.roles import Role
from tests.annotation.answered import in_turn
from tests.annotation.researching import allow_to_pay
from tests.make import make_user
from tests.tesa_site.access_matrix import GET, MATRIX
from tests.tesa_site.test_access import arguments

__all__ = ["arguments"]  # the fixture of the permission matrix: an address for every name
pytestmark = pytest.mark.django_db
NO_PAGES = {"api-docs", "api-schema"}


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def headings(page: html.HtmlElement) -> list[str]:
    """Return the main headings, without those of articles."""
    return [words(heading) for heading in page.xpath("//h1[not(ancestor::*[contains(@class, 'passage')])]")]


def names_of(page: html.HtmlElement) -> set[str]:
    """Return what a page calls itself below its main heading: sections, the current tab, the buttons of a question."""
    tabs = {(tab.text or "").strip() for tab in page.xpath("//nav[@class='tabs']//a[@aria-current]")}
    buttons = {words(button) for button in page.xpath("//main//button")} if headings(page)[0].endswith("?") else set()
    return {words(heading) for heading in page.iterfind(".//h2")} | tabs | buttons


def problems(client, page: html.HtmlElement) -> list[str]:
    """Return what a page's title and breadcrumbs say that its headings and the pages they lead to do not."""
    faults = []
    title, named, *_ = [*words(page.find(".//title")).split(" · "), ""]
    if "work" in page.find(".//body").classes and not headings(page):
        return []  # a task: its article has the heading
    if len(headings(page)) != 1:
        return [f"has the headings {headings(page)}"]
    heading = headings(page)[0]
    is_below = named in (heading, "") or heading.endswith("?")
    if title.rstrip("?") != heading.rstrip("?") and not (title in names_of(page) and is_below):
        faults.append(f"is titled “{title}” and headed “{heading}”")
    for link in page.xpath("//nav[@class='crumbs']//a"):
        above = html.fromstring(client.get(link.get("href")).content.decode())
        if words(link) not in {*headings(above), *names_of(above)}:
            faults.append(f"leads by “{words(link)}” to “{headings(above)[0]}”")
    return faults


def test_titles_headings_and_breadcrumbs_agree_on_every_page(client, arguments):
    answered = in_turn("Answered", size=2)
    client.force_login(allow_to_pay(make_user("ada", Role.ADMINISTRATOR)))
    of_review = {f"admin:{name}": [answered.pk] for name in ("review-queue", "review-tasks", "review-cleaning")}
    names = {name for name, row in MATRIX.items() if row.method == GET and not name.startswith("api")} | {
        "admin:review"
    }
    addresses = {name: reverse(name, args=values) for name, values in of_review.items() if name not in NO_PAGES}
    addresses |= {name: reverse(name, args=arguments.get(name, [])) for name in names - NO_PAGES}
    faults, seen = [], 0

    for name, address in sorted(addresses.items()):
        answer = client.get(address)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            seen += 1
            faults += [f"{name} {problem}" for problem in problems(client, html.fromstring(answer.content.decode()))]

    assert not faults, "\n".join(faults)
    assert seen > 70
