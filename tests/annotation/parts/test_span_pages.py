"""Marks that are linked to pages: from the script, from lines, in practice, agreement and files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from annotation.parts.span_attributes import SpanAttribute
from annotation.parts.span_files.brat import lines_about
from annotation.parts.span_files.label_studio import as_task
from annotation.parts.span_files.released import ReleasedText
from annotation.parts.span_marks import spans_of
from annotation.parts.span_pages import closeness_of_links
from annotation.parts.spans import SPANS
from annotation.quality.series import Scale
from annotation.task_types.base import ComparedAnswer, Level
from tests.annotation.parts.pages import ARDEN
from tests.annotation.parts.test_spans import ADA_LIND, FIRST_ARDEN, asked, from_lines, sent, whys
from tests.annotation.shapes import fits

PAGE: dict[str, Any] = {"name": "page", "kind": "page", "ask": "Which page?", "most": 2}
TASK = asked(attributes=[PAGE])
NEEDED = asked(attributes=[{**PAGE, "required": True}])
ONE = asked(attributes=[{**PAGE, "most": 1}])


def linked(mark: dict[str, Any], *pages: str) -> dict[str, Any]:
    return {**mark, "attributes": {"page": [*pages]}} if pages else mark


def refusals(task: Any, *marks: dict[str, Any]) -> list[str]:
    return whys(task, {"a.own": json.dumps(marks)})


# ---- Forms


def test_titles_and_addresses_are_stored_as_the_page_behind_them():
    written = linked(ADA_LIND, "lind"), linked(FIRST_ARDEN, "https://en.wikipedia.org/wiki/Old_Arden")

    assert SPANS.read(TASK, {"a.own": json.dumps(written)}) == [
        linked(ADA_LIND, "Ada Lind"),
        linked(FIRST_ARDEN, ARDEN),
    ]


def test_pages_stand_behind_the_label_of_a_line_once_for_each():
    lines = (
        "Ada Lind # Person # page=Lind # page= Bo",
        "Arden # place # page=https://en.m.wikipedia.org/wiki/Arden_(town)",
    )
    value = [linked(ADA_LIND, "Ada Lind", "Bo"), linked(FIRST_ARDEN, ARDEN)]

    assert from_lines(TASK, *lines) == value
    assert SPANS.write(TASK, value) == {
        "a.own": "Ada Lind # Person # page=Ada Lind # page=Bo\nArden # Place # page=Arden (town)"
    }


def test_a_page_that_is_written_twice_counts_once():
    assert from_lines(TASK, "Ada Lind # Person # page=Lind # page=Ada Lind") == [linked(ADA_LIND, "Ada Lind")]


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("Arden", "“Ada Lind”, page “Arden”: This page only lists pages that are called alike"),
        ("List of towns", "This page is a list"),
        ("https://en.wikipedia.org/wiki/Dun#History", "This leads to a section"),
        ("javascript:alert(1)", "This"),
        ("https://example.org/wiki/Dun", "This is no address of Wikipedia"),
        ("<script>", "No title has a “<”"),
    ],
)
def test_what_is_no_article_is_refused_with_the_reason(page: str, why: str):
    assert why in refusals(TASK, linked(ADA_LIND, page))[0]
    assert why in whys(TASK, {"a.own": f"Ada Lind # Person # page={page}"})[0]


def test_a_page_that_is_not_in_the_installation_is_asked_about():
    form = {"a.own": json.dumps([linked(ADA_LIND, "some Film"), linked(FIRST_ARDEN, "Dun")])}
    [remark] = SPANS.remarks(TASK, form)

    assert remark.remark.level is Level.ASK
    assert remark.remark.why == "“Some Film” is not among the pages of this installation. Keep it?"
    assert SPANS.read(TASK, form)[0] == linked(ADA_LIND, "Some Film")


def test_another_unknown_page_is_asked_about_again():
    codes = {
        SPANS.remarks(TASK, sent(linked(ADA_LIND, page)))[0].remark.code for page in ("A film", "A song", "a film")
    }

    assert len(codes) == 2


def test_a_mark_has_as_many_pages_as_the_description_allows():
    assert "has 2 pages, and 1 page may be chosen" in refusals(ONE, linked(ADA_LIND, "Bo", "Dun"))[0]
    assert "please answer “Which page?”" in refusals(NEEDED, ADA_LIND)[0]
    assert refusals(TASK, ADA_LIND) == []


@pytest.mark.parametrize("pages", [7, [7], {"Bo": "Dun"}, [["Bo"]], None])
def test_what_is_no_list_of_titles_is_refused(pages: object):
    assert refusals(TASK, {**ADA_LIND, "attributes": {"page": pages}})


def test_only_attributes_that_ask_for_pages_take_lists():
    task = asked(attributes=[{"name": "note"}])

    assert "“note” must be a text" in refusals(task, {**ADA_LIND, "attributes": {"note": ["a"]}})[0]


def test_a_title_of_300_characters_and_one_from_right_to_left_are_kept():
    long = "Ł" + "o" * 299

    form = {"a.own": f"Ada Lind # Person # page={long} # page=أردن"}
    assert SPANS.read(TASK, form) == [linked(ADA_LIND, long, "أردن")]
    assert [own.remark.level for own in SPANS.remarks(TASK, form)] == [Level.ASK]
    assert "longer than 300" in refusals(TASK, linked(ADA_LIND, f"{long}o"))[0]


# ---- Descriptions


@pytest.mark.parametrize(
    ("attribute", "why"),
    [
        ({"name": "page", "kind": "page", "options": ["a"]}, "leave out its options"),
        ({"name": "note", "most": 2}, "is for pages"),
        ({"name": "page", "kind": "pages"}, "page"),
        ({"name": "page", "kind": "page", "most": 11}, "less than or equal to 10"),
    ],
)
def test_a_description_says_what_is_wrong_with_an_attribute(attribute: dict[str, Any], why: str):
    with pytest.raises(ValidationError, match=why):
        SpanAttribute.model_validate(attribute)


def test_a_description_writes_a_known_answer_as_people_do():
    lines = [
        "Ada Lind # Person # page=Lind",
        {"words": "Arden", "label": "Place", "attributes": {"page": ["Dun", "Bo"]}},
    ]
    known = SPANS.known(TASK.options, lines, TASK.texts)

    assert known == [linked(ADA_LIND, "Ada Lind"), linked(FIRST_ARDEN, "Bo", "Dun")]
    refused = ["Ada Lind # Person # page=List of towns"]
    assert SPANS.known(TASK.options, refused, TASK.texts) == refused


def test_a_task_has_a_look_up_only_if_it_asks_for_pages():
    assert SPANS.lookups(TASK.options) == ("pages",)
    assert SPANS.lookups(asked().options) == ()


# ---- Comparing


def test_another_page_makes_an_answer_less_close_and_practice_says_so():
    ours, theirs = [linked(ADA_LIND, "Ada Lind")], [linked(ADA_LIND, "Bo")]

    assert SPANS.closeness(TASK.options, ours, ours) == 1
    assert SPANS.closeness(TASK.options, ours, theirs) == 0
    assert SPANS.closeness(TASK.options, ours, [linked(ADA_LIND, "Ada Lind", "Bo")]) == pytest.approx(2 / 3)
    assert SPANS.feedback(TASK, theirs, ours) == "We would have linked “Ada Lind” to “Ada Lind”."
    assert SPANS.feedback(TASK, theirs, [ADA_LIND]) == "We would have linked “Ada Lind” to no page."
    assert closeness_of_links([], [], TASK.options) == 1


def test_agreement_on_pages_is_that_of_sets_over_marks_made_alike():
    series = {own.part: own for own in SPANS.series("own", TASK.options)}
    labels = SPANS.labels("own", TASK.options, [linked(ADA_LIND, "Ada Lind", "Bo"), FIRST_ARDEN])

    assert series["own.page"].scale is Scale.SET
    assert [*labels["own.page"].values()] == [{"Ada Lind", "Bo"}, frozenset()]


def test_reviewers_see_marks_with_other_pages_as_a_difference():
    answers = [
        [linked(ADA_LIND, "Ada Lind"), linked(FIRST_ARDEN, "Dun")],
        [linked(ADA_LIND, "Bo"), linked(FIRST_ARDEN, "Dun")],
    ]
    shown = SPANS.together(
        TASK, {}, [ComparedAnswer(letter, letter, own) for letter, own in zip("AB", answers, strict=True)]
    )

    assert SPANS.common(TASK.options, answers) == [linked(FIRST_ARDEN, "Dun")]
    [difference] = shown["differences"]
    assert {box["answers"] for box in difference["boxes"]} == {"page: Ada Lind", "page: Bo"}


def test_the_order_of_pages_says_nothing():
    written = [sent(linked(ADA_LIND, *pages)) for pages in (("Bo", "Dun"), ("Dun", "Bo"))]

    assert SPANS.read(TASK, written[0]) == SPANS.read(TASK, written[1])


# ---- People and files


def test_pages_are_read_in_lines_cells_and_files():
    value = [linked(ADA_LIND, "Ada Lind", "Bo")]

    assert SPANS.line(TASK, value) == "Ada Lind [Person] (page: Ada Lind, Bo)"
    assert json.loads(str(SPANS.cells("own", TASK.options, value, TASK.texts)["own.page"])) == [["Ada Lind", "Bo"]]
    assert fits(value, SPANS.answer_type("own", "", TASK.options))


def test_marks_that_people_agree_on_have_the_pages_that_most_of_them_chose():
    answers = [[linked(ADA_LIND, "Ada Lind", "Bo")], [linked(ADA_LIND, "Ada Lind")], [linked(ADA_LIND, "Dun")], []]
    agreed: Any = SPANS.consensus(TASK.options, answers)

    assert agreed["spans"] == [{**linked(ADA_LIND, "Ada Lind"), "support": 3}]
    assert SPANS.consensus_line(TASK.options, agreed, TASK.texts) == "Ada Lind [Person] (3 of 4; page: Ada Lind)"
    assert fits(agreed, SPANS.consensus_type("own", "", TASK.options))


def test_files_of_other_programs_hold_the_pages():
    [span] = spans_of([linked(ADA_LIND, "Ada Lind", "Bo")])
    text = TASK.texts["report"]

    assert [*lines_about([span], ())] == ["#1\tAnnotatorNotes T1\tpage: Ada Lind | Bo\n"]
    own = ReleasedText("1", "1", "own", "report", text, "words", [span], "reviewers", {})
    results: Any = as_task(own, [span])["annotations"]
    assert results[0]["result"][1] == {
        "id": "1", "to_name": "text", "from_name": "page", "type": "textarea",
        "value": {"start": 0, "end": 8, "text": ["Ada Lind", "Bo"]},
    }  # fmt: skip
