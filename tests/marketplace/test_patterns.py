"""Regular expressions of requesters: they mean what they mean in JavaScript, and none can hang."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marketplace.qualification_tests import patterns
from marketplace.qualification_tests.patterns import BadPattern, Pattern

ATOMS = (
    "a",
    "b",
    ".",
    r"\d",
    r"\w",
    r"\s",
    "[ab]",
    "[^a]",
    r"[a-b\d]",
    "(a|b)",
    "(?:ab|)",
    "^",
    "$",
    r"\b",
    "-",
    r"[\W1]",
)
QUANTIFIERS = ("", "*", "+", "?", "{2}", "{1,2}", "{0,}", "*?")
PIECES = st.tuples(st.sampled_from(ATOMS), st.sampled_from(QUANTIFIERS)).map("".join)


@given(st.lists(PIECES, min_size=1, max_size=4), st.text("ab1-_ \n", max_size=6))
def test_it_agrees_with_python_where_both_have_the_same_syntax(pieces, text):
    expression = "".join(pieces)
    try:
        pattern = Pattern(expression)
    except BadPattern:
        return  # a place that is repeated

    assert pattern.occurs_in(text) == bool(re.search(expression.replace("$", r"\Z"), text, re.ASCII))


@pytest.mark.parametrize(
    ("expression", "fits", "fits_not"),
    [
        (r"\S", " a ", " \n"),
        (r"(^$|\S{2,})", "", "a"),
        (r"^[12][0-9]{3}-[01]?\d-[0-3]?\d$", "2026-11-19", "2026-11-190"),
        (r"^(1[- ]?)?(\([2-9]\d{2}\)\s*|[2-9]\d{2}-?)[2-9]\d{2}-?\d{4}$", "1-555-555-1234", "155-1234"),
        (r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$", "ada@example.org", "ada@example"),
        (r"^\u00e4\x41\/\.[\]]{1}x{,2}$", "äA/.]x{,2}", "aA/.]xx"),
        (r"^(?<year>\d{4})\b", "2026 a", "2026a"),
        (r"^[\d-]+$", "1-2", "1_2"),
    ],
)
def test_expressions_of_the_documentation_and_of_forms_in_the_wild(expression, fits, fits_not):
    assert Pattern(expression).occurs_in(fits)
    assert not Pattern(expression).occurs_in(fits_not)


def test_the_flag_ignores_case():
    assert Pattern("regex", ignore_case=True).occurs_in("two RegExes")
    assert Pattern("[A-C]Ä", ignore_case=True).occurs_in("bä")
    assert not Pattern("regex").occurs_in("RegEx")


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("(a", "at character 1: a parenthesis is not closed"),
        ("a)", "a closing parenthesis has no opening one"),
        ("[a", "a bracket is not closed"),
        ("a**", "nothing stands before a quantifier"),
        ("a\\", "it ends with a backslash"),
        (r"(a)\1", r"a reference to a group, \1, is not supported"),
        ("x(?=a)", "at character 2: looking ahead or behind, (?=…), is not supported"),
        ("(?<!a)b", "looking ahead or behind"),
        (r"\p{L}", "a Unicode property"),
        ("[b-a]", "a range in brackets is in the wrong order"),
        ("a{3,2}", "the numbers in braces are in the wrong order"),
        ("a{99999}", "braces repeat at most 1000 times"),
        ("((a{100}){100}){100}", "it has more than 500 states"),
        ("(" * 60 + ")" * 60, "groups within each other"),
        ("a" * 1001, "more than 1000 characters"),
    ],
)
def test_what_cannot_be_matched_is_refused_with_its_place(expression, problem):
    with pytest.raises(BadPattern, match=re.escape(problem)):
        Pattern(expression)


@pytest.mark.parametrize(
    "expression", ["^(a+)+$", "(a|a)*b", "(a|aa)+$", "([a-z]+)*[0-9]", "(.*)(.*)(.*)x$", "(a?){80}a{80}$"]
)
def test_expressions_that_take_other_engines_for_ever_take_few_steps_here(expression, monkeypatch):
    steps = 0
    advance = Pattern._advance

    def counted(*parameters):
        nonlocal steps
        steps += 1
        return advance(*parameters)

    monkeypatch.setattr(patterns.Pattern, "_advance", counted)
    Pattern(expression).occurs_in("a" * 4000 + "!")

    assert steps <= 4002
