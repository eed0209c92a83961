"""Finished instances from files: what is there is read, what is wrong is reported with its line."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.frozen import FrozenInstance
from corpus.instance_rows import instance_of
from corpus.item_files import MAX_LINE_BYTES, read_items
from corpus.sources.base import Problem
from kernel.csv_files import json_cell, write_csv
from kernel.errors import InvalidInput
from tests.corpus.frozen_instances import make_frozen

ROW = {"entities": ["Ida Lind", "Karl Moe"], "entity_type": "person", "context": "Karl Moe met Ida Lind, Moe’s friend."}


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def summaries(path: Path) -> list[str]:
    return [item.entities[0] if isinstance(item, FrozenInstance) else str(item) for item in read_items(path)]


def test_three_fields_are_enough_and_mentions_are_found():
    instance = instance_of(ROW)

    assert instance.entities == ("Karl Moe", "Ida Lind")  # in the order of their first mention
    assert [instance.context[m.start : m.end] for m in instance.mentions] == ["Karl Moe", "Ida Lind"]
    assert (instance.kind, instance.title, instance.backgrounds) == ("content", "", (None, None))


def test_an_exported_instance_comes_back_under_its_own_key():
    instance = make_frozen()

    assert instance_of(instance.to_json()) == instance


def test_without_its_key_and_group_an_export_still_gets_the_same_key():
    instance = make_frozen()
    row = {name: value for name, value in instance.to_json().items() if name not in {"key", "group", "schema"}}

    assert instance_of(row).key == instance.key


def test_a_key_that_belongs_to_other_words_is_refused():
    with pytest.raises(InvalidInput, match="key: is not the hash"):
        instance_of(make_frozen().to_json() | {"title": "Another title"})


def test_a_name_within_a_longer_one_is_mentioned_only_where_it_must_be():
    row = {"entity_type": "organization", "entities": ["Arden", "University of Arden"]}

    apart = instance_of({**row, "context": "The University of Arden is in Arden."})
    nested = instance_of({**row, "context": "The University of Arden is closed."})

    assert [(m.entity, m.start) for m in apart.mentions] == [(0, 4), (1, 30)]
    assert apart.entities == ("University of Arden", "Arden")
    assert [(m.start, m.end) for m in nested.mentions] == [(4, 23), (18, 23)]


def test_names_are_found_as_whole_words_whatever_the_unicode_form_and_the_spaces():
    row = {"entity_type": "person", "entities": ["Jose\u0301  Marti", "Ana"], "context": "Anabel,\nAna and José Marti."}

    instance = instance_of(row)

    assert instance.entities == ("Ana", "José Marti")
    assert instance.context == "Anabel, Ana and José Marti."


def test_backgrounds_may_be_mere_texts_and_follow_their_entities():
    instance = instance_of({**ROW, "backgrounds": ["Ida Lind was a botanist.", None]})

    assert instance.backgrounds[0] is None
    lind = instance.backgrounds[1]
    assert lind is not None
    assert (lind.title, lind.text, lind.status) == ("Ida Lind", "Ida Lind was a botanist.", "by hand")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"entities": ["Ida Lind", "Nobody"]}, "mentions: the context does not mention 'Nobody'"),
        ({"entities": ["Ida Lind"]}, "entities: must be 2 to 6 names"),
        ({"entities": None}, "entities: must be a list"),
        ({"context": ""}, "context: must not be empty"),
        ({"context": "Ida Lind, Karl Moe " * 5_000}, "context: must have at most 50,000 characters"),
        ({"entity_type": ""}, "entity_type: must be one of"),
        ({"backgrounds": ["one"]}, "backgrounds: must be 2, one for each entity, not 1"),
        ({"backgrounds": [1, None]}, "backgrounds[0]: must be an object or null"),
        ({"date": "2006"}, "date: must be a date"),
    ],
)
def test_a_row_that_cannot_be_used_says_why(change, sentence):
    with pytest.raises(InvalidInput) as caught:
        instance_of(ROW | change)

    assert caught.value.message.startswith(sentence)


def test_json_lines_report_each_bad_row_with_its_line_and_go_on(tmp_path):
    good = json.dumps(ROW)
    lines = [
        good,
        "{",
        "",
        '{"entities": 3}',
        "[]",
        '"\ud800"'.encode("utf-8", "surrogatepass").decode("latin-1"),
        good,
    ]
    path = write(tmp_path, "i.jsonl", "\n".join(lines))

    texts = summaries(path)

    assert texts[0] == texts[-1] == "Karl Moe"
    assert [text.split(":")[0] for text in texts[1:-1]] == ["line 2", "line 4", "line 5", "line 6"]
    assert texts[2] == "line 4: entities: must be a list, not a number"


def test_a_line_of_many_megabytes_is_passed_over(tmp_path):
    path = write(tmp_path, "i.jsonl", b'{"a": "' + b"x" * (3 * MAX_LINE_BYTES) + b'"}\n' + json.dumps(ROW).encode())

    assert summaries(path) == ["line 1: is too long (at most 1,048,576 bytes are read)", "Karl Moe"]


CSV = """entities,entity_type,context,title,background_2
Ida Lind|Karl Moe,person,"Karl Moe met
Ida Lind.",T,He was a judge.
Ida Lind,person,Ida Lind sang.,T,
too,few
"["Ida Lind","Karl Moe"]",person,x,T,
"[""Ida Lind"",""Karl Moe""]",person,Ida Lind and Karl Moe.,T,
"""


def test_csv_rows_are_read_with_their_lines(tmp_path):
    assert summaries(write(tmp_path, "i.csv", CSV)) == [
        "Karl Moe",
        "line 4: entities: must be 2 to 6 names, not 1",
        "line 5: has 2 cells, but the first line names 5 columns",
        "line 6: this is not a valid row of a CSV file (',' expected after '\"')",
        "Ida Lind",
    ]
    first = next(read_items(tmp_path / "i.csv"))
    assert isinstance(first, FrozenInstance)
    assert first.backgrounds[0] is not None
    assert first.backgrounds[0].text == "He was a judge."


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters_and_a_byte_order_mark_are_understood(tmp_path, delimiter):
    rows = [["entities", "entity_type", "context"], ["Ida Lind|Karl Moe", "person", "Ida Lind, Karl Moe; both."]]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(rows)

    assert summaries(write(tmp_path, "i.csv", b"\xef\xbb\xbf" + out.getvalue().encode())) == ["Ida Lind"]


@pytest.mark.parametrize("mark", [True, False])
def test_a_table_of_our_own_comes_back_with_its_texts_as_they_were(tmp_path, mark):
    context = "-2 degrees;=cmd, said Ida Lind to Karl Moe."
    row = (json_cell(["Ida Lind", "Karl Moe"]), "person", "=1+1", context)
    write_csv(tmp_path / "i.csv", ["entities", "entity_type", "title", "context"], [row], mark=mark)

    (instance,) = read_items(tmp_path / "i.csv")

    assert isinstance(instance, FrozenInstance)
    assert (instance.entities, instance.title, instance.context) == (("Ida Lind", "Karl Moe"), "=1+1", context)


def test_an_exported_instance_survives_a_csv(tmp_path):
    instance = make_frozen()
    row = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in instance.to_json().items()
        if name not in {"schema", "date"}
    }
    out = io.StringIO()
    writer = csv.DictWriter(out, list(row))
    writer.writeheader()
    writer.writerow(row)

    assert list(read_items(write(tmp_path, "i.csv", out.getvalue()))) == [instance]


@pytest.mark.parametrize("content", [b"", b"\n", b"a,b\n1,2\n", b"\xff\xfe\x00"])
def test_a_csv_without_its_columns_is_refused(tmp_path, content):
    with pytest.raises(InvalidInput, match="the first line must name the columns"):
        list(read_items(write(tmp_path, "i.csv", content)))


def test_other_files_are_refused_and_compressed_ones_read(tmp_path):
    with pytest.raises(InvalidInput, match=r"must end in \.jsonl or \.csv"):
        list(read_items(write(tmp_path, "i.xlsx", b"")))
    with pytest.raises(InvalidInput, match="cannot be read"):
        list(read_items(tmp_path / "nothing.jsonl"))

    zipped = gzip.compress(json.dumps(ROW).encode() + b"\n")
    assert summaries(write(tmp_path, "i.jsonl.gz", zipped)) == ["Karl Moe"]
    assert "damaged" in summaries(write(tmp_path, "cut.jsonl.gz", zipped[:-12]))[-1]


@given(st.binary(max_size=300), st.sampled_from([".csv", ".jsonl"]))
def test_any_bytes_give_rows_or_sentences(tmp_path_factory, content, suffix):
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_bytes(b"entities,entity_type,context\n" + content if suffix == ".csv" else content)

    assert all(isinstance(item, Problem | FrozenInstance) for item in read_items(path))
