"""Marks that an item suggests: what people start from, what is refused, and what became of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from annotation.parts.base import Prompt
from annotation.parts.span_marks import MarkedSpan
from annotation.parts.span_suggestions import CHANGES, SUGGESTED, changes
from annotation.parts.spans import SPANS
from annotation.parts.spans_options import SpansOptions
from annotation.task_types.suggestions import SuggestionCounts, suggestion_lines
from tests.annotation.parts.test_spans import ADA, ADA_LIND, FIRST_ARDEN, LABELS, marked

SPAN = st.builds(
    lambda start, more, label: MarkedSpan(start, start + more, label),
    st.integers(0, 20), st.integers(1, 6), st.sampled_from("ab"),
)  # fmt: skip
SPANS_OF_A_TEXT = st.lists(SPAN, max_size=8)


def suggesting(*marks: Any, text: str = ADA, **options: Any) -> Prompt:
    described = {"text": "report", "labels": LABELS, "suggestions": "guesses", **options}
    return Prompt("own", SpansOptions.model_validate(described), {"report": text, "guesses": json.dumps(marks)})


def test_people_start_from_the_suggested_marks_as_lines_and_for_the_script():
    task = suggesting(ADA_LIND, FIRST_ARDEN)
    form = SPANS.starting_form(task)
    inputs = SPANS.inputs(task, form)

    keys = "0-8:person 25-30:place"
    assert form == {"a.own": "Ada Lind # Person\nArden # Place", "a.own.suggested": keys}
    assert json.loads(inputs["marks"]) == [ADA_LIND, FIRST_ARDEN]
    assert (inputs["has_suggestions"], inputs["suggested"]) == (True, keys)
    assert SPANS.read(task, form) == [ADA_LIND, FIRST_ARDEN]


@given(marked())
def test_suggestions_that_nobody_touches_are_the_answer(case: tuple[Prompt, list[MarkedSpan]]):
    options, text = case[0].options, case[0].texts["report"]
    marks = [span.to_json() for span in case[1]]
    more = {"unit": options.unit, "overlap": options.overlap}
    task = suggesting(*marks, text=text, **more)

    assert SPANS.bad_suggestion(task) == ""
    assert SPANS.read(task, SPANS.starting_form(task)) == marks
    expected = {SUGGESTED: len(marks), **dict.fromkeys(CHANGES, 0), "kept": len(marks)}
    assert SPANS.changes(task, marks) == expected


def test_a_draft_remembers_which_suggestions_were_touched_whatever_became_of_the_others():
    task = suggesting(ADA_LIND, FIRST_ARDEN)
    draft = {"a.own": json.dumps([FIRST_ARDEN]), "a.own.suggested": "25-30:place"}

    assert SPANS.inputs(task, draft)["suggested"] == "25-30:place"
    assert SPANS.inputs(task, {**draft, "a.own.suggested": ""})["has_suggestions"]
    assert SPANS.read(task, draft) == [FIRST_ARDEN]


def test_an_answer_is_drawn_without_suggestions_even_where_it_kept_them():
    task = suggesting(ADA_LIND, FIRST_ARDEN)

    assert not SPANS.inputs(task, SPANS.write(task, [ADA_LIND, FIRST_ARDEN]))["has_suggestions"]


def test_what_a_suggestion_says_about_its_mark_is_where_people_start():
    sure = {"name": "sure", "options": ["no", "yes"]}
    marked = {**ADA_LIND, "attributes": {"sure": "yes"}}
    task = suggesting(marked, attributes=[sure])

    assert SPANS.starting_form(task)["a.own"] == "Ada Lind # Person # sure=yes"
    assert "“perhaps” is no answer" in SPANS.bad_suggestion(
        suggesting({**marked, "attributes": {"sure": "perhaps"}}, attributes=[sure])
    )


def test_a_draft_of_the_script_is_shown_as_lines_and_its_offsets_are_kept_for_it():
    task = suggesting()
    sent = json.dumps([ADA_LIND, FIRST_ARDEN])
    inputs = SPANS.inputs(task, {"a.own": sent})

    assert (inputs["lines"], inputs["sent"]) == ("Ada Lind # Person\nArden # Place", sent)
    broken = '[{"start": 0, "end": 2, "label": "person"}]'
    assert SPANS.inputs(task, {"a.own": broken})["lines"] == broken


def test_hidden_suggestions_are_compared_but_not_shown():
    task = suggesting(ADA_LIND, show_suggestions=False)

    assert SPANS.starting_form(task) == {}
    assert not SPANS.inputs(task, {})["has_suggestions"]
    assert SPANS.changes(task, [FIRST_ARDEN])["deleted"] == 1


def test_an_item_without_suggestions_starts_empty_and_counts_nothing():
    task = Prompt("own", suggesting().options, {"report": ADA})

    assert SPANS.starting_form(task) == {}
    assert (SPANS.bad_suggestion(task), SPANS.changes(task, [ADA_LIND])) == ("", {})


def test_the_column_of_suggestions_is_no_text_that_people_read():
    options = suggesting().options

    assert (SPANS.columns(options), SPANS.extra_columns(options)) == (("report",), ("guesses",))
    with pytest.raises(ValidationError, match="names the text itself"):
        suggesting(suggestions="report")


@pytest.mark.parametrize(
    ("marks", "why"),
    [
        ([{**ADA_LIND, "end": 900}], "guesses: Mark 1: 0-900 is no piece of the text"),
        ([ADA_LIND, {**FIRST_ARDEN, "end": 20}], "guesses: Mark 2: 25-20 is no piece of the text"),
        ([{**ADA_LIND, "start": 0.0}], "guesses: Mark 1: its start and its end must be whole numbers"),
        ([{**ADA_LIND, "label": "animal"}], "guesses: Mark 1: “animal” is not one of the labels"),
        ([{**ADA_LIND, "words": "Ben"}], "guesses: Mark 1: its words are not those of the text"),
        ([{**ADA_LIND, "end": 6}], "guesses: Mark 1: 0-6 begins or ends inside a word"),
        ([ADA_LIND, {**ADA_LIND, "end": 3}], "guesses: “Ada Lind” and “Ada” overlap, which the task does not allow"),
        ([ADA_LIND] * 10_000, "guesses: These are"),
    ],
)
def test_suggestions_that_cannot_be_an_answer_are_refused_with_the_reason(marks: list[Any], why: str):
    task = suggesting(*marks)

    assert SPANS.bad_suggestion(task).startswith(why)
    assert SPANS.starting_form(task) == {}
    assert SPANS.changes(task, []) == {}


def test_a_mark_may_not_cut_a_character_that_has_several_parts():
    task = suggesting({"start": 0, "end": 1, "label": "person"}, text="👩‍👧 came", unit="characters")

    assert "inside a character that has several parts" in SPANS.bad_suggestion(task)


@pytest.mark.parametrize("column", ["no JSON", "{}", "[1]", '["a"]', "[" * 100_000])
def test_a_column_that_holds_no_marks_is_refused(column: str):
    task = Prompt("own", suggesting().options, {"report": ADA, "guesses": column})

    assert SPANS.bad_suggestion(task).startswith("guesses: ")


# ---- What became of them


def test_a_mark_with_another_label_or_edge_is_changed_and_others_are_deleted_and_added():
    ada, arden, hill = MarkedSpan(0, 8, "a"), MarkedSpan(25, 30, "a"), MarkedSpan(37, 47, "a")
    answered = [ada, MarkedSpan(25, 30, "b"), MarkedSpan(13, 21, "a")]

    assert changes([ada, arden, hill], answered) == {
        "suggested": 3, "kept": 1, "changed": 1, "deleted": 1, "added": 1,
    }  # fmt: skip


def test_two_marks_in_place_of_one_change_it_once():
    counts = changes([MarkedSpan(0, 10, "a")], [MarkedSpan(0, 4, "a"), MarkedSpan(5, 10, "a")])

    assert (counts["changed"], counts["added"], counts["deleted"]) == (1, 1, 0)


@given(SPANS_OF_A_TEXT, SPANS_OF_A_TEXT)
def test_every_mark_counts_once(suggested: list[MarkedSpan], answered: list[MarkedSpan]):
    counts = changes(suggested, answered)

    assert counts["kept"] + counts["changed"] + counts["deleted"] == len({*suggested}) == counts["suggested"]
    assert counts["kept"] + counts["changed"] + counts["added"] == len({*answered})
    assert counts["kept"] == len({*suggested} & {*answered})


def test_counts_add_up_over_answers_and_stand_beside_each_other():
    counts = SuggestionCounts()
    for answered in ([MarkedSpan(0, 8, "a")], []):
        counts.add({"names": changes([MarkedSpan(0, 8, "a")], answered)})
    stored = {"suggestions": counts.to_json()}

    assert counts.to_json() == [
        {"part": "names", "suggested": 2, "kept": 1, "changed": 0, "deleted": 1, "added": 0, "answers": 2}
    ]
    assert [*suggestion_lines([stored, {}])][:2] == [
        ("Marks of “names”: suggested", ("2", "–")),
        ("Marks of “names”: kept", ("1", "–")),
    ]
