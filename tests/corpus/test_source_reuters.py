from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.sources import reuters21578
from corpus.sources.base import Problem, read_all
from corpus.sources.reuters21578 import REUTERS21578, parse_reuters
from corpus.sources.reuters_names import name_of
from corpus.sources.texts import clean

DOCTYPE = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
lines = st.from_regex(r"[A-Za-z0-9.,\"'&<>()]{2,12}( [A-Za-z0-9.,&<>]{1,9}){0,6}", fullmatch=True).filter(
    lambda line: line.rstrip(".").lower() not in reuters21578.SIGNATURES
)


def make_reuters(text: str, *, new_id: str = "1", day: str = "26-FEB-1987 15:01:01.79", fields: str = "") -> str:
    """Return one element as the collection writes it, with its control characters."""
    return (
        f'<REUTERS TOPICS="NO" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="{new_id}">\n'
        f"<DATE>{day}</DATE>\n<TOPICS><D>fog</D></TOPICS>\n{fields}\n"
        f"<UNKNOWN> \n&#5;&#5;&#5;C T\n&#22;&#22;&#1;f0704&#31;reute\n</UNKNOWN>\n{text}\n</REUTERS>\n"
    )


def make_text(body: str, title: str = "FOG OVER GULL ROCK", author: str = "") -> str:
    return (
        f"<TEXT>&#2;\n<TITLE>{title}</TITLE>\n{author}<DATELINE>    GULL ROCK, Feb 26 - </DATELINE>"
        f"<BODY>{body}\n Reuter\n&#3;</BODY></TEXT>"
    )


def read(folder: Path, content: str | bytes) -> list[SourceArticle | Problem]:
    path = folder / "reut2-000.sgm"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_all(REUTERS21578, path))


def test_every_field_of_an_article_is_read():
    article = parse_reuters(
        make_reuters(
            make_text(
                "Fog fell at noon and\nstayed.\n    It lifted, Guild &lt;GLD> said, &amp; fell again.",
                author="<AUTHOR>    By Ada Saltmarsh, Reuters</AUTHOR>\n",
            ),
            new_id="77",
            day="  3-MAR-1987 00:43:42.82",
            fields="<PLACES><D>west-germany</D><D>usa</D></PLACES>\n<PEOPLE><D>deng-xiaoping</D></PEOPLE>\n"
            "<ORGS><D>imf</D></ORGS>\n<EXCHANGES><D>nyse</D></EXCHANGES>",
        ),
        "somewhere:1",
    )

    assert article == SourceArticle(
        "77",
        "FOG OVER GULL ROCK",
        ("Fog fell at noon and stayed.", "It lifted, Guild <GLD> said, & fell again."),
        byline="By Ada Saltmarsh, Reuters",
        published=date(1987, 3, 3),
        tags=(
            Tag("Deng Xiaoping", EntityType.PERSON, "reuters21578"),
            Tag("International Monetary Fund (IMF)", EntityType.ORGANIZATION, "reuters21578"),
            Tag("West Germany", EntityType.LOCATION, "reuters21578"),
            Tag("United States", EntityType.LOCATION, "reuters21578"),
        ),
    )


@given(title=lines, paragraphs=st.lists(st.lists(lines, min_size=1, max_size=3), max_size=4))
def test_what_was_written_as_sgml_is_read_back(title, paragraphs):
    def escape(text: str) -> str:
        return text.replace("&", "&amp;").replace("<", "&lt;")

    body = "\n".join("    " + "\n".join(map(escape, paragraph)) for paragraph in paragraphs)

    article = parse_reuters(make_reuters(make_text(body, escape(title))), "x")

    assert article.title == clean(title)
    assert article.paragraphs == tuple(clean(" ".join(paragraph)) for paragraph in paragraphs)


@pytest.mark.parametrize(
    ("layout", "title", "paragraphs"),
    [
        ('<TEXT TYPE="BRIEF">&#2;\n******<TITLE>FOG FELL\n</TITLE>Blah blah blah.\n&#3;\n\n</TEXT>', "FOG FELL", ()),
        (
            '<TEXT TYPE="UNPROC">&#2;\nFOG REPORT - FEB 26\n    Visibility, in miles\n'
            " Gull Rock....2\n REUTER...^M\n&#3;\n</TEXT>",
            "FOG REPORT - FEB 26",
            ("Visibility, in miles", "Gull Rock....2"),
        ),
        ("<TEXT>&#2;\n<TITLE>FOG</TITLE>\n</TEXT>", "FOG", ()),
        ("<TEXT><BODY>Fog.^M\n    More\n&#3;</BODY></TEXT>", "", ("Fog.",)),
    ],
)
def test_each_of_the_layouts_is_read(layout, title, paragraphs):
    article = parse_reuters(make_reuters(layout), "x")

    assert (article.title, article.paragraphs) == (title, paragraphs)


@pytest.mark.parametrize("day", ["30-FEB-1987", "26-FOG-1987", "", "99-MAR-0000"])
def test_a_date_that_is_none_is_left_out(day):
    assert parse_reuters(make_reuters(make_text("x"), day=day), "x").published is None


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (
            make_reuters(make_text("x")).replace("</REUTERS>", ""),
            "this article is cut short: its </REUTERS> is missing",
        ),
        (make_reuters(make_text("x")).replace("NEWID", "KNEWID"), "this article has no NEWID"),
        (make_reuters('<TEXT TYPE="UNPROC">&#2;\n&#3;\n</TEXT>'), "this article has neither a title nor text"),
    ],
)
def test_a_broken_article_is_reported_with_its_line_and_the_rest_is_read(tmp_path, record, reason):
    good = make_reuters(make_text("x"))

    first, problem, last = read(tmp_path, DOCTYPE + good + record + good)

    assert isinstance(first, SourceArticle)
    assert first.where == f"{tmp_path}/reut2-000.sgm:2"
    assert problem == Problem(f"{tmp_path}/reut2-000.sgm:{2 + good.count(chr(10))}", reason)
    assert isinstance(last, SourceArticle)


def test_a_truncated_file_loses_its_last_article_only(tmp_path):
    good = make_reuters(make_text("x"))

    first, problem = read(tmp_path, DOCTYPE + good + good[:-40])

    assert isinstance(first, SourceArticle)
    assert isinstance(problem, Problem)
    assert "cut short" in problem.reason


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_the_letters_outside_ascii_are_read(tmp_path, encoding):
    (article,) = read(tmp_path, make_reuters(make_text("Fog in Zürich\0.")).encode(encoding))

    assert isinstance(article, SourceArticle)
    assert article.paragraphs == ("Fog in Zürich.",)


def test_what_is_not_reuters_sgml_is_one_problem(tmp_path):
    assert read(tmp_path, "<nitf/>") == [
        Problem(f"{tmp_path}/reut2-000.sgm", "this is not Reuters-21578: it holds no <REUTERS> element")
    ]


def test_a_file_over_the_limit_is_one_problem(tmp_path, monkeypatch):
    monkeypatch.setattr(reuters21578, "MAX_FILE_BYTES", 10)

    (problem,) = read(tmp_path, DOCTYPE)

    assert isinstance(problem, Problem)
    assert "too large" in problem.reason


@pytest.mark.parametrize(
    ("code", "entity_type", "name"),
    [
        ("south-korea", EntityType.LOCATION, "South Korea"),
        ("uk", EntityType.LOCATION, "United Kingdom"),
        ("worldbank", EntityType.ORGANIZATION, "World Bank"),
        ("some-new-body", EntityType.ORGANIZATION, "Some New Body"),
        ("howard-baker", EntityType.PERSON, "Howard Baker"),
        ("un", EntityType.PERSON, "Un"),
    ],
)
def test_codes_become_readable_names(code, entity_type, name):
    assert name_of(code, entity_type) == name


def test_each_file_is_a_unit_of_its_own(tmp_path):
    for number in range(3):
        (tmp_path / f"reut2-00{number}.sgm").write_text(make_reuters(make_text("x")))

    assert [unit.names for unit in REUTERS21578.units(tmp_path)] == [(f"reut2-00{number}.sgm",) for number in range(3)]


@pytest.mark.parametrize(
    ("body", "paragraph"),
    [
        ("The U.S. And Gull Rock met.", "The U.S. and Gull Rock met."),
        ("The U.K. Would not say.", "The U.K. would not say."),
        ("It asked the U.S. For a lamp.", "It asked the U.S. for a lamp."),
        ("It fell in the U.S. In 1988.", "It fell in the U.S. in 1988."),
        ("It left the U.S. In Arden, it rained.", "It left the U.S. In Arden, it rained."),
        ("It left the U.S. The fog stayed.", "It left the U.S. The fog stayed."),
        ("It met J.P. And left.", "It met J.P. And left."),
        ("The U.S. May figures fell.", "The U.S. May figures fell."),
        ("The U.S. Andes club met.", "The U.S. Andes club met."),
    ],
)
def test_a_capital_that_the_agency_set_behind_a_full_stop_is_taken_back(body, paragraph):
    assert parse_reuters(make_reuters(make_text(body)), "here:1").paragraphs == (paragraph,)
