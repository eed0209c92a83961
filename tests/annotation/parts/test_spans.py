"""Marks in a text: from the script's offsets, from lines, and what can be feedback about several answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from annotation.parts.base import Prompt
from annotation.parts.span_lines import read_lines, write_lines
from annotation.parts.span_marks import MarkedSpan, colliding
from annotation.parts.span_tokens import tokens_of
from annotation.parts.spans import SPANS
from annotation.parts.spans_options import SpansOptions, offered_labels
from annotation.task_types.consensus_rules import ChosenRule
from tests.annotation.parts.test_span_tokens import TEXTS

LABELS = [{"id": "person", "label": "Person"}, {"id": "place", "label": "Place"}]
ADA = "Ada Lind met Ada Berg in Arden, near Arden Hill."
ADA_LIND = {"start": 0, "end": 8, "label": "person"}
FIRST_ARDEN = {"start": 25, "end": 30, "label": "place"}
FAMILY = "👨‍👩‍👧"


def asked(text: str = ADA, **options: Any) -> Prompt:
    described = {"text": "report", "labels": LABELS, **options}
    return Prompt("own", SpansOptions.model_validate(described), {"report": text})


def whys(task: Prompt, form: Mapping[str, str]) -> list[str]:
    return [own.remark.why for own in SPANS.remarks(task, form)]


def sent(*marks: Any) -> dict[str, str]:
    return {"a.own": json.dumps(marks)}


def from_lines(task: Prompt, *lines: str) -> list[dict[str, Any]]:
    form = {"a.own": "\n".join(lines)}
    assert whys(task, form) == []
    read: Any = SPANS.read(task, form)
    return [*read]


@st.composite
def marked(draw: st.DrawFn) -> tuple[Prompt, list[MarkedSpan]]:
    """A text with marks that may stand together."""
    text = draw(TEXTS)
    unit, overlap = draw(st.sampled_from(["words", "characters"])), draw(st.sampled_from(["none", "nested", "any"]))
    task = asked(text, unit=unit, overlap=overlap)
    tokens = tokens_of(text, unit)
    spans: list[MarkedSpan] = []
    if tokens:
        places = st.tuples(st.integers(0, len(tokens) - 1), st.integers(0, 3), st.sampled_from(["person", "place"]))
        for first, more, label in draw(st.lists(places, max_size=6)):
            span = MarkedSpan(tokens[first].start, tokens[min(first + more, len(tokens) - 1)].end, label)
            if not colliding([*spans, span], overlap) and span not in spans:
                spans.append(span)
    return task, sorted(spans)


# ---- Forms


@given(marked())
def test_an_answer_survives_its_form(case: tuple[Prompt, list[MarkedSpan]]):
    task, spans = case
    value = [span.to_json() for span in spans]
    form = SPANS.write(task, value)

    assert SPANS.read(task, {"a.own": json.dumps(value)}) == value
    assert whys(task, form) == []
    assert not SPANS.is_empty(task, form)
    assert SPANS.read(task, form) == value
    assert SPANS.write(task, SPANS.read(task, form)) == form


@given(marked())
def test_marks_survive_their_lines(case: tuple[Prompt, list[MarkedSpan]]):
    task, spans = case
    text = task.texts["report"]
    lines = write_lines(text, spans, task.options)

    assert read_lines(text, lines, task.options) == (spans, {})
    assert read_lines(text, lines.replace("\n", "\r\n\r\n"), task.options) == (spans, {})


@given(marked())
def test_the_page_of_either_form_begins_with_the_same_marks(case: tuple[Prompt, list[MarkedSpan]]):
    task, spans = case
    value = [span.to_json() for span in spans]
    by_lines = SPANS.inputs(task, SPANS.write(task, value))
    by_script = SPANS.inputs(task, {"a.own": json.dumps(value)})

    assert json.loads(by_lines["marks"]) == value
    assert by_script["marks"] == by_lines["marks"]


@given(st.text(max_size=60))
def test_no_sent_text_breaks_the_page(value: str):
    form = {"a.own": value}
    SPANS.is_empty(asked(), form)
    SPANS.inputs(asked(), form)
    if not whys(asked(), form):
        assert SPANS.read(asked(), form) is not None


# ---- Offsets


@pytest.mark.parametrize(
    ("mark", "why"),
    [
        ({**ADA_LIND, "end": 900}, "Mark 1: 0-900 is no piece of the text, which has 48 characters."),
        ({**ADA_LIND, "start": -1}, "Mark 1: -1-8 is no piece of the text, which has 48 characters."),
        ({**ADA_LIND, "start": 8, "end": 0}, "Mark 1: 8-0 is no piece of the text, which has 48 characters."),
        ({**ADA_LIND, "end": 8.0}, "Mark 1: its start and its end must be whole numbers, and its label a text."),
        ({**ADA_LIND, "start": True}, "Mark 1: its start and its end must be whole numbers, and its label a text."),
        ({**ADA_LIND, "start": "0"}, "Mark 1: its start and its end must be whole numbers, and its label a text."),
        ({**ADA_LIND, "label": "river"}, "Mark 1: “river” is not one of the labels."),
        ({**ADA_LIND, "text": "Ada Berg"}, "Mark 1: its words are not those of the text at this place."),
        ({**ADA_LIND, "note": ""}, "Mark 1: a mark is a start, an end and a label."),
        ({**ADA_LIND, "end": 6}, "Mark 1: 0-6 begins or ends inside a word: mark whole words."),
        ({**ADA_LIND, "start": 3, "end": 4}, "Mark 1: there are only blanks at this place."),
    ],
)
def test_offsets_that_cannot_stand_are_refused(mark: Any, why: str):
    assert whys(asked(), sent(mark)) == [why]


@pytest.mark.parametrize(
    "value",
    ['[{"', '[{"a":' * 5000, '[{"start": NaN, "end": 1, "label": "person"}]', '[{"start": ' + "9" * 5000 + "}]"],
)
def test_what_is_no_list_of_marks_is_refused(value: str):
    assert len(whys(asked(), {"a.own": value})) == 1


def test_ten_thousand_marks_are_refused():
    assert whys(asked(), sent(*[ADA_LIND] * 10_000)) == ["These are more marks than the 2,000 that a text may have."]
    assert whys(asked(), sent(*[{"a": 1}] * 10_000)) == ["These are 10,000 marks, and a text may have 2,000."]


def test_an_emoji_and_a_combining_mark_are_not_cut():
    task = asked(f"Cafe\u0301 {FAMILY}!", unit="characters")

    assert len(whys(task, sent({"start": 0, "end": 4, "label": "person"}))) == 1
    assert len(whys(task, sent({"start": 7, "end": 9, "label": "person"}))) == 1
    assert whys(task, sent({"start": 6, "end": 11, "label": "person"})) == []
    assert whys(task, sent({"start": 2, "end": 3, "label": "person"})) == []


def test_blanks_at_the_edges_are_left_out_and_equal_marks_count_once():
    task = asked("Ada \r\n met  Ben")
    form = sent({"start": 3, "end": 12, "label": "person"}, {"start": 7, "end": 10, "label": "person"})

    assert SPANS.read(task, form) == [{"start": 7, "end": 10, "label": "person"}]


OUTER, INNER, CROSSING = (0, 16, "person"), (13, 16, "person"), (13, 21, "place")


@pytest.mark.parametrize(
    ("overlap", "marks", "is_allowed"),
    [
        ("none", (OUTER, INNER), False),
        ("nested", (OUTER, INNER), True),
        ("nested", (OUTER, (0, 16, "place")), True),
        ("nested", (OUTER, CROSSING), False),
        ("any", (OUTER, CROSSING), True),
    ],
)
def test_marks_overlap_only_as_the_description_allows(overlap: str, marks: Any, is_allowed: bool):
    form = sent(*(dict(zip(("start", "end", "label"), mark, strict=True)) for mark in marks))

    assert (whys(asked(overlap=overlap), form) == []) is is_allowed


def test_marks_that_overlap_are_named():
    form = sent(ADA_LIND, {"start": 4, "end": 8, "label": "place"})

    assert whys(asked(), form) == ["“Ada Lind” and “Lind” overlap: marks may not overlap here."]


def test_the_number_of_marks_is_limited():
    assert whys(asked(least=2), sent(ADA_LIND)) == ["Please mark at least 2 pieces of the text: you have marked 1."]
    assert whys(asked(most=1), sent(ADA_LIND, FIRST_ARDEN)) == [
        "Please mark at most 1 piece of the text: you have marked 2."
    ]


# ---- Nothing to mark


def test_nothing_to_mark_is_said_by_the_box_alone():
    assert SPANS.is_empty(asked(), {"a.own": "[]"})
    assert not SPANS.is_empty(asked(), {"a.own": "[]", "a.own.none": "yes"})
    assert SPANS.read(asked(), {"a.own": "[]", "a.own.none": "yes"}) == []
    assert whys(asked(least=3), {"a.own.none": "yes"}) == []


def test_the_box_and_marks_do_not_go_together():
    why = "“Nothing to mark” is ticked, but there are marks: remove the marks or the tick."

    assert whys(asked(), {**sent(ADA_LIND), "a.own.none": "yes"}) == [why]
    assert whys(asked(), {"a.own": "Ada # person", "a.own.none": "yes"}) == [why]


def test_without_the_box_something_must_be_marked():
    task = asked(none="")

    assert SPANS.is_empty(task, {"a.own": "[]", "a.own.none": "yes"})
    assert SPANS.missing(task).remark.why == "Please mark a piece of the text."


# ---- Lines


def test_the_same_words_mean_the_next_place_in_the_text():
    lines = ("Ada Lind # person", "Ada Berg # PERSON", "Arden # place", "Arden # Place")

    assert from_lines(asked(), *lines) == [
        ADA_LIND,
        {"start": 13, "end": 21, "label": "person"},
        FIRST_ARDEN,
        {"start": 37, "end": 42, "label": "place"},
    ]


def test_a_line_may_give_offsets():
    assert from_lines(asked(), "37-42 # place", " 0 - 8 # person ") == [
        ADA_LIND,
        {**FIRST_ARDEN, "start": 37, "end": 42},
    ]


def test_inner_marks_may_follow_the_outer_one_in_lines():
    task = asked(overlap="nested")

    assert from_lines(task, "Arden Hill # place", "Arden # place", "Hill # person") == [
        {"start": 37, "end": 42, "label": "place"},
        {"start": 37, "end": 47, "label": "place"},
        {"start": 43, "end": 47, "label": "person"},
    ]


def test_words_of_a_line_may_have_other_blanks_than_the_text():
    task = asked("Ada \r\n  Lind left.")

    assert from_lines(task, "Ada Lind # person") == [{"start": 0, "end": 12, "label": "person"}]


def test_with_one_label_words_are_enough():
    task = asked("She writes C # and Ada.", labels=["language"])

    assert [own["start"] for own in from_lines(task, "C #", "Ada # language")] == [11, 19]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("Ada Lind", "write the words, “#” and a label: “Person” or “Place”."),
        ("# person", "write the words, “#” and a label: “Person” or “Place”."),
        ("Ada # river", "“river” is not one of the labels: write “Person” or “Place”."),
        ("Adam # person", "“Adam” does not occur in the text, as whole words."),
        ("Ad # person", "“Ad” does not occur in the text, as whole words."),
        ("Ada Lind # person", "“Ada Lind” does not occur behind the line before it: keep the order of the text."),
        ("0-6 # person", "0-6 begins or ends inside a word: mark whole words."),
        ("0-99 # person", "0-99 is no piece of the text, which has 48 characters."),
    ],
)
def test_a_line_that_cannot_be_read_is_named_by_its_number(line: str, why: str):
    assert whys(asked(), {"a.own": f"Ada # person\n\n{line}"}) == [f"Line 3: {why}"]


def test_each_bad_line_is_named_up_to_ten():
    remarks = whys(asked(), {"a.own": "Bo # person\n" * 30})

    assert len(remarks) == 10
    assert remarks[1].startswith("Line 2: ")


# ---- Known answers of a description


@pytest.mark.parametrize(
    "value",
    [["Ada Lind # person", "Arden # place"], [{"words": "Ada Lind", "label": "person"}, "Arden # Place"]],
)
def test_a_known_answer_may_be_written_in_words(value: Any):
    task = asked()

    assert SPANS.known(task.options, value, task.texts) == [ADA_LIND, FIRST_ARDEN]


def test_words_that_are_not_in_the_text_are_named():
    task = asked()
    known = SPANS.known(task.options, ["Bo # person"], task.texts)

    assert whys(task, SPANS.write(task, known)) == ["Line 1: “Bo” does not occur in the text, as whole words."]


# ---- Comparing


def test_feedback_names_missing_and_spurious_words():
    feedback = SPANS.feedback(asked(), [FIRST_ARDEN], [ADA_LIND])

    assert feedback == "We would also have marked “Ada Lind” as “Person”. We would not have marked “Arden” as “Place”."


def test_closeness_counts_marks_with_the_same_edges_and_label():
    options = asked().options

    assert SPANS.closeness(options, [ADA_LIND, FIRST_ARDEN], [ADA_LIND]) == pytest.approx(2 / 3)
    assert SPANS.closeness(options, [ADA_LIND], [{**ADA_LIND, "label": "place"}]) == 0
    assert SPANS.closeness(options, [], []) == 1


def test_pieces_say_how_many_others_marked_nearly_the_same_and_what_is_left_out():
    ada = {**ADA_LIND, "end": 3}
    pieces = SPANS.pieces(asked(), [ADA_LIND], [[ada, FIRST_ARDEN], [FIRST_ARDEN], [FIRST_ARDEN]])

    assert [(own.about, own.words, own.share) for own in pieces] == [
        ("Person", "“Ada Lind”", pytest.approx(1 / 3)),
        ("Place", "“Arden” is not marked", 0),
    ]


def test_marks_that_more_than_half_made_stand_together():
    answers = [[ADA_LIND, FIRST_ARDEN], [ADA_LIND], [FIRST_ARDEN], []]
    options = asked().options

    assert SPANS.consensus(options, answers) == {"spans": [], "votes": 4}
    assert SPANS.consensus(options, answers[:3]) == {
        "spans": [{**ADA_LIND, "support": 2}, {**FIRST_ARDEN, "support": 2}],
        "votes": 3,
    }


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        (ChosenRule("share", {"threshold": 0.5}), 1),
        (ChosenRule("share", {"threshold": 0.25}), 2),
        (ChosenRule("support", {"least_support": 1}), 2),
        (ChosenRule("support", {"least_support": 3}), 0),
    ],
)
def test_a_rule_says_how_many_must_have_made_a_mark(rule: ChosenRule, kept: int):
    agreed: Any = SPANS.consensus(asked().options, [[ADA_LIND, FIRST_ARDEN], [ADA_LIND], [], []], rule)

    assert len(agreed["spans"]) == kept
    assert agreed["rule"] == rule.name


def test_fewer_answers_than_wanted_have_no_consensus():
    rule = ChosenRule("share", {"threshold": 0.5}, least_answers=3)

    assert SPANS.consensus(asked().options, [[ADA_LIND]], rule) is None


def test_what_people_marked_together_is_said_in_words():
    options = asked().options
    agreed = SPANS.consensus(options, [[ADA_LIND, FIRST_ARDEN], [ADA_LIND], [ADA_LIND, FIRST_ARDEN]])

    line = SPANS.consensus_line(options, agreed, {"report": ADA})
    assert line == "Ada Lind [Person] (3 of 3), Arden [Place] (2 of 3)"


def test_files_say_which_text_marks_count_in_and_what_labels_mean():
    field = SPANS.answer_type("own", "", asked().options)

    assert "in “report”, counted from 0 in Unicode code points" in field.fields[0].about
    assert field.fields[2].about == "the id of its label: person (Person), place (Place)"


def test_a_table_has_marks_in_one_cell():
    options = asked().options

    cells = SPANS.cells("own", options, [ADA_LIND, FIRST_ARDEN], {"report": ADA})
    assert cells == {"own": "Ada Lind [Person] | Arden [Place]"}
    assert SPANS.cells("own", options, []) == {"own": "nothing"}
    assert SPANS.cells("own", options, None) == {"own": None}


# ---- Options


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"labels": []}, "at least 1 item"),
        ({"labels": ["person", {"id": "x", "label": "Person"}]}, "two labels are called “person”"),
        ({"labels": [{"id": "a", "key": "p"}, {"id": "b", "key": "p"}]}, "“p” is the key of two labels"),
        ({"labels": [{"id": "a", "colour": 7}]}, "less than or equal to 6"),
        ({"labels": [{"id": "a", "label": "C#"}]}, "“C#” has “#”"),
        ({"least": 3, "most": 2}, "“least” (3) is more than “most” (2)"),
        ({"most": 2001}, "less than or equal to 2000"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], why: str):
    with pytest.raises(ValidationError) as refused:
        asked(**options)

    assert why in str(refused.value)


def test_labels_have_keys_and_colours_by_their_place():
    labels = [{"id": "a", "key": "1"}, "b", {"id": "c", "colour": 5}]

    assert [(own.key, own.colour) for own in offered_labels(asked(labels=labels).options)] == [
        ("1", 1),
        ("2", 2),
        ("3", 5),
    ]
