"""What people say about a mark: from the script, from lines, in answers and files, and what agreement makes of it."""

from __future__ import annotations

import json
from collections import Counter
from types import SimpleNamespace as Use
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from annotation.parts.base import Prompt
from annotation.parts.span_attributes import SpanAttribute, parted
from annotation.parts.span_drawing import text_html
from annotation.parts.span_files.brat import configuration, lines_about
from annotation.parts.span_files.label_studio import as_task
from annotation.parts.span_files.released import ReleasedText
from annotation.parts.span_files.spacy_lines import as_prodigy
from annotation.parts.span_follow_ups import unit_of
from annotation.parts.span_marks import spans_of
from annotation.parts.spans import SPANS
from annotation.task_types.base import ComparedAnswer
from annotation.task_types.cleaned import CleanedAnswer
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


def test_a_database_may_keep_the_answers_about_a_mark_in_another_order():
    """PostgreSQL orders the keys of JSON."""
    turned: Any = [{**ADA_LIND, "attributes": {"page": "Ada # 1", "sure": "yes"}}]

    assert (
        SPANS.write(TASK, turned)
        == SPANS.write(TASK, [ADA])
        == {"a.own": "Ada Lind # Person # sure=Very sure # page=Ada # 1"}
    )
    assert SPANS.line(TASK, turned) == SPANS.line(TASK, [ADA]) == "Ada Lind [Person] (sure: Very sure, page: Ada # 1)"
    assert SPANS.common(TASK.options, [turned, [ADA]]) == turned
    assert whys(TASK, {**sent(*turned), "a.own.taken": json.dumps(ADA)}) == []


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


# ---- Several people, reviewers and files


@st.composite
def several(draw: st.DrawFn) -> tuple[Prompt, list[list[dict[str, Any]]]]:
    """What several people say about some of the same marks."""
    task, value = draw(answered())
    answers = []
    for _ in range(draw(st.integers(2, 4))):
        own = []
        for mark in value:
            answers_about = {"sure": draw(st.sampled_from(["", "yes", "no"]))}
            if mark["label"] == "person":
                answers_about["page"] = draw(st.sampled_from(["", "Ada", "Ada # 2"]))
            kept = {name: text for name, text in answers_about.items() if text}
            bare = {name: part for name, part in mark.items() if name != "attributes"}
            if draw(st.booleans()):
                own.append({**bare, **({"attributes": kept} if kept else {})})
        answers.append(own)
    return task, answers


def compared(answers: list[list[dict[str, Any]]]) -> list[ComparedAnswer]:
    return [ComparedAnswer("ABCD"[number], f"Person {number}", own) for number, own in enumerate(answers)]


def place_of(mark: Any) -> tuple[int, int, str]:
    return mark["start"], mark["end"], mark["label"]


def boxes_of(drawn: Any) -> list[dict[str, Any]]:
    """All boxes that a reviewer can tick."""
    return [*drawn["agreed"], *(box for own in drawn["differences"] for box in own["boxes"])]


@given(several())
def test_the_majority_says_what_more_than_half_of_a_marks_makers_say(case: tuple[Prompt, list[list[dict[str, Any]]]]):
    task, answers = case
    agreed: Any = SPANS.consensus(task.options, answers)

    for span in agreed["spans"]:
        makers = [own for answer in answers for own in answer if place_of(own) == place_of(span)]
        values = Counter(item for own in makers for item in own.get("attributes", {}).items())
        usual = {name: value for (name, value), people in values.items() if 2 * people > len(makers)}
        assert span.get("attributes", {}) == usual
        assert span["support"] == len(makers)


@given(several(), st.data())
def test_taking_everything_of_one_person_gives_that_persons_answer(
    case: tuple[Prompt, list[list[dict[str, Any]]]], data: st.DataObject
):
    task, answers = case
    person = data.draw(st.integers(0, len(answers) - 1))
    boxes = boxes_of(SPANS.together(task, {}, compared(answers)))
    taken = [box["value"] for box in boxes if "ABCD"[person] in box["letters"]]

    assert SPANS.read(task, {"a.own.taken": "\n".join(taken)}) == answers[person]
    again = boxes_of(SPANS.together(task, SPANS.write(task, answers[person]), compared(answers)))
    assert {box["value"] for box in again if box["is_taken"]} == {*taken}


def test_a_mark_with_different_answers_is_refused_wherever_it_comes_from():
    very, not_sure = ({**ADA_LIND, "attributes": {"sure": own}} for own in ("yes", "no"))
    why = "“Ada Lind”, Person, is marked twice, with different answers: keep one of the two."

    assert whys(TASK, sent(very, not_sure)) == [why]
    assert whys(TASK, {"a.own.taken": f"{json.dumps(very)}\n{json.dumps(not_sure)}"}) == [why]
    assert whys(TASK, {**sent(very), "a.own.taken": json.dumps(not_sure)}) == [why]
    assert whys(TASK, {"a.own": "0-8 # Person # sure=no\n0-8 # Person # sure=yes"}) == [f"Line 2: {why}"]
    assert whys(TASK, sent(very, very)) == []


def test_a_reviewers_boxes_tell_the_same_mark_with_other_answers_apart_first_person_first():
    answers: Any = [[ADA], [{**ADA_LIND, "attributes": {"sure": "no"}}]]
    boxes = boxes_of(SPANS.together(TASK, {}, compared(answers)))

    assert [(box["letters"], box["answers"]) for box in boxes] == [
        (["A"], "sure: Very sure, page: Ada # 1"),
        (["B"], "sure: no"),
    ]


def test_a_settlement_is_made_of_the_answer_whose_words_about_a_mark_it_has():
    units = [{*SPANS.shared_units(TASK.options, [own])} for own in (ADA, {**ADA_LIND, "attributes": {"sure": "no"}})]

    assert len(units[0] & units[1]) == 1
    assert units[0] != units[1]
    assert SPANS.common(TASK.options, [[ADA], [ADA_LIND]]) is None
    assert SPANS.common(TASK.options, [[ADA], [ADA]]) == [ADA]


def test_what_people_say_together_about_a_mark_is_read_in_a_line():
    agreed = SPANS.consensus(TASK.options, [[ADA], [ADA], [ADA_LIND]])

    line = SPANS.consensus_line(TASK.options, agreed, TASK.texts)
    assert line == "Ada Lind [Person] (3 of 3; sure: Very sure, page: Ada # 1)"
    assert fits(agreed, SPANS.consensus_type("own", "", TASK.options))


def test_votes_of_a_follow_up_take_a_mark_away_and_leave_the_answers_about_the_others():
    [kind] = SPANS.follow_ups("own", Use(ask="Mark", **vars(TASK.options)))
    left = kind.without(CleanedAnswer({"own": [ADA, ARDEN]}), {unit_of(spans_of([ADA])[0])}, "no")

    assert left.answer == {"own": [ARDEN]}


def test_files_hold_the_answers_about_marks():
    spans = spans_of([ADA, ARDEN])
    own = ReleasedText("k", "g", "own", "report", TASK.texts["report"], "words", spans, "reviewers", {},
                       TASK.options.attributes)  # fmt: skip
    task: Any = as_task(own, spans)
    prodigy: Any = as_prodigy(own, spans)
    mark, sure, page, *_ = task["annotations"][0]["result"]

    assert (mark["id"], sure["id"], page["id"]) == ("1", "1", "1")
    assert (sure["from_name"], sure["type"], sure["value"]["choices"]) == ("sure", "choices", ["yes"])
    assert (page["from_name"], page["type"], page["value"]["text"]) == ("page", "textarea", ["Ada # 1"])
    assert [*lines_about(spans, own.attributes)] == [
        "A1\tsure T1 yes\n", "A2\tsure T2 no\n", "#1\tAnnotatorNotes T1\tpage: Ada # 1\n",
    ]  # fmt: skip
    assert configuration(["person"], {"sure": ["no", "yes"]}).endswith("\n\nsure\tArg:<ENTITY>, Value:no|yes\n")
    assert prodigy["spans"][0]["attributes"] == ADA["attributes"]
