"""Choices of one or several options, once or in each row of a grid."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from annotation.parts.base import AnswerPiece, Prompt
from annotation.parts.choice import CHOICE
from annotation.parts.choice_options import ChoiceOptions, offered
from annotation.task_types.base import Level

WEATHER = ["rain", "wind", "fog", "snow"]
TEXTS = {"first": "It rained.", "second": "", "list": "Apples\n\nPears\nApples\n"}
ROWS = {"options": ["yes_", "no_"], "rows": ["first", "second", {"id": "both", "label": "Both"}]}


def asked(**options: Any) -> Prompt:
    return Prompt("own", ChoiceOptions(**{"options": WEATHER, **options}), TEXTS)


def remarks(form: dict[str, str], **options: Any) -> list[tuple[str, str]]:
    noticed = CHOICE.remarks(asked(**options), form)
    assert all(own.remark.level == Level.BLOCK for own in noticed)
    return [(own.field, own.remark.why) for own in noticed]


def drawn(question: Prompt, form: dict[str, str] | None = None, **context: Any) -> str:
    """Return the form as HTML with single spaces."""
    part = {"name": "own", "field": "a.own", "ask": "Which?", "inputs": CHOICE.inputs(question, form or {})}
    page = render_to_string(
        "annotation/parts/choice.html", {"part": {**part, **context}, "form": form or {}, **context}
    )
    return re.sub(r"\s+", " ", page).replace(" >", ">")


# ---- Options


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"options": ["rain"]}, "a choice needs at least two options"),
        (
            {"options": [f"o{number}" for number in range(500)]},
            "these are 500 options, and people cannot choose between",
        ),
        ({"options": ["rain", "rain"]}, "“rain” is listed twice"),
        ({"options": ["rain", "light rain"]}, "“light rain” cannot be an id .* give this option an id and a label"),
        ({"options": ["rain", {"id": "light rain"}]}, "“light rain” cannot be an id: use letters"),
        ({"options": [True, False]}, "an option is a word: put “true” and “false” in quotes"),
        ({"options": [{"id": "a", "key": "x"}, {"id": "b", "key": "x"}]}, "“x” is the key of two options"),
        ({"options": [{"id": "a", "key": "F1"}, "b"]}, "“F1” cannot be a key"),
        ({"options": ["rain", "none"], "none": "None"}, "“none” is the id of the option “None”"),
        ({"options": ["rain", "other"], "other": "Other"}, "“other” is the id of the option “Other”"),
        ({"least": 2}, "add many: true"),
        ({"most": 2}, "add many: true"),
        ({"many": True, "least": 5}, "“least” is 5, but there are only 4 options"),
        ({"many": True, "least": 3, "most": 2}, "“least” .3. is more than “most” .2."),
        ({"many": True, "least": 0}, "greater than or equal to 1"),
        ({"rows": []}, "at least one row"),
        ({"rows": ["first", "first"]}, "“first” is listed twice"),
        ({"rows": {"lines": ""}}, "at least 1 character"),
        ({"rows": {"column": "list"}}, "lines"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_impossible_options_are_refused_in_words(options: dict[str, Any], why: str):
    with pytest.raises(ValidationError, match=why):
        asked(**options)


@pytest.mark.parametrize("rows", [None, ROWS["rows"], {"lines": "list"}])
def test_options_survive_being_written_down(rows: Any):
    options = asked(rows=rows, many=True, most=2, none="None").options

    assert ChoiceOptions.model_validate(options.model_dump(mode="json", exclude_defaults=True)) == options
    assert ChoiceOptions.model_json_schema()["properties"]["options"]["type"] == "array"


def test_numbers_are_ids_and_a_label_is_the_id_unless_it_is_set():
    options = asked(options=[1, {"id": 2, "label": " Two  of\nthem "}]).options

    assert [(option.id, option.words) for option in offered(options)] == [("1", "1"), ("2", "Two of them")]


def test_keys_are_the_first_nine_places_unless_an_option_has_its_own():
    nine = [f"o{number}" for number in range(1, 10)]
    options = asked(options=[{"id": "a", "key": "2"}, *nine], none="None").options

    assert [option.key for option in offered(options)] == ["2", "", *"3456789", "", ""]


def test_people_see_the_options_in_an_order_of_their_own_and_the_added_ones_last():
    options = asked(shuffle=True, none="None", other="Other").options
    orders = {tuple(CHOICE.shown(options, Random(seed))) for seed in range(40)}

    assert len(orders) > 10
    for order in orders:
        shown = offered(options, order)
        assert [option.id for option in shown] == [*order, "none", "other"]
        assert [option.key for option in shown] == [*"123456"]
    assert CHOICE.shown(asked().options, Random(1)) == ()


def test_the_order_of_options_leaves_the_rows_in_theirs():
    question = asked(options=["first", "both"], rows=["first", {"id": "both", "label": "Both"}], shuffle=True)
    rows = CHOICE.inputs(Prompt("own", question.options, TEXTS, ("both", "first")), {})["rows"]

    assert [row["field"] for row in rows] == ["a.own.first", "a.own.both"]
    assert [option["id"] for option in rows[0]["options"]] == ["both", "first"]


# ---- Forms


@pytest.mark.parametrize(
    ("options", "form", "answer"),
    [
        ({}, {"a.own": "fog"}, "fog"),
        ({"none": "None"}, {"a.own": "none"}, "none"),
        ({"many": True}, {"a.own": "snow\nrain\nsnow"}, ["rain", "snow"]),
        ({"many": True, "none": "None"}, {"a.own": "none"}, []),
        ({"other": "Other"}, {"a.own": "fog", "a.own.words": "left over"}, {"chosen": "fog", "words": ""}),
        ({"other": "Other"}, {"a.own": "other", "a.own.words": " dry \n air"}, {"chosen": "other", "words": "dry air"}),
        (
            ROWS,
            {"a.own.first": "no_", "a.own.both": "yes_"},
            [{"row": "first", "chosen": "no_"}, {"row": "both", "chosen": "yes_"}],
        ),
        (
            {"many": True, "none": "None", "rows": {"lines": "list"}},
            {"a.own.1": "none", "a.own.2": "fog\nrain"},
            [{"row": "Apples", "chosen": []}, {"row": "Pears", "chosen": ["rain", "fog"]}],
        ),
    ],
)
def test_a_form_is_read_as_the_answer_that_files_describe(
    options: dict[str, Any], form: dict[str, str], answer: object
):
    assert remarks(form, **options) == []
    assert CHOICE.read(asked(**options), form) == answer


@given(st.data())
def test_every_answer_survives_its_form(data: st.DataObject):
    ids = data.draw(
        st.lists(st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,39}", fullmatch=True), min_size=2, unique=True)
    )
    ids = [id_ for id_ in ids if id_ not in ("none", "other")] + ["a_", "b_"]
    many, extras = data.draw(st.booleans()), data.draw(st.sets(st.sampled_from(["none", "other"])))
    rows = data.draw(st.sampled_from([None, ROWS["rows"], {"lines": "list"}]))
    ids = [*dict.fromkeys(ids)][:100]
    question = asked(options=ids, many=many, rows=rows, **{extra: f"{extra}!" for extra in extras})
    offers = [*ids, *(["other"] if "other" in extras else [])]

    def chosen() -> dict[str, Any]:
        picked = data.draw(st.sets(st.sampled_from(offers), min_size=0 if "none" in extras else 1))
        value: Any = [id_ for id_ in offers if id_ in picked]
        if not many:
            value = value[0] if value else "none"
        text = st.text(min_size=1, max_size=80).map(lambda words: " ".join(words.split())).filter(bool)
        words = data.draw(text.filter(lambda words: words.isascii())) if "other" in value else ""
        return {"chosen": value, "words": words} if "other" in extras else {"chosen": value}

    value: Any
    if rows is None:
        value = chosen() if "other" in extras else chosen()["chosen"]
    else:
        names = ["first", "both"] if rows == ROWS["rows"] else ["Apples", "Pears"]
        value = [{"row": name, **chosen()} for name in names]
    form = CHOICE.write(question, value)

    assert CHOICE.remarks(question, form) == []
    assert CHOICE.read(question, form) == value


@pytest.mark.parametrize(
    ("options", "form", "noticed"),
    [
        ({}, {"a.own": "hail"}, [("a.own", "“hail” is not one of the options.")]),
        ({}, {"a.own": "none"}, [("a.own", "“none” is not one of the options.")]),
        ({}, {"a.own": "rain\nfog"}, [("a.own", "Please choose only one option.")]),
        ({"many": True, "least": 2}, {"a.own": "rain"}, [("a.own", "Please choose at least 2 options.")]),
        (
            {"many": True, "most": 1},
            {"a.own": "rain\nfog"},
            [("a.own", "Please choose at most 1 option: there are 2 now.")],
        ),
        ({"many": True, "least": 2, "none": "None"}, {"a.own": "none"}, []),
        (
            {"many": True, "none": "None"},
            {"a.own": "rain\nnone"},
            [("a.own", "“None” cannot be chosen together with another option.")],
        ),
        (
            {"other": "Other"},
            {"a.own": "other", "a.own.words": " \n"},
            [("a.own.words", "Please say more about “Other”.")],
        ),
        (
            {"other": "Other"},
            {"a.own": "other", "a.own.words": "x" * 501},
            [("a.own.words", "This is 501 characters long; 500 are allowed.")],
        ),
        (ROWS, {"a.own.first": "no_"}, [("a.own.both", "Please choose an answer for “Both”.")]),
        (ROWS, {"a.own.both": "no_"}, [("a.own.first", "Please choose an answer for “It rained.”.")]),
        (
            {"rows": {"lines": "list"}},
            {"a.own.1": "hail", "a.own.3": "rain"},
            [
                ("a.own.1", "“hail” is not one of the options."),
                ("a.own.2", "Please choose an answer for “Pears”."),
            ],
        ),
    ],
)
def test_a_form_that_cannot_stand_is_refused_where_the_page_says_so(
    options: dict[str, Any], form: dict[str, str], noticed: list[tuple[str, str]]
):
    assert remarks(form, **options) == noticed
    page = drawn(asked(**options), form, findings={field: [why] for field, why in noticed})
    for field, _ in noticed:
        place = re.search(rf'data-told="{re.escape(field)}"><p lang="en">', page)
        assert place, field
        assert 'aria-invalid="true"' in page


def test_words_for_another_option_keep_their_letters_and_lose_their_line_breaks():
    form = {"a.own": "other", "a.own.words": "cafe\u0301\u2028مطر 🌧"}

    assert CHOICE.read(asked(other="Other"), form) == {"chosen": "other", "words": "café مطر 🌧"}


def test_an_item_without_any_row_has_nothing_to_answer():
    question = Prompt("own", asked(rows={"lines": "list"}).options, {"list": " \n"})

    assert not CHOICE.is_empty(question, {})
    assert CHOICE.remarks(question, {}) == []
    assert CHOICE.read(question, {}) == []
    assert "There is nothing to choose for this text." in drawn(question)


def test_at_most_fifty_lines_are_rows():
    question = Prompt("own", asked(rows={"lines": "list"}).options, {"list": "\n".join(map(str, range(99)))})

    assert len(CHOICE.inputs(question, {})["rows"]) == 50


# ---- The page


def test_the_page_has_an_input_for_each_option_with_its_key_and_the_chosen_one_marked():
    page = drawn(asked(options=[{"id": "a", "label": "<b>", "key": "x", "help": "Bold"}, "b"]), {"a.own": "b"})

    assert page.count('type="radio" name="a.own"') == 2
    assert 'value="a" data-key="x">' in page
    assert 'value="b" checked data-key="2">' in page
    assert '&lt;b&gt;<small class="choices__help" dir="auto">Bold</small>' in page
    assert '<kbd aria-hidden="true">x</kbd>' in page


def test_the_page_says_how_many_may_be_chosen():
    assert "You may choose several." in drawn(asked(many=True))
    assert "Choose 2 to 3." in drawn(asked(many=True, least=2, most=3))
    assert "Choose 2." in drawn(asked(many=True, least=2, most=2))
    assert "Choose at least 2." in drawn(asked(many=True, least=2))
    assert "Choose at most 3." in drawn(asked(many=True, most=3))
    assert "hint" not in drawn(asked())


def test_the_focus_comes_to_the_option_that_is_chosen_or_else_to_the_first():
    assert re.findall(r'value="(\w+)"[^>]* data-first', drawn(asked(), is_first=True)) == ["rain"]
    assert re.findall(r'value="(\w+)"[^>]* data-first', drawn(asked(), {"a.own": "fog"}, is_first=True)) == ["fog"]
    assert drawn(asked(**ROWS), is_first=True).count("data-first") == 1


def test_a_grid_shows_the_texts_of_the_item_by_the_names_of_their_columns():
    assert '<legend class="choices__text" dir="auto" data-text="first">It rained.</legend>' in drawn(asked(**ROWS))


def test_the_text_whose_lines_are_rows_can_be_read_from_the_page_as_a_whole():
    page = drawn(asked(rows={"lines": "list"}))

    assert '<template data-text="list">Apples Pears Apples </template>' in page
    assert page.count("data-text") == 1


def test_every_label_of_a_field_names_a_field():
    page = drawn(asked(other="Other", rows={"lines": "list"}), suffix="_7")
    ids = re.findall(r' id="([^"]+)"', page)

    assert len({*ids}) == len(ids)
    assert {*re.findall(r' for="([^"]+)"', page)} == {"a.own.1.words_7", "a.own.2.words_7"} <= {*ids}
    assert all({*names.split()} <= {*ids} for names in re.findall(r'aria-describedby="([^"]+)"', page))


# ---- Comparing


def test_sets_are_close_by_their_f1_and_two_empty_ones_are_the_same():
    options = asked(many=True, none="None").options

    assert CHOICE.closeness(options, ["rain", "fog"], ["rain"]) == pytest.approx(2 / 3)
    assert CHOICE.closeness(options, [], []) == 1
    assert CHOICE.closeness(options, [], ["rain"]) == 0


def test_a_row_that_only_one_answer_has_counts_nothing():
    options = asked(rows={"lines": "list"}).options
    left = [{"row": "Apples", "chosen": "rain"}, {"row": "Pears", "chosen": "fog"}]

    assert CHOICE.closeness(options, left, left[:1]) == 0.5
    assert CHOICE.closeness(options, [], []) == 1
    assert CHOICE.closeness(options, left, [{"row": "Plums", "chosen": "rain"}]) == 0


def test_a_grid_has_a_label_and_a_piece_for_each_row():
    question = asked(**ROWS)
    value = [{"row": "first", "chosen": "no_"}, {"row": "both", "chosen": "yes_"}]
    other = [{"row": "first", "chosen": "no_"}, {"row": "both", "chosen": "no_"}]

    assert CHOICE.labels("own", question.options, value) == {"own": {"first": "no_", "both": "yes_"}}
    assert CHOICE.pieces(question, value, [value, other]) == [
        AnswerPiece("It rained.", "no_", 1.0),
        AnswerPiece("Both", "yes_", 0.5),
    ]


def test_other_parts_may_depend_on_what_was_chosen_unless_there_are_rows():
    assert CHOICE.values(asked(none="None", other="Other").options) == [*WEATHER, "none", "other"]
    assert CHOICE.values(asked(**ROWS).options) == ()
    assert CHOICE.chosen_values("fog") == ("fog",)
    assert CHOICE.chosen_values([]) == ("none",)
    assert CHOICE.chosen_values({"chosen": ["fog", "other"], "words": "x"}) == ("fog", "other")
    assert CHOICE.chosen_values([{"row": "first", "chosen": "fog"}]) == ()


def test_somebody_who_is_practising_reads_the_labels_of_the_known_answer():
    question = asked(
        options=[{"id": "p", "label": "Positive"}, {"id": "n", "label": "Negative"}], many=True, none="None"
    )
    assert CHOICE.feedback(question, ["n"], ["p"]) == "We would have chosen “Positive”."
    assert CHOICE.feedback(question, ["n"], ["p", "n"]) == "We would have chosen “Positive” and “Negative”."
    assert CHOICE.feedback(question, ["n"], []) == "We would have chosen “None”."

    known = [{"row": "first", "chosen": "no_"}, {"row": "both", "chosen": "yes_"}]
    different = [{"row": "first", "chosen": "no_"}, {"row": "both", "chosen": "no_"}]
    assert CHOICE.feedback(asked(**ROWS), different, known) == "We would have chosen “yes_” for “Both”."


# ---- Files


def test_more_than_half_decide_what_answers_say_together():
    options = asked(options=["rain", {"id": "fog", "label": "Fog"}]).options
    agreed, split = (CHOICE.consensus(options, values) for values in (["fog", "fog", "rain"], ["fog", "rain"]))

    assert agreed == {"value": "fog", "support": 2, "votes": 3}
    assert split == {"value": None, "support": 1, "votes": 2}
    assert CHOICE.consensus_line(options, agreed) == "Fog (2 of 3)"
    assert CHOICE.consensus_line(options, split) == "no majority (1 of 2)"


def test_each_of_several_options_needs_more_than_half():
    options = asked(many=True, none="None of these").options
    agreed = CHOICE.consensus(options, [["rain", "fog"], ["rain"], ["rain"], []])
    nothing = CHOICE.consensus(options, [[], [], ["rain"]])

    assert agreed == {"value": ["rain"], "support": 2, "votes": 4}
    assert nothing == {"value": [], "support": 2, "votes": 3}
    assert CHOICE.consensus_line(options, nothing) == "None of these (2 of 3)"


def test_each_row_has_its_votes_and_words_have_none():
    options = asked(**{**ROWS, "other": "Other"}).options
    both = {"row": "both", "chosen": "other", "words": "Perhaps"}
    values = [[both], [{**both, "words": "It depends"}, {"row": "first", "chosen": "no_", "words": ""}]]

    assert CHOICE.consensus(options, values) == [
        {"row": "first", "value": "no_", "support": 1, "votes": 1},
        {"row": "both", "value": "other", "support": 2, "votes": 2},
    ]
    assert (
        CHOICE.consensus_line(options, CHOICE.consensus(options, values)) == "first: no_ (1 of 1); Both: Other (2 of 2)"
    )


@pytest.mark.parametrize(
    ("options", "value", "cells"),
    [
        ({}, "fog", {"own": "fog"}),
        ({"many": True, "none": "None"}, ["rain", "fog"], {"own": "rain|fog"}),
        ({"many": True, "none": "None"}, [], {"own": "none"}),
        ({"other": "Other"}, {"chosen": "other", "words": "Hail"}, {"own": "other", "own.other": "Hail"}),
        ({"other": "Other"}, None, {"own": None, "own.other": None}),
        (ROWS, [{"row": "both", "chosen": "no_"}], {"own.first": None, "own.second": None, "own.both": "no_"}),
        (
            {"many": True, "rows": {"lines": "list"}},
            [{"row": "Apples", "chosen": ["rain", "fog"]}, {"row": "Pears", "chosen": ["fog"]}],
            {"own": "Apples=rain|fog; Pears=fog"},
        ),
    ],
)
def test_tables_have_a_column_for_the_choice_or_for_each_row(
    options: dict[str, Any], value: Any, cells: dict[str, Any]
):
    assert CHOICE.cells("own", asked(**options).options, value) == cells
