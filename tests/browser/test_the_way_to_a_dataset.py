"""The demo's finished campaign: reviewed by keyboard, released, exported in every format, reloaded by a stranger."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.task_types.aggregation.type import AGGREGATION
from tests.browser.keys import press
from tests.browser.signing_in import sign_in
from tests.product import ROOT, Product

pytestmark = pytest.mark.browser

CAMPAIGN, RELEASE = "Demo pilot (finished)", "Reviewed words"
RECOMPUTE = Path(__file__).parents[1] / "annotation" / "recompute.py"
NEWSPAPER = ROOT / "corpus" / "demo" / "nitf"


def review(page: Page) -> None:
    """Decide on some answers of the demo, by keyboard alone."""
    page.goto("/admin/review/")
    page.get_by_role("link", name=CAMPAIGN).focus()
    press(page, "Enter")
    for key, decision in (("a", "accepted"), ("x", "excluded"), ("n", "no phrase fits")):
        page.keyboard.press(key)
        expect(page.locator("#said")).to_contain_text(re.compile(rf"Answer \d:\s+{decision}"))
    press(page, "Enter")
    for number in (1, 2, 3):  # a recipe may leave out one of these people
        page.keyboard.press(str(number))
        page.keyboard.press("c")
        page.keyboard.press("Control+a")
        page.keyboard.type("A reviewer's own words")
        page.keyboard.press("Enter")
        expect(page.locator("#said")).to_contain_text(re.compile(rf"Answer {number}:\s+corrected"))
    page.get_by_role("link", name=re.compile("Accept .* unanimous")).click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Accept .* task")).click()
    expect(page.locator(".messages")).to_contain_text(re.compile("unanimous tasks? accepted"))


def freeze(page: Page) -> int:
    page.goto("/releases/new/")
    page.get_by_label(CAMPAIGN).check()
    page.get_by_label(re.compile("simulated participants")).check()
    page.get_by_role("button", name="Preview").click()
    page.get_by_label("Name").fill(RELEASE)
    page.get_by_label("Licence").fill("CC0-1.0")
    page.get_by_role("button", name="Create release").click()
    page.wait_for_url(re.compile(r"/releases/\d+/$"))  # the job goes on; the page changes when it ends
    expect(page.get_by_text("This release is being created")).to_have_count(0)
    return int(page.url.rstrip("/").rpartition("/")[2])


@pytest.fixture(scope="module")
def release(browser: Browser, product: Product, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Path]:
    """The number of the release, and a folder with every file that was made of it and downloaded."""
    folder = tmp_path_factory.mktemp("files")
    context = browser.new_context(base_url=product.url, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    sign_in(page, product, "ben")
    review(page)
    number = freeze(page)
    for name in AGGREGATION.release.formats:
        page.goto(f"/releases/{number}/files/")
        page.get_by_role("button", name=f"Make file: {AGGREGATION.release.formats[name].label}", exact=True).click()
        with page.expect_download() as download:
            page.get_by_role("row", name=AGGREGATION.release.formats[name].label).get_by_role(
                "link", name="Download"
            ).click()
        download.value.save_as(folder / name)
    context.close()
    with zipfile.ZipFile(folder / "huggingface") as archive:
        archive.extractall(folder)
        top = archive.namelist()[0].partition("/")[0]
    (folder / "huggingface").unlink()
    (folder / top).rename(folder / "huggingface")
    return number, folder


def reloaded(format_: str, path: Path, recipe: Path) -> dict[str, Any]:
    """Return the figures as a script finds them that knows nothing of the product."""
    command = [sys.executable, "-I", str(RECOMPUTE), format_, str(path), str(recipe)]
    completed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=path.parent)
    figures: dict[str, Any] = json.loads(completed.stdout)
    return figures


def shown_on_the_page(page: Page) -> dict[str, str]:
    rows = page.locator("table:has(caption:text('beside the published dataset')) tbody tr")
    cells = (row.locator("td").all_text_contents() for row in rows.all())  # also while the table is folded away
    return {" ".join(label.split()): " ".join(figure.split()) for label, figure, *_ in cells}


def as_shown(figures: dict[str, Any]) -> dict[str, str]:
    """Write figures as the release's page does, as far as a format tells them."""
    texts = {f"Released: {what.replace('_', ' ')}": f"{n:,}" for what, n in figures["released"].items()}
    texts.pop("Released: two answers", None)
    if "Released: rejected" in texts:
        texts["Released: rejected by cleaning rules"] = texts.pop("Released: rejected")
    for name, label in (("tuples", "entity tuples"), ("aggregations", "aggregations")):
        for kind, pair in figures.get(name, {}).items():
            texts[f"{kind.capitalize()} {label} (unique)"] = f"{pair['total']:,} ({pair['unique']:,})"
    for kind, mean in figures.get("golds_mean", {}).items():
        texts[f"{kind.capitalize()}: aggregations per instance"] = "–" if mean is None else f"{mean:.2f}"
    return texts


@pytest.mark.parametrize("format_", [*AGGREGATION.release.formats])
def test_a_stranger_s_script_finds_the_numbers_of_the_release_s_page(
    page: Page, product: Product, release: tuple[int, Path], format_: str
):
    number, folder = release
    described = product.api(f"releases/{number}/")
    sign_in(page, product, "ben")
    page.goto(f"/releases/{number}/")

    figures = reloaded(format_, folder / format_, folder / "huggingface" / "recipe.json")

    assert figures.pop("content_hash", described["content_hash"]) == described["content_hash"]
    assert as_shown(figures).items() <= shown_on_the_page(page).items()
    assert figures.pop("released").items() <= described["statistics"]["released"].items()
    assert figures == {name: described["statistics"][name] for name in figures}


def test_the_reviewers_words_are_in_the_release(release: tuple[int, Path]):
    assert "reviewer's own words" in (release[1] / "jsonl").read_text()


def test_what_left_without_texts_comes_back_to_the_byte(product: Product, release: tuple[int, Path], tmp_path: Path):
    _, folder = release
    again = tmp_path / "again.jsonl"

    product.manage(
        "rehydrate", str(folder / "standoff"), "--corpus", str(NEWSPAPER), "--source", "nitf", "--out", str(again)
    )

    assert again.read_bytes() == (folder / "jsonl").read_bytes()


def test_the_same_recipe_gives_the_same_hash_in_the_next_version(
    page: Page, product: Product, release: tuple[int, Path]
):
    first = product.api(f"releases/{release[0]}/")
    sign_in(page, product, "ben")

    second = product.api(f"releases/{freeze(page)}/")

    assert (second["version"], second["content_hash"]) == (first["version"] + 1, first["content_hash"])
