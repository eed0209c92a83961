"""Titles of a dump as annotators look them up: what is brought, what can be chosen, and what a written page means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpus.backgrounds.page_kinds import PageKind
from corpus.models import PageTitle, TitleSource, TitleWord
from corpus.selectors.titles import named_pages, search_titles
from corpus.services import titles
from kernel.errors import InvalidInput
from kernel.progress import Silent

pytestmark = pytest.mark.django_db

LONG = "Ł" + "o" * 298 + "!"
PAGES: list[dict[str, Any]] = [
    {"title": "Mercury (planet)", "text": "Mercury is a planet. It is small.", "redirects": ["Planet Mercury"],
     "page_id": 7},
    {"title": "Mercury", "text": "Mercury may refer to:", "disambiguation": True},
    {"title": "Mercury poisoning", "text": "Mercury poisoning is an illness."},
    {"title": "Freddie Mercury", "text": "Freddie Mercury was a singer."},
    {"title": "List of planets", "text": "These are planets."},
    {"title": "Category:Planets", "text": "Planets."},
    {"title": "Hermes's star", "redirect": "Planet Mercury"},
    {"title": "Lost star", "redirect": "Nowhere"},
    {"title": "Star in a part", "redirect": "Mercury (planet)#Orbit"},
    {"title": "Round", "redirect": "And round"},
    {"title": "And round", "redirect": "Round"},
    {"title": "São Tomé", "text": "São Tomé is a town."},
    {"title": "عطارد", "text": "عطارد هو كوكب."},
    {"title": "Is <b>bold</b> & \"so\"", "text": "A <script>title</script>."},
    {"title": LONG, "text": "A long title is long."},
    {"title": "!!!", "text": "!!! is a band."},
]  # fmt: skip


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    write(path, PAGES)
    titles.load_dump(path, Silent())
    return path


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def searched(words: str) -> list[str]:
    return [hit.title for hit in search_titles(words)]


@pytest.mark.usefixtures("dump")
def test_titles_that_begin_with_the_words_come_first_then_those_that_have_them():
    assert searched("mercury") == ["Mercury", "Mercury (planet)", "Mercury poisoning", "Freddie Mercury"]
    assert searched("merc pois") == ["Mercury poisoning"]
    assert searched("poisoning mercury") == ["Mercury poisoning"]
    assert searched("ercury") == searched("") == searched("  ") == []


@pytest.mark.usefixtures("dump")
def test_case_accents_and_underscores_do_not_count():
    assert searched("sao_TOME") == ["São Tomé"]
    assert searched("عطا") == ["عطارد"]
    assert searched("!!!") == ["!!!"]
    assert searched(LONG.lower()) == [LONG]


@pytest.mark.usefixtures("dump")
def test_a_redirect_is_shown_with_the_page_it_leads_to():
    [hit] = search_titles("hermes")

    assert (hit.title, hit.redirected_from) == ("Mercury (planet)", "Hermes's star")
    assert hit.opening == "Mercury is a planet."
    assert not hit.why_not


@pytest.mark.usefixtures("dump")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("Mercury", "only lists pages that are called alike"),
        ("List of planets", "is a list"),
        ("Category:Planets", "is no article"),
        ("Lost star", "“Nowhere”, where this installation has no page"),
        ("Star in a part", "leads to a section of “Mercury (planet)” (Orbit)"),
        ("Round", "where this installation has no page"),
    ],
)
def test_a_page_that_is_no_article_cannot_be_chosen_and_says_why(words: str, why: str):
    assert why in search_titles(words)[0].why_not
    assert why in named_pages([words])[0].why_not


@pytest.mark.usefixtures("dump")
def test_titles_and_addresses_of_any_form_lead_to_the_canonical_page():
    written = [
        "Mercury (planet)", "mercury_(PLANET)", "Planet Mercury", "https://en.wikipedia.org/wiki/Planet_Mercury",
        "https://en.m.wikipedia.org/wiki/Hermes%27s_star", "https://en.wikipedia.org/?curid=7",
    ]  # fmt: skip
    pages = named_pages(written)

    assert {page.title for page in pages} == {"Mercury (planet)"}
    assert all(page.is_known and not page.why_not and page.opening for page in pages)


@pytest.mark.usefixtures("dump")
def test_a_page_that_the_installation_does_not_have_is_unknown_and_not_refused():
    [page] = named_pages(["venus"])

    assert (page.title, page.is_known, page.why_not) == ("Venus", False, "")
    assert "number 8" in named_pages(["https://en.wikipedia.org/?curid=8"])[0].why_not
    assert "is a list" in named_pages(["List of moons"])[0].why_not


def test_several_pages_that_are_spelt_alike_must_be_told_apart(tmp_path: Path):
    path = tmp_path / "alike.jsonl"
    write(path, [{"title": "Us-Now", "text": "A film is one."}, {"title": "US now", "text": "A journal is one."}])
    titles.load_dump(path, Silent())

    assert named_pages(["US now"])[0].title == "US now"
    assert "“US now”, “Us-Now”" in named_pages(["ús.now"[:6], "us_ṉow"])[1].why_not


@pytest.mark.usefixtures("dump")
def test_a_search_brings_at_most_ten_pages_each_once(tmp_path: Path):
    path = tmp_path / "more.jsonl"
    write(
        path,
        [{"title": f"Moon {number}", "text": "A moon.", "redirects": [f"Moon no. {number}"]} for number in range(40)],
    )
    titles.load_dump(path, Silent())

    assert len(searched("moon")) == len({*searched("moon")}) == 10


def test_a_dump_that_changed_replaces_its_titles(dump: Path):
    write(dump, [{"title": "Venus", "text": "Venus is a planet."}, {"title": "Mercury", "redirect": "Venus"}])
    titles.load_dump(dump, Silent())

    assert searched("m") == ["Venus"]
    assert {row.title for row in PageTitle.objects.all()} == {"Venus", "Mercury"}
    assert TitleWord.objects.count() == 2
    assert titles.load_dump(dump, Silent()) == 2  # nothing has changed
    assert TitleSource.objects.count() == 1


def test_the_titles_of_a_large_dump_wait_until_somebody_asks_for_them(dump: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(titles, "LARGEST_AT_ONCE", dump.stat().st_size - 1)
    PageTitle.objects.all().delete()
    TitleSource.objects.all().delete()

    titles.load_small_dump(dump, Silent())

    assert not PageTitle.objects.exists()


def test_a_redirect_does_not_replace_a_page(tmp_path: Path):
    path = tmp_path / "both.jsonl"
    write(path, [{"title": "A page", "redirect": "Another"}, {"title": "A page", "text": "A page is one."},
                 {"title": "A page", "redirect": "Another"}])  # fmt: skip
    titles.load_dump(path, Silent())

    assert PageTitle.objects.get().kind == PageKind.ARTICLE


def test_a_dump_without_a_page_is_refused(tmp_path: Path):
    path = tmp_path / "none.jsonl"
    path.write_text("no page\n")

    with pytest.raises(InvalidInput, match="no page could be read"):
        titles.load_dump(path, Silent())
    with pytest.raises(InvalidInput, match="file not found"):
        titles.load_dump(tmp_path / "missing.jsonl", Silent())


def test_the_titles_of_a_dump_can_be_deleted(dump: Path):
    titles.forget_dump(dump)

    assert not PageTitle.objects.exists()
    assert not TitleSource.objects.exists()
