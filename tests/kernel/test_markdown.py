"""What somebody typed reads as typed in a Markdown file."""

from __future__ import annotations

import pytest

from kernel.markdown import escaped, escaped_paragraphs


@pytest.mark.parametrize(
    "text", ["CC-BY-4.0", "Café “Zürich”, draft (2).", "https://example.org/a_b?c=d", "1.5", "-5 °C"]
)
def test_ordinary_text_stays_as_it_is(text):
    assert escaped(text) == escaped_paragraphs(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("<script>x</script>", r"\<script\>x\</script\>"),
        ("[click](javascript:x)", r"\[click\](javascript:x)"),
        ("**bold** `code` __it__ ~~no~~", r"\*\*bold\*\* \`code\` \_\_it\_\_ \~\~no\~\~"),
        ("a | b &lt; c $x$", r"a \| b \&lt; c \$x\$"),
        ("C:\\path", r"C:\\path"),
        ("one\n# two\n\n---\nthree", r"one \# two --- three"),
    ],
)
def test_marks_lose_their_meaning_inside_a_line(text, written):
    assert escaped(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("# Not a heading", r"\# Not a heading"),
        ("- no item\n- none", r"\- no item - none"),
        ("1. no item", r"1\. no item"),
        ("---", r"\---"),
        ("    no code\r\n\r\n\r\n===", "no code\n\n" + "==="),
        ("> no quotation\n\n```\nno code", r"\> no quotation" + "\n\n" + r"\`\`\` no code"),
        (" \n\n ", ""),
    ],
)
def test_paragraphs_stay_apart_and_begin_nothing(text, written):
    assert escaped_paragraphs(text) == written
