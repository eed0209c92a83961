"""Descriptions as people write them: what is wrong with one, and on which line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from annotation.task_types.own import library
from annotation.task_types.own.checking import checked_description
from annotation.task_types.own.reading import (
    MOST_PROBLEMS,
    BadLine,
    InvalidDescription,
    json_schema,
    read_description,
    read_with_lines,
)
from annotation.task_types.settings import LONGEST_DESCRIPTION

WORDS = """name: Weather
instructions: {summary: Read., details: Think., examples: Rain.}
"""
PART = "  - {name: sky, kind: choice, ask: How is the sky?, options: [clear, grey]}\n"
TASK = f"{WORDS}parts:\n{PART}"


def problems(text: str) -> list[str]:
    """Return the sentences about what is wrong."""
    with pytest.raises(InvalidDescription) as refused:
        read_description(text)
    return [problem.sentence for problem in refused.value.problems]


def with_part(part: str) -> str:
    """Return a description whose second part, on line 5, is this."""
    return f"{TASK}  - {part}\n"


def test_a_short_description_is_read():
    task: Any = read_description(TASK)

    assert (task.name, task.items) == ("Weather", "text")
    assert [option.id for option in task.parts[0].options] == ["clear", "grey"]


# ---- YAML


def test_a_description_of_a_megabyte_is_refused_at_once():
    assert problems("a: [" + "b, " * 350_000) == [
        f"a description has at most {LONGEST_DESCRIPTION:,} characters, not 1,050,004."
    ]


@pytest.mark.parametrize("text", ["", "   \n", "# nothing\n", "Weather", "- name: Weather", "42", "~"])
def test_a_text_that_is_no_description_is_told_how_to_begin(text: str):
    assert problems(text) == ["Line 1: begin with “name:” and the name of the task."]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1\nb: *a\n", "Line 2: aliases and anchors (“*” and “&”) are not used here"),
        ("a: 1\nb: &a 2\n", "Line 2: aliases and anchors (“*” and “&”) are not used here"),
        ("a: &x [1]\nb: {<<: *x}\n", "Line 1: aliases and anchors (“*” and “&”) are not used here"),
        ("a: 1\n\nb: !!python/object:os.system x\n", "Line 3: tags (“!”) are not used here"),
        ("a: !important x\n", "Line 1: tags (“!”) are not used here"),
        ("name: a\n---\nname: b\n", "Line 2: a second document begins here"),
        ("a:\n  " + "[" * 20 + "]" * 20, "Line 2: values are nested more than 12 levels deep"),
        ("[" * 100_000, "Line 1: values are nested more than 12 levels deep"),
        ("? [a, b]\n: c\n", "Line 1: a name must be a word"),
        ("a: b\n c: d\n", "Line 2: put words that contain a colon"),
        ("a: 'b\n", "this is not YAML"),
        ("a: b\n\tc: d\n", "Line 2: this is not YAML"),
        ("a: b\nc: d\x00e\n", "Line 2: this line has a character that is not allowed"),
        ("a: \ud800\n", "Line 1: this line has a character that is not allowed"),
    ],
)
def test_what_makes_yaml_surprising_is_refused_with_its_line(text: str, sentence: str):
    (only,) = problems(text)

    assert sentence in only


def test_a_name_that_is_there_twice_is_refused_where_it_stands_again():
    assert problems(f"{TASK}name: Sky\n") == ["Line 5: “name” is here twice: keep one of them."]
    assert problems(with_part("{name: why, kind: text,\n     ask: Why?, ask: Why not?}")) == [
        "Line 6: parts 2: “ask” is here twice: keep one of them."
    ]


def test_yes_and_no_are_words_and_so_are_dates():
    text = TASK.replace("[clear, grey]", "[yes, no, off, Y, 2024-05-01, 7]")
    task: Any = read_description(text)

    assert [option.id for option in task.parts[0].options] == ["yes", "no", "off", "Y", "2024-05-01", "7"]


def test_numbers_are_read_as_people_write_them():
    _, lines = read_with_lines(TASK)
    task: Any = read_description(
        f"{TASK}practice:\n  - {{item: {{text: x, a: 1.50, b: 1e5, c: 010}}, answers: {{sky: a}}}}\n"
    )

    assert lines["parts", 0, "options", 1] == 4
    assert dict(task.practice[0].item) == {"text": "x", "a": 1.5, "b": "1e5", "c": 10}


# ---- What a description may say


def test_an_unknown_setting_is_named_with_what_was_probably_meant():
    assert problems(f"{TASK}skipp: I cannot say\n") == [
        "Line 5: skipp: there is no such setting; perhaps “skip” is meant."
    ]
    assert problems(f"{TASK}xyzzy: 1\n") == ["Line 5: xyzzy: there is no such setting here."]
    assert problems(with_part("{name: why, kind: text, ask: Why?,\n     longst: 5}")) == [
        "Line 6: parts 2, longst: there is no such setting; perhaps “longest” is meant."
    ]


def test_an_unknown_setting_may_be_called_as_a_type_is():
    assert problems(f"{TASK}str: 1\nlist[str]: 2\n") == [
        "Line 5: str: there is no such setting here.",
        "Line 6: list[str]: there is no such setting here.",
    ]


def test_what_is_missing_is_named():
    assert problems("name: Weather\n") == [
        "Line 1: parts: this is missing.",
        "Line 1: instructions: this is missing.",
    ]
    assert problems(f"{WORDS}parts: []\n") == ["Line 3: parts: there are 0, and 1 are needed."]
    assert problems(with_part("{kind: text, ask: Why?}")) == ["Line 5: parts 2, name: this is missing."]
    assert problems(with_part("{name: why, ask: Why?}"))[0].startswith(
        "Line 5: parts 2: say what kind of question it is (kind: text or choice"
    )


def test_an_unknown_kind_is_answered_with_those_that_there_are():
    (only,) = problems(with_part("{name: why, kind: essay, ask: Why?}"))

    assert only.startswith("Line 5: parts 2: “essay” is not possible here; possible are text, choice")


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ("{name: sky, kind: text, ask: Why?}", "parts: two parts are called “sky”: give each a name of its own."),
        (
            "{name: skip, kind: text, ask: Why?}",
            "parts: files have a column “skip” of their own: choose another name for the part.",
        ),
        (
            "{name: why, kind: text, ask: Why?, show_when: {later: x}}",
            "parts: show_when of “why”: “later” is not a part.",
        ),
        (
            "{name: why, kind: text, ask: Why?, show_when: {why: x}}",
            "parts: show_when of “why”: “why” is this part itself: name an earlier part.",
        ),
        (
            "{name: why, kind: text, ask: Why?, show_when: {sky: [grey, blue]}}",
            "parts: show_when of “why”: “blue” is no option of “sky”; its options are clear, grey.",
        ),
    ],
)
def test_parts_have_names_of_their_own_and_depend_on_what_there_is(part: str, sentence: str):
    assert problems(with_part(part)) == [f"Line 3: {sentence}"]


def test_a_part_cannot_depend_on_a_later_part_or_on_words():
    later = f"{WORDS}parts:\n  - {{name: why, kind: text, ask: Why?, show_when: {{sky: grey}}}}\n{PART}"
    assert problems(later) == ["Line 3: parts: show_when of “why”: “sky” comes later: name an earlier part."]

    after_words = "- {name: a, kind: text, ask: A?}\n  - {name: b, kind: text, ask: B?, show_when: {a: x}}"
    assert problems(f"{WORDS}parts:\n  {after_words}\n") == [
        "Line 3: parts: show_when of “b”: nothing can depend on “a”, only on a choice without rows."
    ]


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        (
            f"{{name: a, kind: choice, ask: A?, options: [{', '.join(f'o{number}' for number in range(500))}]}}",
            "parts 2, options: these are 500 options, and people cannot choose between more than 100.",
        ),
        (
            "{name: a, kind: choice, ask: A?, options: [clear]}",
            "parts 2, options: a choice needs at least two options.",
        ),
        (
            "{name: a, kind: rating, ask: A?, scale: {first: 3, last: 3}}",
            "parts 2, scale: a scale from 3 to 3 has fewer than two points.",
        ),
        (
            "{name: a, kind: rating, ask: A?, scale: {first: 0, last: 100}}",
            "parts 2, scale: a scale has at most 100 points; this one has 101.",
        ),
        (
            "{name: a b, kind: text, ask: A?}",
            "parts 2, name: begin with a letter, and use letters, digits and “_” only, at most 30 of them.",
        ),
        ("{name: a, kind: text, ask: ''}", "parts 2, ask: write something here."),
        (
            "{name: a, kind: text, ask: 7}",
            "parts 2, ask: write words here; put numbers, and words such as true or null, in quotes.",
        ),
        ("{name: a, kind: text, ask: A?, lines: many}", "parts 2, lines: write a whole number."),
        ("{name: a, kind: text, ask: A?, lines: 0}", "parts 2, lines: write a number of at least 1."),
        ("{name: a, kind: text, ask: A?, longest: 99999}", "parts 2, longest: write a number of at most 20,000."),
        ("{name: a, kind: text, ask: A?, optional: maybe}", "parts 2, optional: write true or false."),
        (
            "{name: a, kind: text, ask: A?, must_contain: rain}",
            "parts 2, must_contain: write a list: lines that begin with “- ”.",
        ),
        (
            "{name: a, kind: text, ask: A?, show_when: sky}",
            "parts 2, show_when: write names with values, such as “name: value”.",
        ),
        (
            "{name: a, kind: text, ask: A?, show_when: {sky: clear, name: grey}}",
            "parts 2, show_when: there are 2, and at most 1 are allowed.",
        ),
        ("why", "parts 2: write names with values, such as “name: value”."),
    ],
)
def test_impossible_settings_are_refused_in_plain_words(part: str, sentence: str):
    assert problems(with_part(part)) == [f"Line 5: {sentence}"]


def test_an_option_whose_id_has_blanks_is_named():
    (only,) = problems(
        with_part("name: a\n    kind: choice\n    ask: A?\n    options:\n      - clear\n      - very grey")
    )

    assert only.startswith("Line 10: parts 2, options 2: “very grey” cannot be an id")
    assert "give this option an id and a label" in only


def test_true_and_false_are_no_options_unless_they_are_in_quotes():
    (first, second) = problems(with_part("{name: a, kind: choice, ask: A?, options: [true, false]}"))

    assert first.startswith("Line 5: parts 2, options 1: an option is a word")
    assert second.startswith("Line 5: parts 2, options 2: ")
    assert read_description(with_part('{name: a, kind: choice, ask: A?, options: ["true", "false"]}'))


def test_everything_that_is_wrong_is_named_in_the_order_of_its_lines():
    text = f"""{TASK}xyzzy: 1
practice:
  - item: {{}}
    answers: {{sky: clear}}
quiz:
  - question: Q?
    choices: [a, b]
    right: c
items: pictures
"""

    assert problems(text) == [
        "Line 5: xyzzy: there is no such setting here.",
        "Line 7: practice 1, item: there are 0, and 1 are needed.",
        "Line 10: quiz 1: “right” must be one of the choices, and “c” is not.",
        "Line 13: items: “pictures” is not possible here; possible are text or rows.",
    ]


def test_no_more_problems_are_named_than_somebody_can_read():
    sentences = problems(TASK + "".join(f"extra{number}: 1\n" for number in range(5000)))

    assert [sentence.partition(":")[0] for sentence in sentences] == [f"Line {5 + n}" for n in range(MOST_PROBLEMS)]


def test_answers_that_do_not_go_together_name_parts_and_their_options():
    assert problems(f"{TASK}checks:\n  - together: {{sky: clear, rain: heavy}}\n    say: Really?\n") == [
        "Line 5: checks: together: “rain” is not a part."
    ]


def test_editors_get_a_schema_of_every_kind_of_part():
    text = json.dumps(json_schema())

    assert all(f'"{kind}"' in text for kind in ("text", "choice", "rating", "ranking", "spans"))
    assert "together" in text


# ---- Practice


@pytest.mark.parametrize(
    ("lesson", "sentence"),
    [
        ("{item: {text: x}, answers: {sun: clear}}", "practice 1, answers: there is no part “sun”."),
        ("{item: {title: x}, answers: {sky: clear}}", "practice 1, item: "),
        ("{item: {text: x}, answers: {sky: blue}}", "practice 1, answers: “blue” is not one of the options."),
        (
            "{item: {text: x}, answers: {sky: null}}",
            "practice 1, answers: this answers no question, and people cannot skip",
        ),
        (
            "{item: {text: x}, answers: {sky: {clear: b}}}",
            "practice 1, answers: this is no answer that people can give",
        ),
        ("{item: {text: x}, answers: {sky: [[clear]]}}", "practice 1, answers: this is no answer that people can give"),
    ],
)
def test_a_practice_question_must_have_an_answer_that_people_can_give(lesson: str, sentence: str):
    with pytest.raises(InvalidDescription) as refused:
        checked_description(f"{TASK}practice:\n  - {lesson}\n")

    (problem,) = refused.value.problems
    assert problem.sentence.startswith(f"Line 6: {sentence}")


def test_a_part_without_a_right_answer_may_be_left_out_of_a_practice_question():
    text = with_part("{name: why, kind: text, ask: Why?}") + "practice:\n  - {item: {text: x}, answers: {sky: clear}}\n"

    assert checked_description(text).practice[0].answers == {"sky": "clear"}


# ---- Any text


def read_or_refuse(text: str) -> None:
    """Read a description, or see that everything wrong with it is on one of its lines."""
    problems_of_text: Sequence[BadLine] = ()
    try:
        checked_description(text)
    except InvalidDescription as refused:
        problems_of_text = refused.problems
    lines = len(text.splitlines()) + 1
    assert all(0 <= problem.line <= lines and problem.sentence.strip() for problem in problems_of_text)


@given(st.text())
def test_no_text_is_too_odd_to_be_refused(text: str):
    read_or_refuse(text)


@given(st.text("abn:-?[]{},&*!|>'\"%@`#~ \n\t01yes", max_size=80))
def test_no_text_of_yaml_characters_is_too_odd_to_be_refused(text: str):
    read_or_refuse(text)


def own_names() -> Iterator[str]:
    """Yield the names of every setting."""
    schema = json_schema()
    for model in (schema, *schema["$defs"].values()):
        yield from model.get("properties", {})


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "a", "sky", "clear", "none", "other", "tie", "text", "first", "<b>", "🌧", "x" * 400])
    | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["id", "text", "label", "a", "b", "first", "last", "words", "lines", "best"]), inner
        )
    ),
    max_leaves=8,
)
NAMES = st.sampled_from([*own_names()])


@st.composite
def changed(draw: st.DrawFn) -> str:
    """Draw a description of the library in which a value is another one, is gone or is new."""
    whole = yaml.safe_load(library.text_of(draw(st.sampled_from(library.NAMES))))
    inner = whole
    while True:
        below = [own for own in (inner.values() if isinstance(inner, dict) else inner) if isinstance(own, dict | list)]
        below = [own for own in below if own]
        if not below or draw(st.integers(0, 3)) == 0:
            break
        inner = draw(st.sampled_from(below))
    place = draw(st.sampled_from([*inner] if isinstance(inner, dict) else range(len(inner))))
    match draw(st.integers(0, 3)):
        case 0:
            del inner[place]
        case 1 if isinstance(inner, dict):
            inner[draw(NAMES)] = draw(VALUES)
        case _:
            inner[place] = draw(VALUES)
    return json.dumps(whole)


@given(changed())
def test_no_change_of_a_description_is_too_odd_to_be_refused(text: str):
    read_or_refuse(text)
