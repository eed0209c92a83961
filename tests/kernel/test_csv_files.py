"""CSV: what a spreadsheet would run does not run, in whichever country it is opened, and our own files come back."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from pathlib import Path

import pytest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from kernel import csv_files
from kernel.csv_files import csv_lines, guarded, json_cell, python_cell, unguarded
from kernel.views.downloads import csv_download

ROOT = Path(__file__).parent.parent.parent
FORMULA = "=+@＝＋－＠-"
NASTY = st.text(alphabet=st.sampled_from("=+-@＝',;|\t\r\n\" ab1\\"), max_size=12)


def cells_as_split_at(text: str, separator: str) -> list[str]:
    """Return the cells of a program that splits at this sign and takes quotes for letters, as the worst of them do."""
    return [cell.strip('"') for line in re.split("[\r\n]", text) for cell in line.split(separator)]


@pytest.mark.parametrize(
    "text", ["=1+1", "x;=1+1", "x,-2+3", "a\n=cmd", "a\t@x", "|=1", "＝1", "\t=1", 'x;"=1+1', "+49 (0)", "'=1"]
)
def test_what_could_be_a_formula_has_an_apostrophe_before_it(text):
    assert re.search(rf"""(^|[,;|\t\r\n])'["']*[{FORMULA}]""", guarded(text))
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("text", ["-5", "+3.25", "a - b", "well-known", "a; b", "x = y", "it's", "'tis", ""])
def test_ordinary_text_and_plain_numbers_stay_as_they_are(text):
    assert guarded(text) == text


@given(texts=st.lists(NASTY, min_size=1, max_size=3))
def test_whatever_sign_separates_no_cell_begins_with_a_formula(texts):
    text = "".join(csv_lines(["a"], [texts], mark=False)).split("\r\n", 1)[1]

    for separator in ",;\t|":
        for cell in cells_as_split_at(text, separator):
            assert not cell.startswith(tuple(FORMULA)) or re.fullmatch(r"[+-]?[0-9.]+", cell)


@given(texts=st.lists(NASTY, min_size=1, max_size=3))
def test_every_text_comes_back(texts):
    lines = csv_lines([f"c{n}" for n in range(len(texts))], [texts], mark=False)
    _, row = csv.reader(io.StringIO("".join(lines), newline=""))

    assert [unguarded(cell) for cell in row] == texts


@given(texts=st.lists(NASTY, max_size=3))
def test_lists_in_cells_are_read_by_their_own_notation_without_knowing_of_the_guard(texts):
    assert json.loads(json_cell(texts)) == texts
    assert ast.literal_eval(python_cell(texts)) == texts
    assert not re.search(rf"""[,;|\t\r\n]["']*[{FORMULA}]""", json_cell(texts) + python_cell({"key": texts}))


def test_every_cell_is_quoted_and_nothing_is_an_empty_cell():
    assert "".join(csv_lines(["a", "b"], [(1, None)], mark=False)) == '"a","b"\r\n"1",""\r\n'


def test_a_download_begins_with_a_byte_order_mark_unless_it_is_unwanted():
    request = RequestFactory()

    marked = csv_download(request.get("/x.csv"), "x.csv", ["größe"], [(1,)])
    plain = csv_download(request.get("/x.csv?bom=no"), "x.csv", ["größe"], [(1,)])

    assert marked.content == b"\xef\xbb\xbf" + plain.content
    assert plain.content.decode() == '"größe"\r\n"1"\r\n'
    assert marked["Content-Disposition"] == 'attachment; filename="x.csv"'


def test_the_product_has_one_writer_of_csv():
    writers = [
        str(path.relative_to(ROOT))
        for app in ("kernel", "corpus", "annotation", "marketplace", "modeling", "tesa_site")
        for path in sorted((ROOT / app).rglob("*.py"))
        if re.search(r"csv\.(writer|DictWriter)\(", path.read_text())
    ]

    assert writers == [str(Path(csv_files.__file__).relative_to(ROOT))]
