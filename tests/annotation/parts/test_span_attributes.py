"""What people say about a mark: from the script, from lines, in answers and files, and what agreement makes of it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from annotation.parts.base import Prompt
from annotation.parts.span_attributes import SpanAttribute, parted
from annotation.parts.span_drawing import text_html
from annotation.parts.span_marks import spans_of
from annotation.parts.spans import SPANS
from annotation.task_types.own.reading import json_schema
from tests.annotation.parts.test_span_tokens import TEXTS
from tests.annotation.parts.test_spans import ADA_LIND, FIRST_ARDEN, asked, from_lines, marked, sent, whys
from tests.annotation.shapes import fits

SURE = {"name": "sure", "ask": "How sure are you?", "options": ["no", {"id": "yes", "label": "Very sure"}]}
PAGE = {"name": "page", "labels": ["person"], "longest": 20}
TASK = asked(attributes=[SURE, PAGE])
NEEDED = asked(attributes=[{**SURE, "required": True}])
ADA = {**ADA_LIND, "attributes": {"sure": "yes", "page": "Ada # 1"}}
ARDEN = {**FIRST_ARDEN, "attributes": {"sure": "no"}}


@st.composite
def answered(draw: st.DrawFn) -> tuple[Prompt, list[dict[str, Any]]]:
    """A text with marks that may stand together, and answers about some of them."""
    task, spans = draw(marked())
    attributes: list[dict[str, Any]] = [SURE, {**PAGE, "longest": 60}]
    asked_for = asked(task.texts["report"], attributes=attributes, **_ways(task))
    value = []
    for span in spans:
        words = draw(st.one_of(st.just(""), TEXTS, st.just("a # sure=no"), st.just("b # page = c")))
        answers = {"sure": draw(st.sampled_from(["", "yes", "no"]))}
        if span.label == "person":
            answers["page"] = " ".join(words[:60].split())
        kept = {name: own for name, own in answers.items() if own}
        value.append({**span.to_json(), **({"attributes": kept} if kept else {})})
    return asked_for, value


def _ways(task: Prompt) -> dict[str, Any]:
    return {"unit": task.options.unit, "overlap": task.options.overlap}


# ---- Forms


@given(answered())
def test_an_answer_survives_its_form(case: tuple[Prompt, list[dict[str, Any]]]):
    task, value = case
    stored: Any = SPANS.read(task, {"a.own": json.dumps(value)})
    form = SPANS.write(task, stored)

    assert [own.to_json() for own in spans_of(stored)] == stored
    assert whys(task, form) == []
    assert SPANS.read(task, form) == stored
    assert SPANS.write(task, SPANS.read(task, form)) == form
    assert fits(stored, SPANS.answer_type("own", "", task.options))


def test_answers_stand_behind_the_label_of_a_line():
    lines = ("Ada Lind # Person # page= Ada  Lind # sure = VERY SURE", "Arden # place # sure=no")

    assert from_lines(TASK, *lines) == [{**ADA_LIND, "attributes": {"sure": "yes", "page": "Ada Lind"}}, ARDEN]
    assert SPANS.write(TASK, [ADA, ARDEN]) == {
        "a.own": "Ada Lind # Person # sure=Very sure # page=Ada # 1\nArden # Place # sure=no"
    }


def test_an_answer_that_looks_like_another_is_kept_by_offsets():
    value = [{**ADA_LIND, "attributes": {"page": "a # sure=no"}}]
    form = SPANS.write(TASK, value)

    assert json.loads(form["a.own"]) == value
    assert SPANS.read(TASK, form) == value


def test_empty_answers_are_left_out_and_the_others_stand_in_the_order_of_the_description():
    read: Any = SPANS.read(TASK, sent({**ADA_LIND, "attributes": {"page": " a\n b ", "sure": "yes"}}, FIRST_ARDEN))
    (ada, arden) = read

    assert [*ada["attributes"].items()] == [("sure", "yes"), ("page", "a b")]
    assert arden == FIRST_ARDEN
    assert SPANS.read(TASK, sent({**FIRST_ARDEN, "attributes": {"sure": " "}})) == [FIRST_ARDEN]


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({"sure": "perhaps"}, "“perhaps” is no answer to “sure”: write “no” or “Very sure”."),
        ({"note": "x"}, "“note” is not asked about this label."),
        ({"page": "x" * 21}, "“page” has 21 characters, and 20 are allowed."),
        ({"sure": 1}, "its attributes must be texts by name."),
        (["sure"], "its attributes must be texts by name."),
    ],
)
def test_answers_that_cannot_stand_are_refused(answers: Any, why: str):
    assert whys(TASK, sent({**ADA_LIND, "attributes": answers})) == [f"Mark 1: {why}"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("Arden # place # page=x", "“page” is not asked about this label."),
        ("Arden # place # sure=", ""),
        ("Arden # place # sure=maybe", "“maybe” is no answer to “sure”: write “no” or “Very sure”."),
        ("Arden # place # sure=no # sure=no", "“sure” is there twice: write it once."),
        ("Arden # sure=no", "write the words, “#” and a label: “Person” or “Place”."),
        ("Arden # place # note=x", "“note=x” is not one of the labels: write “Person” or “Place”."),
    ],
)
def test_a_line_with_a_wrong_answer_is_named_by_its_number(line: str, why: str):
    assert whys(TASK, {"a.own": line}) == ([f"Line 1: {why}"] if why else [])


def test_characters_that_no_database_keeps_are_left_out():
    form = {"a.own": '[{"start": 0, "end": 8, "label": "person", "attributes": {"page": "a\\u0000b\\ud800"}}]'}
    read: Any = SPANS.read(TASK, form)

    assert read[0]["attributes"]["page"].encode().count(b"\0") == 0


def test_an_answer_that_is_needed_is_asked_for():
    why = "“Arden”, Place: please answer “How sure are you?”."

    assert whys(NEEDED, sent({**ADA_LIND, "attributes": {"sure": "no"}}, FIRST_ARDEN)) == [why]
    assert 'data-tag="Place …"' in text_html(NEEDED.texts["report"], NEEDED.options, spans_of([FIRST_ARDEN]))
    assert whys(NEEDED, {"a.own.none": "yes"}) == []


def test_an_answer_is_needed_only_for_its_labels():
    task = asked(attributes=[{**SURE, "required": True, "labels": ["person"]}])

    assert whys(task, sent(FIRST_ARDEN)) == []
    assert len(whys(task, sent(ADA_LIND))) == 1


def test_a_known_answer_may_be_written_with_attributes():
    written = [{"words": "Ada Lind", "label": "person", "attributes": {"sure": "Very sure"}}, "Arden # place # sure=no"]

    assert SPANS.known(TASK.options, written, TASK.texts) == [{**ADA_LIND, "attributes": {"sure": "yes"}}, ARDEN]
    assert SPANS.known(TASK.options, [ADA], TASK.texts) == [ADA]


# ---- Showing, comparing, files


def test_people_read_answers_behind_the_label():
    assert SPANS.line(TASK, [ADA, FIRST_ARDEN]) == "Ada Lind [Person] (sure: Very sure, page: Ada # 1), Arden [Place]"
    assert SPANS.pieces(TASK, [ADA], [])[0].words == "“Ada Lind” (sure: Very sure, page: Ada # 1)"


def test_marks_agree_whatever_is_said_about_them():
    other = {**ADA_LIND, "attributes": {"sure": "no"}}

    assert SPANS.closeness(TASK.options, [ADA], [other]) == 1
    assert SPANS.feedback(TASK, [ADA], [other]) == "We would have marked the same."
    assert SPANS.consensus(TASK.options, [[ADA], [other]]) == {"spans": [{**ADA_LIND, "support": 2}], "votes": 2}


def test_what_people_choose_about_marks_made_alike_has_agreement_of_its_own():
    assert [own.part for own in SPANS.series("own", TASK.options)] == ["own", "own.sure"]
    assert SPANS.labels("own", TASK.options, [ADA, ARDEN]) == {
        "own": {"0-8:person", "25-30:place"},
        "own.sure": {"0-8:person": "yes", "25-30:place": "no"},
    }


def test_a_table_has_a_list_of_answers_for_each_attribute():
    assert SPANS.cells("own", TASK.options, [ADA, ARDEN], TASK.texts) == {
        "own": "Ada Lind [Person] | Arden [Place]",
        "own.sure": '["yes","no"]',
        "own.page": '["Ada # 1",""]',
    }
    assert SPANS.cells("own", TASK.options, None) == {"own": None, "own.sure": None, "own.page": None}


# ---- Options


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ([SURE, {"name": "Sure"}], "two attributes are called “sure”"),
        ([{"name": "a b"}], "“a b” cannot be an id"),
        ([{"name": "a", "labels": ["river"]}], "attribute “a”: “river” is not the id of a label"),
        ([{"name": "a", "options": ["x", {"id": "y", "label": "X"}]}], "two options are called “x”"),
        ([{"name": "a", "options": [{"id": "x", "label": "C#"}]}], "“C#” has “#”"),
        ([{"name": "a", "longest": 0}], "greater than or equal to 1"),
        ([{"name": f"a{number}"} for number in range(11)], "at most 10"),
    ],
)
def test_attributes_that_cannot_be_are_refused(attributes: Any, why: str):
    with pytest.raises(ValidationError) as refused:
        asked(attributes=attributes)

    assert why in str(refused.value)


def test_editors_know_attributes():
    part = {
        "name": "own", "kind": "spans", "ask": "Mark.", "text": "text", "labels": ["a"], "attributes": [SURE, PAGE],
    }  # fmt: skip
    task = {"name": "T", "parts": [part], "instructions": {"summary": "S", "details": "D", "examples": "E"}}
    jsonschema.validate(task, json_schema())
    part["attributes"] = [{"ask": "no name"}]

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(task, json_schema())


@given(st.text(max_size=40))
def test_any_line_can_be_parted(line: str):
    attributes = [SpanAttribute.model_validate(SURE)]
    head, values = parted(line, attributes)

    assert values or head == line
