from __future__ import annotations

import bz2
import gzip
import json
import lzma
import tracemalloc
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.sources import jsonl
from corpus.sources.base import Problem, read_all
from corpus.sources.jsonl import JSONL
from corpus.sources.texts import clean

texts = st.text(st.characters(codec="utf-8"), max_size=30).map(clean)
some_text = texts.filter(bool)
tags = st.builds(Tag, some_text, st.sampled_from(EntityType), some_text)
articles = st.builds(
    SourceArticle,
    source_id=some_text,
    title=some_text,
    paragraphs=st.lists(some_text, max_size=3).map(tuple),
    abstract=texts,
    headline=texts,
    lead=texts,
    byline=texts,
    desk=texts,
    published=st.none() | st.dates(),
    tags=st.lists(tags, max_size=3, unique=True).map(tuple),
)


def row_of(article: SourceArticle) -> dict[str, Any]:
    return {
        "id": article.source_id,
        "title": article.title,
        "paragraphs": list(article.paragraphs),
        "abstract": article.abstract,
        "headline": article.headline,
        "lead": article.lead,
        "byline": article.byline,
        "desk": article.desk,
        "date": article.published.isoformat() if article.published else None,
        "entities": [{"name": tag.text, "type": tag.type, "origin": tag.origin} for tag in article.tags],
    }


COMPRESS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def make_row(**fields: Any) -> bytes:
    return json.dumps({"id": "1", "title": "Fog", "text": "It fell."} | fields).encode()


def read(folder: Path, *lines: bytes, name: str = "news.jsonl") -> list[SourceArticle | Problem]:
    path = folder / name
    content = b"\n".join(lines) + b"\n"
    path.write_bytes(COMPRESS.get(path.suffix, bytes)(content))
    return list(read_all(JSONL, path))


@pytest.mark.parametrize("name", ["news.jsonl", "news.jsonl.gz", "news.jsonl.bz2", "news.jsonl.xz", "upload.tmp"])
def test_every_field_of_a_row_is_read(tmp_path, name):
    (article,) = read(
        tmp_path,
        b'{"id": 7, "title": "Fog", "text": "It fell\\nat noon.\\n\\nIt lifted.", "abstract": "Fog (S)", '
        b'"headline": "FOG", "lead": "It fell.", "byline": "By Ada Saltmarsh", "desk": "Coast", "date": "1994-05-06", '
        b'"entities": [{"name": "Gull Rock", "type": "location"}, '
        b'{"name": "Ada", "type": "person", "origin": "hand"}], "colour": "grey"}',
        name=name,
    )

    assert article == SourceArticle(
        "7",
        "Fog",
        ("It fell at noon.", "It lifted."),
        abstract="Fog (S)",
        headline="FOG",
        lead="It fell.",
        byline="By Ada Saltmarsh",
        desk="Coast",
        published=date(1994, 5, 6),
        tags=(Tag("Gull Rock", EntityType.LOCATION, "jsonl"), Tag("Ada", EntityType.PERSON, "hand")),
    )
    assert isinstance(article, SourceArticle)
    assert article.where == f"{tmp_path / name}:1"


@given(st.lists(articles, max_size=4), st.sampled_from(["x.jsonl", "x.jsonl.gz", "x.jsonl.bz2", "x.jsonl.xz"]))
def test_what_was_written_as_rows_is_read_back(tmp_path_factory, written, name):
    rows = [json.dumps(row_of(article)).encode() for article in written]

    assert read(tmp_path_factory.mktemp("rows"), *rows, b"", name=name) == written


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"{", "this is not JSON (expecting property name enclosed in double quotes, column 2)"),
        (b"[1]", "row: must be an object, not a list"),
        (b"null", "row: must be an object, not null"),
        (make_row(id=""), "id: must be a whole number or text that is not empty"),
        (make_row(id=True), "id: must be a whole number or text that is not empty"),
        (make_row(id=None), "id: must be a whole number or text that is not empty"),
        (make_row(title=3), "title: must be text, not a number"),
        (make_row(byline=["Ada"]), "byline: must be text, not a list"),
        (make_row(text=None), "text: a row needs either text or paragraphs, but not both"),
        (make_row(paragraphs=["x"]), "text: a row needs either text or paragraphs, but not both"),
        (make_row(text={}), "text: must be text, not an object"),
        (make_row(text=None, paragraphs="x"), "paragraphs: must be a list, not text"),
        (make_row(text=None, paragraphs=["x", 1]), "paragraphs: must contain only texts"),
        (make_row(title="", text=" "), "the row has neither a title nor text"),
        (make_row(date="yesterday"), "date: must be a date like 1999-12-31, not 'yesterday'"),
        (make_row(entities="Ada"), "entities: must be a list, not text"),
        (make_row(entities=["Ada"]), "entities[0]: must be an object, not text"),
        (make_row(entities=[{"type": "person"}]), "entities[0]: needs a name that is not empty"),
        (
            make_row(entities=[{"name": "Ada", "type": "cat"}]),
            "entities[0]: type must be one of person, location, organization, not 'cat'",
        ),
        (b'{"id": "caf\xe9"}', "this is not UTF-8 (byte 12 is 0xe9)"),
        (b'{"id": "\0"}', "this contains NUL bytes, so it is not UTF-8 text (binary, or UTF-16)"),
        (b"[" * 100_000, "this JSON is nested too deeply or contains a number that is too long"),
        (b'{"id": ' + b"9" * 5_000 + b"}", "this JSON is nested too deeply or contains a number that is too long"),
    ],
)
def test_a_bad_row_is_reported_with_its_line_and_the_rest_is_read(tmp_path, row, reason):
    before, problem, after = read(tmp_path, make_row(id="1"), b"", row, make_row(id="2"))

    assert isinstance(before, SourceArticle)
    assert isinstance(after, SourceArticle)
    assert problem == Problem(f"{tmp_path / 'news.jsonl'}:3", reason)


def test_half_a_character_in_json_can_still_be_stored(tmp_path):
    (article,) = read(tmp_path, make_row(title="Fog").replace(b"Fog", b"F\\ud83dog\\u0000"))

    assert isinstance(article, SourceArticle)
    assert article.title == "F\ufffdog"


@pytest.mark.slow
def test_a_line_of_200_megabytes_is_one_problem_and_never_held_in_memory(tmp_path):
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(make_row(id="1") + b"\n")
        file.seek(200_000_000, 1)  # a hole: NUL bytes that take no disk
        file.write(b"\n" + make_row(id="2"))
    tracemalloc.start()

    first, problem, last = read_all(JSONL, path)

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(first, SourceArticle)
    assert problem == Problem(f"{path}:2", "the line is too long (at most 8,388,608 bytes are read)")
    assert isinstance(last, SourceArticle)
    assert last.where == f"{path}:3"
    assert peak < 64 * 2**20


def test_units_cut_a_file_between_lines_and_know_their_line_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "UNIT_BYTES", 100)
    rows = [make_row(id=number, text="x" * (number * 37 % 150)) for number in range(40)]

    items = read(tmp_path, *rows)

    assert len(list(JSONL.units(tmp_path))) > 10
    assert [(item.source_id, item.where) for item in items if isinstance(item, SourceArticle)] == [
        (str(number), f"{tmp_path / 'news.jsonl'}:{number + 1}") for number in range(40)
    ]


@given(st.lists(st.binary(max_size=60), max_size=12), st.integers(1, 80))
def test_each_line_of_any_file_is_in_exactly_one_unit(tmp_path_factory, lines, size):
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    content = b"\n".join(lines)
    path.write_bytes(b" " + content)  # so that it never looks compressed
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "UNIT_BYTES", size)
        units = list(JSONL.units(path))

    pieces = [path.read_bytes()[unit.start : unit.stop] for unit in units]
    assert b"".join(pieces) == b" " + content
    assert all(piece.endswith(b"\n") for piece in pieces[:-1])
    assert [unit.line for unit in units] == [1 + b"".join(pieces[:n]).count(b"\n") for n in range(len(units))]


@pytest.mark.parametrize("cut", [-1, -9, -40])
def test_a_truncated_gzip_gives_what_it_holds_and_one_problem(tmp_path, cut):
    path = tmp_path / "news.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(make_row(id=number) + b"\n" for number in range(500)))[:cut])

    *items, problem = read_all(JSONL, path)

    assert all(isinstance(item, SourceArticle) for item in items)
    assert isinstance(problem, Problem)
    assert "damaged or cut short after line" in problem.reason


def test_a_damaged_gzip_is_one_problem(tmp_path):
    path = tmp_path / "news.jsonl.gz"
    path.write_bytes(b"\x1f\x8bnothing of the kind")

    (problem,) = read_all(JSONL, path)

    assert problem == Problem(str(path), "the compressed file is damaged or cut short after line 0")


def test_a_last_line_without_a_newline_is_read(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(make_row())

    assert len(list(read_all(JSONL, tmp_path))) == 1


def test_a_byte_order_mark_is_passed_over(tmp_path):
    (article,) = read(tmp_path, b"\xef\xbb\xbf" + make_row())

    assert isinstance(article, SourceArticle)
