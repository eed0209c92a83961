from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import SourceArticle
from corpus.sources.base import MAX_ARTICLE_BYTES, Problem, read_all
from corpus.sources.text import TEXT
from corpus.sources.texts import clean, paragraphs_of

lines = (
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1)
    .map(clean)
    .filter(bool)
)


def read_one(folder: Path, content: bytes) -> SourceArticle | Problem:
    path = folder / "fog.txt"
    path.write_bytes(content)
    (item,) = read_all(TEXT, path)
    return item


def test_the_first_line_is_the_title_and_blank_lines_part_paragraphs(tmp_path):
    article = read_one(tmp_path, b"\n  Fog over Gull Rock\nIt fell\r\nat noon.\n \t\n\n\nIt  lifted.\n")

    assert article == SourceArticle("fog", "Fog over Gull Rock", ("It fell at noon.", "It lifted."))


def test_the_path_within_the_folder_is_the_id(tmp_path):
    for place in ("1994/fog.txt", "1995/fog.txt", "v1.0/fog.2.txt"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text("Fog")

    ids = [item.source_id for item in read_all(TEXT, tmp_path) if isinstance(item, SourceArticle)]

    assert ids == ["1994/fog", "1995/fog", "v1.0/fog.2"]


@given(title=lines, paragraphs=st.lists(lines, max_size=5))
def test_what_was_written_as_text_is_read_back(tmp_path_factory, title, paragraphs):
    content = "\n\n".join([title, *paragraphs]).encode()

    article = read_one(tmp_path_factory.mktemp("text"), content)

    assert article == SourceArticle("fog", title, tuple(paragraphs))


def test_a_byte_order_mark_is_not_part_of_the_title(tmp_path):
    article = read_one(tmp_path, "\ufeffFog".encode())

    assert isinstance(article, SourceArticle)
    assert article.title == "Fog"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("Fog\nCafé".encode("latin-1"), "this is not UTF-8 (byte 8 is 0xe9)"),
        ("Fog".encode("utf-16"), "this contains NUL bytes, so it is not UTF-8 text (binary, or UTF-16)"),
        (b"Fog\0", "this contains NUL bytes, so it is not UTF-8 text (binary, or UTF-16)"),
        (b" \n\n", "the file is empty"),
        (b"x" * (MAX_ARTICLE_BYTES + 1), "the file is too large (8,388,609 bytes; at most 8,388,608 are read)"),
    ],
)
def test_what_is_not_plain_text_is_one_problem(tmp_path, content, reason):
    assert read_one(tmp_path, content) == Problem(str(tmp_path / "fog.txt"), reason)


def test_a_link_to_a_file_is_followed_and_a_link_to_a_folder_is_not(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/fog.txt").write_text("Fog")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "linked.txt").symlink_to(tmp_path / "elsewhere/fog.txt")
    (corpus / "loop").symlink_to(corpus)

    (article,) = read_all(TEXT, corpus)

    assert isinstance(article, SourceArticle)
    assert article.source_id == "linked"


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("  a \t\n b  c ", "a b c"),
        ("a\0b\x03\x7f\x9fc\ufeff", "abc"),
        ("cafe\u0301", "café"),
        ("lone \ud800 half", "lone \ufffd half"),
        ("a\u00a0b", "a b"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
    ],
)
def test_clean_text_has_no_controls_single_spaces_and_one_form(raw, cleaned):
    assert clean(raw) == cleaned


@given(st.text(st.characters()))
def test_cleaning_twice_changes_nothing_and_the_result_can_be_stored(text):
    cleaned = clean(text)

    assert clean(cleaned) == cleaned
    assert "\0" not in cleaned
    assert cleaned.encode().decode() == cleaned
    assert paragraphs_of(cleaned.splitlines()) == ((cleaned,) if cleaned else ())
