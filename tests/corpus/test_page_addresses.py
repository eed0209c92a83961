"""What people write to name a page: titles, and addresses of Wikipedia in every form."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpus.backgrounds.addresses import LONGEST_WRITTEN, NotAPage, WrittenPage, read_page, read_title
from corpus.backgrounds.page_kinds import PageKind, kind_of_page

TITLES = st.text(
    st.characters(exclude_characters="#<>[]{}|_", exclude_categories=["C", "Z", "M"]) | st.just(" "),
    min_size=1,
    max_size=60,
).filter(lambda text: text.strip(" :"))


def as_title(text: str) -> str | None:
    try:
        return read_title(text)
    except NotAPage:
        return None


@given(TITLES)
@example("AC/DC")
@example("Who? & what = 100 %")
@example("São Tomé")
def test_a_title_survives_every_form_of_its_address(text: str):
    title = read_title(text)
    path, query = quote(title.replace(" ", "_"), safe="/"), quote(title, safe="")
    for address in (
        f"https://en.wikipedia.org/wiki/{path}",
        f"http://en.m.wikipedia.org/wiki/{quote(title)}",
        f"//en.wikipedia.org/wiki/{path}",
        f"en.wikipedia.org/wiki/{path}?action=edit",
        f"https://www.wikipedia.org/w/index.php?title={query}&oldid=12",
        f"https://en.wikipedia.org/wiki/{path}#:~:text=words",
    ):
        assert read_page(address) == WrittenPage(title), address


@given(TITLES)
def test_reading_a_title_again_changes_nothing(text: str):
    title = read_title(text)

    assert as_title(title) == title


@given(st.text(max_size=80))
def test_whatever_somebody_writes_is_a_page_or_refused_with_a_sentence(text: str):
    why = ""
    try:
        page = read_page(text)
    except NotAPage as error:
        why = str(error)
    if why:
        assert why.endswith(".")
    else:
        assert page.title or page.page_id is not None
        assert not {*page.title} & {*"#<>[]{}|_\n"}


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", "Write the title"),
        (" \u200e ", "Write the title"),
        ("#History", "Write the title"),
        ("https://en.wikipedia.org/wiki/Arden#History_of_it", "a section.*“#History of it”"),
        ("Arden#History", "a section"),
        ("https://en.wikipedia.org/?curid=5#Life", "a section"),
        ("javascript:alert(1)", "no address of Wikipedia|cannot be read"),
        ("JavaScript:alert(1)//en.wikipedia.org/wiki/Arden", "no address of Wikipedia|cannot be read"),
        ("data:text/html,x", "no address of Wikipedia|cannot be read"),
        ("https://example.org/wiki/Arden", "no address of Wikipedia"),
        ("https://en.wikipedia.org.example.org/wiki/Arden", "no address of Wikipedia"),
        ("https://en.wikipedia.org@example.org/wiki/Arden", "no address of Wikipedia"),
        ("https://me:secret@en.wikipedia.org/wiki/Arden", "no address of Wikipedia"),
        ("ftp://en.wikipedia.org/wiki/Arden", "no address of Wikipedia"),
        ("https://de.wikipedia.org/wiki/Arden", "another Wikipedia .de."),
        ("https://en.wikipedia.org/", "leads to no page"),
        ("https://en.wikipedia.org/wiki/", "leads to no page"),
        ("https://en.wikipedia.org/?curid=one", "leads to no page"),
        ("https://en.wikipedia.org/wiki/%FF", "cannot be read"),
        ("https://[", "cannot be read"),
        ("<b>Arden</b>", "No title has a “<”"),
        ("A|B", r"No title has a “\|”"),
        ("x" * 301, "longer than 300"),
        ("x" * (LONGEST_WRITTEN + 1), "longer than 2,000"),
    ],
)
def test_what_names_no_page_is_refused_with_the_reason(written: str, why: str):
    with pytest.raises(NotAPage, match=why):
        read_page(written)


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Arden", PageKind.ARTICLE),
        ("Mission: Impossible", PageKind.ARTICLE),
        ("Arden (disambiguation)", PageKind.DISAMBIGUATION),
        ("List of towns", PageKind.LIST),
        ("Lists of lists", PageKind.LIST),
        ("Listing of towns", PageKind.ARTICLE),
        ("Category:Towns", PageKind.OTHER),
        ("User talk:Ada", PageKind.OTHER),
        ("Talk: ", PageKind.ARTICLE),
    ],
)
def test_a_title_shows_what_a_page_is(title: str, kind: PageKind):
    assert kind_of_page(title) is kind
