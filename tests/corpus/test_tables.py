"""Rows of figures are no sentences: they never become a context."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.instances import find_instances
from corpus.tables import is_tabular
from tests.corpus.article_entities import entities_of


@pytest.mark.parametrize(
    "row",
    [
        "ARDEN 0.26 0.26 0.210",
        "Arden 55",
        "Lake Corvo 67",
        "Arden 244,260 (234,049), Brandt 546,423 (595,635), Corvo 430 (338), the board added.",
        "Arden washed 100 (102), Brandt fine 105 (110), Corvo 110 (108), Dellow 109 (same), Esker 111 (90).",
        "'87/88 max aver min 1986/87",
        "Wheat 1-7/8 2-1/4 up 3",
        "Mar 114.5 115.0 unch",
    ],
)
def test_rows_of_figures_are_told(row):
    assert is_tabular(row)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "Arden and Brandt",
        "Arden exported 18,367 tonnes in 1986, up from 17,359 in 1985, Mr. Lind said.",
        "The main buyers were Arden with 1.89 mln against 1.63 mln in the same 1985/86 period, Brandt 480,450 tonnes "
        "against 717,689, Corvo 462,048 (532,299) and Dellow 417,887 tonnes (919,337).",
        "To 10 mln crowns from 20 mln.",
        "In 1987 Arden beat Brandt 3-1.",
        "“It was 1912,” Ida Lind said, “and Arden had 40 houses”",
        "The members of the group of 7 met in Arden on the 12th",
    ],
)
def test_prose_with_figures_in_it_stays_prose(sentence):
    assert not is_tabular(sentence)


@given(st.text(st.characters(exclude_categories=["Nd", "No", "Nl"])))
def test_what_has_no_figure_is_no_row(text):
    assert not is_tabular(text)


def contexts(*paragraphs: str) -> list[str]:
    tags = tuple(Tag(name, EntityType.LOCATION) for name in ("Arden", "Brandt", "Corvo"))
    article = SourceArticle("1", "Output", paragraphs, tags=tags)
    return [value.context.text for value in find_instances(article, entities_of(article), seed=0).instances]


def test_no_context_holds_a_row_or_reaches_over_one():
    prose = "Arden sold more than Brandt."

    assert contexts("ARDEN 12 13 14", "BRANDT 9 9 10", prose) == [prose]
    assert contexts("Arden sold more.", "ARDEN 12 13", "Brandt sold less.") == []
    assert contexts("Arden and Corvo sold more.", "12 13 14 15", "Brandt sold less.") == ["Arden and Corvo sold more."]


def test_rows_do_not_use_up_an_articles_tuples():
    article = SourceArticle("1", "T", ("ARDEN 12 13", "BRANDT 9 9"), tags=(
        Tag("Arden", EntityType.LOCATION), Tag("Brandt", EntityType.LOCATION)))  # fmt: skip

    findings = find_instances(article, entities_of(article), seed=0)

    assert (findings.tuples, len(findings.instances), len(findings.mentioned)) == (0, 0, 2)
