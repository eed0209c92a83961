"""A dump of pages: what is looked up and searched in it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType
from corpus.backgrounds.base import BackgroundStatus, Page, Query
from corpus.backgrounds.dump import DumpSource
from corpus.backgrounds.linking import link
from corpus.backgrounds.rows import page_of, row_from
from kernel.errors import InvalidInput
from tests.corpus.dumps import row, title_of, write

DEMO = Path(__file__).resolve().parents[2] / "corpus" / "demo" / "backgrounds.jsonl"


@pytest.mark.parametrize("name", ["pages.jsonl", "pages.jsonl.gz"])
def test_a_page_is_read_back_whole(tmp_path, name):
    full = row(
        "Ida Lind",
        "Ida Lind is a pilot.\nShe flies.",
        url="https://wiki.example/Ida_Lind",
        page_id=7,
        revision_id=70,
        retrieved="2026-11-05",
        licence="CC0 1.0",
        type="person",
        aliases=["Ida Moor"],
    )

    page = DumpSource(write(tmp_path, full, name=name)).look_up("Ida Lind")

    assert page == Page(
        title="Ida Lind",
        text="Ida Lind is a pilot.",
        url="https://wiki.example/Ida_Lind",
        page_id=7,
        revision_id=70,
        retrieved=date(2026, 11, 5),
        licence="CC0 1.0",
        source="dump",
        type=EntityType.PERSON,
        aliases=("Ida Moor",),
    )


@pytest.mark.parametrize("title", ["Anja Brønté-Lind", "anja bronte lind", "ANJA_BRONTÉ–LIND", " Anja  Brønté-Lind "])
def test_case_accents_and_underscores_do_not_count(tmp_path, title):
    source = DumpSource(write(tmp_path, row("Anja Brønté-Lind")))

    assert title_of(source.look_up(title)) == "Anja Brønté-Lind"
    assert source.look_up("Anja Bronte") is None


def test_of_titles_that_fold_alike_the_one_written_so_is_found_and_the_other_is_its_namesake(tmp_path):
    source = DumpSource(write(tmp_path, row("US"), row("Us"), row("Us (film)")))

    page_by_title = {title: source.look_up(title) for title in ("US", "Us", "us")}

    assert {title: title_of(page) for title, page in page_by_title.items()} == {"US": "US", "Us": "Us", "us": "US"}
    assert page_by_title["Us"] is not None
    assert page_by_title["Us"].candidates == ("US", "Us (film)")


def test_redirects_are_followed_over_several_steps_and_remembered(tmp_path):
    rows = [
        row("Reval", redirect="Old Tallin"),
        row("Old Tallin", redirect="Tallin"),
        row("Tallin", redirects=["Lindanise"]),
    ]
    source = DumpSource(write(tmp_path, *rows))

    for asked in ("Reval", "reval", "Lindanise"):
        page = source.look_up(asked)
        assert page is not None
        assert (page.title, page.redirected_from) == ("Tallin", asked)
    assert source.summary.redirects == 2


def test_redirects_that_go_in_circles_or_nowhere_lead_to_no_page(tmp_path):
    rows = [
        row("A", redirect="B"),
        row("B", redirect="C"),
        row("C", redirect="A"),
        row("D", redirect="E"),
        row("F", redirect="F"),
    ]
    source = DumpSource(write(tmp_path, *rows))

    assert [source.look_up(title) for title in "ABCDF"] == [None] * 5


def test_a_page_comes_before_a_redirect_of_the_same_title(tmp_path):
    source = DumpSource(write(tmp_path, row("Arden", redirect="Karsk"), row("Karsk"), row("Arden", "Arden is a town.")))

    assert title_of(source.look_up("Arden")) == "Arden"


def test_a_disambiguation_page_names_its_candidates(tmp_path):
    rows = [
        row("Mercury", "Mercury may refer to:", disambiguation=True, candidates=["Mercury (planet)", "Freddy Mercury"]),
        row("Mercury (planet)"),
        row("Mercury (element)"),
    ]
    page = DumpSource(write(tmp_path, *rows)).look_up("Mercury")

    assert page is not None
    assert page.is_disambiguation
    assert page.candidates == ("Mercury (planet)", "Freddy Mercury", "Mercury (element)")


def test_a_disambiguation_page_is_known_by_its_text_and_its_lines_are_its_candidates(tmp_path):
    entries = ["Ida Lind (pilot) (born 1950), Kessian pilot", "* Ida Lind (botanist), Kessian botanist", "Ida Lindt"]
    text = "\n".join(["Ida Lind may refer to:", "", *entries])
    page = DumpSource(write(tmp_path, row("Ida Lind", text))).look_up("Ida Lind")

    assert page is not None
    assert page.is_disambiguation
    assert page.candidates == ("Ida Lind (pilot)", "Ida Lind (botanist)", "Ida Lindt")


def test_qualified_titles_are_found_by_the_bare_one_but_not_looked_up_by_it(tmp_path):
    source = DumpSource(write(tmp_path, row("Mercury (planet)"), row("Mercury (element)"), row("Mercury, Merrow")))

    assert source.look_up("Mercury") is None
    assert source.search("mercury") == ["Mercury (element)", "Mercury (planet)", "Mercury, Merrow"]


def test_search_finds_by_title_redirect_alias_and_words_in_this_order(tmp_path):
    rows = [
        row("The Ida Lind Story"),
        row("Ida Marie Lind"),
        row("Rosa Moor", aliases=["Ida Lind"]),
        row("Ida Lind (pilot)"),
        row("Lind Ida", redirects=["Ida Lind"]),
    ]
    source = DumpSource(write(tmp_path, *rows))

    expected = ["Lind Ida", "Ida Lind (pilot)", "Rosa Moor", "Ida Marie Lind", "The Ida Lind Story"]
    assert source.search("Ida Lind") == expected
    assert source.search("Ida Lind", limit=2) == expected[:2]


@pytest.mark.parametrize("name", ["", "...", '"', "a OR b", 'x" OR "y', "NEAR(a b)", "*", "नेला", "-a", "a:b"])
def test_any_name_can_be_searched_for(tmp_path, name):
    source = DumpSource(write(tmp_path, row("Ida Lind")))

    assert source.search(name) == []
    assert source.look_up(name) is None


def test_the_demo_backgrounds_load_without_a_problem(tmp_path):
    source = DumpSource(DEMO, tmp_path / "index.sqlite3")

    assert source.summary.pages == len(DEMO.read_text(encoding="utf-8").splitlines())
    assert source.summary.problem_count == 0


@pytest.mark.parametrize(
    ("name", "type_", "context", "title"),
    [
        (
            "Kit Barrowman",
            "person",
            "Barrowman, the forward, scored for the Rovers in the Federation Cup.",
            "Kit Barrowman (footballer)",
        ),
        (
            "Kit Barrowman",
            "person",
            "Her herbarium of moss is kept in the schoolhouse on St. Oda.",
            "Kit Barrowman (botanist)",
        ),
        (
            "Dunmarrow",
            "organization",
            "Dunmarrow beat the Rovers to win the Federation Cup in football.",
            "Dunmarrow F.C.",
        ),
        ("Karsk", "location", "Snow closed the road to Highfell and Mount Hask.", "Karsk (Highfell)"),
        ("Orville Wright", "person", "", "Wright brothers"),
        ("Tidewater Shipping Corp.", "organization", "", "Tidewater Shipping Corporation"),
        ("Anne Bronte", "person", "", "Anne Brontë"),
    ],
)
def test_entities_of_the_demo_find_their_pages(tmp_path, name, type_, context, title):
    source = DumpSource(DEMO, tmp_path / "index.sqlite3")

    choice = link(Query(name, EntityType(type_), contexts=(context,)), source)

    assert (title_of(choice.page), choice.status in {BackgroundStatus.EXACT, BackgroundStatus.LIKELY}) == (
        title,
        True,
    ), choice.reasons


texts = st.text(st.characters(codec="utf-8"), max_size=30)
pages = st.builds(
    Page,
    title=texts.filter(lambda text: text.strip().strip("_")),
    text=texts,
    page_id=st.none() | st.integers(0, 2**40),
    retrieved=st.none() | st.dates(),
    is_disambiguation=st.booleans(),
    aliases=st.lists(texts, max_size=3).map(tuple),
    candidates=st.lists(texts, max_size=3).map(tuple),
    type=st.none() | st.sampled_from(EntityType),
)


@given(pages)
def test_a_page_survives_its_row_once_it_is_clean(page):
    try:
        clean = page_of(row_from(page))
    except InvalidInput:
        return  # a title of control characters only

    assert page_of(row_from(clean)) == clean
