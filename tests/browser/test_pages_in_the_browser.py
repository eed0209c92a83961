"""Every page in real Chromium: it fits, it is accessible, it is light, and it keeps to the security policy."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.rules import Screen, check
from tests.browser.signing_in import sign_in

pytestmark = pytest.mark.browser


PATHS = [
    "/", "/jobs/", "/jobs/1/", "/account/", "/account/tokens/", "/account/password/", "/corpus/", "/corpus/new/",
    "/corpus/1/", "/corpus/1/entities/", "/corpus/1/instances/", "/corpus/1/delete/", "/corpus/1/problems/",
    "/corpus/1/corrections/", "/corpus/1/recognized/",
    "/corpus/entities/1/", "/corpus/articles/1/", "/admin/backgrounds/1/", "/corpus/samples/",
    "/corpus/samples/1/", "/corpus/samples/1/0/", "/corpus/samples/1/delete/", "/corpus/samples/import/",
    "/corpus/1/draw/", "/campaigns/",
    "/campaigns/new/", "/campaigns/instructions/", "/campaigns/instructions/1/", "/campaigns/instructions/1/new/",
    "/campaigns/1/", "/campaigns/1/people/", "/campaigns/people/1/", "/campaigns/1/gold/", "/campaigns/1/answers/",
    "/campaigns/1/preview/", "/campaigns/1/preview/instructions/", "/campaigns/1/preview/practice/0/",
    "/campaigns/1/plots/", "/campaigns/1/try/0/", "/campaigns/1/do/extend/", "/campaigns/1/delete/",
    "/admin/review/", "/admin/review/1/", "/admin/review/1/tasks/", "/admin/review/1/tasks/?state=waiting",
    "/admin/review/1/cleaning/", "/admin/review/2/", "/campaigns/1/agreement/",
    "/campaigns/2/agreement/", "/campaigns/1/settings/", "/components/",
    "/campaigns/1/people/decide/?action=exclude&person=1",
    "/releases/", "/releases/new/", "/releases/new/?campaigns=1&cleaning=tesa&least_assignments=5&least_answered=2",
    "/releases/1/", "/releases/1/items/", "/releases/1/items/?type=person&size=2", "/releases/1/items/0/",
    "/releases/1/discarded/", "/releases/1/discarded/?step=answers", "/releases/1/delete/",
    "/releases/compare/", "/releases/compare/?before=1&after=1", "/models/", "/models/new/",
    "/models/1/", "/models/runs/1/", "/models/splits/1/", "/nothing/",
    "/corpus/1/articles/", "/corpus/1/samples/", "/corpus/1/backgrounds/list/", "/releases/1/files/",
    "/releases/1/recipe/", "/models/1/instances/", "/models/1/errors/", "/models/1/runs/", "/models/1/setup/",
    "/models/1/paper/", "/models/1/delete/", "/models/runs/1/errors/", "/models/runs/1/phrases/",
    "/models/runs/1/try/", "/models/machines/", "/models/splits/1/delete/", "/search/?q=demo",
    "/jobs/?status=failed", "/marketplace/requesters/",
    "/models/compare/?a=17&b=18&part=test",
    "/models/1/instances/99eb8161842618e11e87d5238301345948c4a69ab02ed4971097bf45955bc4e0/",
]  # fmt: skip

FOR_STRANGERS = ["/account/sign-in/", "/account/forgot/"]
TWO_SCREENS: tuple[Screen, ...] = ((1280, "light"), (360, "dark"))


WITH_PLOTS = [
    "/jobs/",
    "/releases/1/",
    "/campaigns/1/plots/",
    "/campaigns/1/agreement/",
    "/models/1/",
    "/models/runs/1/",
]
CUT_OFF = """[...document.querySelectorAll(".plot__scroll")]
    .filter((plot) => plot.scrollWidth > plot.clientWidth + 1).length"""


def test_no_plot_is_cut_off(page, product):
    sign_in(page, product)
    for path in WITH_PLOTS:
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate(CUT_OFF) == 0, path


@pytest.fixture(scope="module")
def visitors(browser, product):
    """Two pages that axe can look into and that go from address to address: a researcher's, and a stranger's."""
    contexts = [browser.new_context(base_url=product.url, bypass_csp=True) for _ in range(2)]
    researcher, stranger = (context.new_page() for context in contexts)
    sign_in(researcher, product)
    yield {True: researcher, False: stranger}
    for context in contexts:
        context.close()


@pytest.mark.parametrize("path", [*PATHS, *FOR_STRANGERS])
def test_pages_fit_and_pass_the_accessibility_rules(visitors, path):
    page = visitors[path in PATHS]
    page.goto(path)

    check(page, TWO_SCREENS)


@pytest.mark.thorough
@pytest.mark.parametrize("path", [*PATHS, *FOR_STRANGERS])
@pytest.mark.parametrize(("width", "scheme"), TWO_SCREENS)
def test_pages_fit_and_pass_the_accessibility_rules_on_the_screen_they_are_loaded_on(
    browser, product, path, width, scheme
):
    context = browser.new_context(
        base_url=product.url, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    page = context.new_page()
    if path in PATHS:
        sign_in(page, product)
    page.goto(path)

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    context.close()


def test_no_page_complains_in_the_console_or_asks_elsewhere(page, product):
    sign_in(page, product)

    for path in PATHS:
        if path != "/nothing/":  # its status is told in the console
            answer = page.goto(path)
            assert answer.status == 200, path


def test_the_api_documentation_opens_under_the_security_policy(page, product):
    sign_in(page, product)
    page.goto("/api/docs/")

    expect(page.locator(".opblock").first).to_be_visible()


def test_home_is_light(page, product):
    sign_in(page, product)
    sizes = []
    page.on("requestfinished", lambda request: sizes.append(sum(request.sizes().values())))
    page.goto("/")
    page.wait_for_load_state("networkidle")

    assert len(sizes) <= 12
    assert sum(sizes) < 90_000


def test_backgrounds_are_checked_by_keyboard_alone(page, product):
    sign_in(page, product, "ben")
    page.goto("/admin/backgrounds/1/")
    entity = page.get_by_role("main").get_by_role("heading", level=2).first
    first = entity.inner_text()

    page.keyboard.press("s")
    expect(entity).not_to_have_text(first)
    page.goto("/admin/backgrounds/1/")
    page.keyboard.press("w")
    page.keyboard.type("A text with the keys a, d and s in it.")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"{first}: background saved.")).to_be_visible()
    second = entity.inner_text()
    page.keyboard.press("d")
    expect(page.get_by_text(f"{second}: background saved.")).to_be_visible()
