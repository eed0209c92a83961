"""Files of marked texts: what each format holds, read again by small readers, with the texts that break offsets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.parts.base import Prompt
from annotation.parts.span_files import span_formats
from annotation.parts.span_files.bio import outermost, tags_of
from annotation.parts.span_files.brat import lines_of
from annotation.parts.span_files.conll import as_columns
from annotation.parts.span_files.json_lines import as_line
from annotation.parts.span_files.label_studio import as_task
from annotation.parts.span_files.released import CONSENSUS, ReleasedText
from annotation.parts.span_files.spacy_lines import as_prodigy
from annotation.parts.span_marks import MarkedSpan
from annotation.parts.spans_options import SpansOptions
from annotation.releasing.exports.base import MARK_FORMATS, ExportSource
from annotation.releasing.facts import Facts
from annotation.releasing.recipe import make_recipe
from annotation.task_types.own.checking import type_of_description
from annotation.task_types.own.reading import read_description
from corpus.items.rows import ROWS
from tests.annotation.parts.test_spans import asked, marked

FAMILY = "👨‍👩‍👧"
TEXT = f"{FAMILY} Ada Lind\r\nmet  Bo\u200b in نور, cafe\u0301 🌧."


def test_the_api_names_every_format_of_marks():
    assert tuple(own.name for own in span_formats((), lambda row: {})) == MARK_FORMATS


def released(text: str, *spans: MarkedSpan, unit: str = "words") -> ReleasedText:
    agreed = {"own": {"spans": [{**span.to_json(), "support": 2} for span in spans], "votes": 3}}
    row: dict[str, Any] = {"key": "k", "group": "g", "consensus": agreed, "annotations": []}
    return ReleasedText("k", "g", "own", "report", text, unit, spans, CONSENSUS, row)


def of_case(case: tuple[Prompt, list[MarkedSpan]]) -> tuple[ReleasedText, list[MarkedSpan]]:
    task, spans = case
    return released(task.texts["report"], *spans, unit=task.options.unit), spans


def place_of(text: str, words: str, label: str = "person") -> MarkedSpan:
    return MarkedSpan(text.index(words), text.index(words) + len(words), label)


# ---- JSON lines


@given(marked())
def test_the_words_of_a_mark_are_those_at_its_offsets(case: tuple[Prompt, list[MarkedSpan]]):
    own, spans = of_case(case)
    line: Any = as_line(own)
    task: Any = as_task(own, spans)

    assert [span["words"] for span in line["spans"]] == [own.text[span.start : span.end] for span in spans]
    assert [span["support"] for span in line["spans"]] == [2] * len(spans)
    for result, span in zip(task["annotations"][0]["result"], spans, strict=True):
        value = result["value"]
        assert own.text[value["start"] : value["end"]] == value["text"]
        assert (value["start"], value["end"], value["labels"]) == (span.start, span.end, [span.label])


# ---- spaCy


@cache
def blank_english() -> tuple[Any, Any]:
    spacy = pytest.importorskip("spacy")
    return spacy, spacy.blank("en")


@given(marked())
def test_tokens_and_blanks_give_the_text_and_marks_their_tokens(case: tuple[Prompt, list[MarkedSpan]]):
    own, spans = of_case(case)
    line: Any = as_prodigy(own, spans)

    assert "".join(token["text"] + " " * token["ws"] for token in line["tokens"]) == own.text
    assert all(own.text[token["start"] : token["end"]] == token["text"] for token in line["tokens"])
    assert [token["id"] for token in line["tokens"]] == [*range(len(line["tokens"]))]
    for span in line["spans"]:
        assert line["tokens"][span["token_start"]]["start"] == span["start"]
        assert line["tokens"][span["token_end"]]["end"] == span["end"]


@given(marked())
def test_a_file_of_spacy_has_our_marks(case: tuple[Prompt, list[MarkedSpan]]):
    spacy, nlp = blank_english()
    own, spans = of_case(case)
    line: Any = json.loads(json.dumps(as_prodigy(own, spans)))
    words, blanks = ([token[name] for token in line["tokens"]] for name in ("text", "ws"))
    doc = spacy.tokens.Doc(nlp.vocab, words=words, spaces=blanks)
    doc.spans["sc"] = [doc.char_span(own["start"], own["end"], own["label"]) for own in line["spans"]]

    stored = spacy.tokens.DocBin(docs=[doc], store_user_data=True).to_bytes()
    (read,) = spacy.tokens.DocBin().from_bytes(stored).get_docs(nlp.vocab)

    assert read.text == own.text
    assert [MarkedSpan(own.start_char, own.end_char, own.label_) for own in read.spans["sc"]] == spans
    ends = [(own["token_start"], own["token_end"] + 1) for own in line["spans"]]
    assert [(own.start, own.end) for own in read.spans["sc"]] == ends


def test_spacy_reads_the_text_with_the_tokens_that_we_cut():
    line: Any = as_prodigy(released(TEXT), [place_of(TEXT, "Lind\r\nmet")])

    assert [token["text"] for token in line["tokens"]] == [
        FAMILY, "Ada", "Lind", "\r\n", "met", " ", "Bo\u200b", "in", "نور", ",", "cafe\u0301", "🌧", ".",
    ]  # fmt: skip
    assert [(own["token_start"], own["token_end"]) for own in line["spans"]] == [(2, 4)]


# ---- BIO


def read_bio(columns: str) -> tuple[list[str], list[MarkedSpan]]:
    """Read the words and the marks of one document."""
    words, spans = [], list[MarkedSpan]()
    for line in columns.splitlines()[2:]:
        if not line:
            continue
        word, start, end, tag = line.split("\t")
        words.append(word)
        begin, _, label = tag.partition("-")
        if begin == "B":
            spans.append(MarkedSpan(int(start), int(end), label))
        elif begin == "I":
            assert spans[-1].label == label
            spans[-1] = MarkedSpan(spans[-1].start, int(end), label)
    return words, spans


@given(marked())
def test_bio_columns_give_back_the_marks_that_stand_apart(case: tuple[Prompt, list[MarkedSpan]]):
    own, spans = of_case(case)
    kept, left_out = outermost(spans)

    words, read = read_bio(as_columns(own, kept))

    assert read == kept
    assert len(words) == len(own.tokens)
    assert sorted([*kept, *(mark.span for mark in left_out)]) == spans
    for mark in left_out:
        assert max(mark.span.start, mark.kept.start) < min(mark.span.end, mark.kept.end)


def test_of_marks_that_overlap_the_outermost_is_kept_and_the_others_have_a_reason():
    ship, harbour, both = MarkedSpan(0, 20, "place"), MarkedSpan(4, 11, "person"), MarkedSpan(12, 30, "place")
    same = MarkedSpan(0, 20, "thing")

    kept, left_out = outermost([harbour, ship, both, same])

    assert kept == [ship]
    assert {(mark.span, mark.why) for mark in left_out} == {
        (harbour, "nested"), (both, "crossing"), (same, "same place"),
    }  # fmt: skip


def test_marks_beside_each_other_with_one_label_begin_anew():
    own = released("Ada Bo", MarkedSpan(0, 3, "person"), MarkedSpan(4, 6, "person"))

    assert tags_of(own.tokens, own.spans or ()) == ["B-person", "B-person"]


# ---- brat


def read_brat(lines: str, text: str) -> list[MarkedSpan]:
    spans = []
    for line in lines.splitlines():  # as brat does: no character in a mark may end a line
        _, described, words = line.split("\t", 2)
        label, _, places = described.partition(" ")
        pieces = [(int(start), int(end)) for start, end in (place.split() for place in places.split(";"))]
        assert words == " ".join(text[start:end] for start, end in pieces)
        spans.append(MarkedSpan(pieces[0][0], pieces[-1][1], label))
    return spans


@given(marked())
def test_brat_lines_give_back_the_marks(case: tuple[Prompt, list[MarkedSpan]]):
    own, spans = of_case(case)

    assert read_brat("".join(lines_of(own.text, spans)), own.text) == spans


def test_a_mark_over_several_lines_has_pieces_in_brat():
    text = "Ada\r\n \nLind came."

    assert [*lines_of(text, [MarkedSpan(0, 11, "person")])] == ["T1\tperson 0 3;7 11\tAda Lind\n"]


def test_offsets_behind_emoji_count_code_points_in_every_format():
    span = place_of(TEXT, "Bo\u200b")
    own = released(TEXT, span)
    task: Any = as_task(own, [span])

    assert (span.start, span.end) == (21, 24)
    assert next(lines_of(TEXT, [span])).startswith("T1\tperson 21 24\t")
    assert "Bo\u200b\t21\t24\tB-person" in as_columns(own, [span])
    assert task["annotations"][0]["result"][0]["value"]["start"] == 21


@given(st.text(alphabet="ab \n\r\t\u0301\u200d\u2028🌧ن", max_size=30))
def test_any_text_without_marks_is_written(text: str):
    own = released(text)
    line: Any = as_prodigy(own, [])

    assert "".join(token["text"] + " " * token["ws"] for token in line["tokens"]) == text
    assert read_bio(as_columns(own, []))[1] == []


# ---- Whole files

REPORTS = """\
name: Reports
items: rows
parts:
  - {name: names, kind: spans, ask: Mark names., text: report, labels: [person, place], overlap: any}
  - {name: signs, kind: spans, ask: Mark signs., text: title, labels: [sign], unit: characters}
instructions: {summary: Read., details: Mark., examples: + Ada}
"""


def source_of(*rows: Mapping[str, Any], described: str = REPORTS) -> tuple[ExportSource, Any]:
    type_: Any = type_of_description(read_description(described))
    recipe = make_recipe(type_, ["Reports"], task_settings=type_.settings.model_dump(mode="json")).to_json()
    statistics: dict[str, Any] = {
        "collected": {"instances": len(rows), "annotators": 1, "annotations": 1},
        "released": {"instances": len(rows), "annotators": 1, "annotations": 1, "rejected": 0, "skipped": 0},
        "discarded": {}, "licences": {}, "reviewed": {"accept": 0, "correct": 0, "skipped": 0},
        "agreement": [], "campaigns": [],
    }  # fmt: skip
    facts = Facts("Reports", 1, "0" * 64, recipe, statistics, len(rows), date(2026, 3, 4), type_.release)
    return ExportSource(facts, lambda: iter([{**row} for row in rows])), type_


def row_of(text: str, names: Sequence[MarkedSpan] | None, final: Any = None, title: str = "A !") -> dict[str, Any]:
    item = ROWS.from_row({"title": title, "report": text}).to_json()
    marks = [span.to_json() for span in names or ()]
    agreed = {"spans": [{**mark, "support": 1} for mark in marks], "votes": 1}
    consensus = {"names": None if names is None else agreed, "signs": {"spans": [], "votes": 1}}
    answer = {"names": None if names is None else marks, "signs": []}
    annotation = {"annotator": "w", "answer": answer, "final": answer, "outcome": "answered", "simulated": False,
                  "reason": "", "verdict": ""}  # fmt: skip
    return {**item, "consensus": consensus, "final": final, "annotations": [annotation]}


def written(name: str, out: Path, *rows: Mapping[str, Any]) -> Path:
    source, type_ = source_of(*rows)
    type_.release.formats[name].write(source, out)
    return out


ARDEN = "Ada of Arden Hill"
ROWS_OF_ARDEN = [
    row_of(ARDEN, [MarkedSpan(0, 3, "person"), MarkedSpan(7, 12, "person"), MarkedSpan(7, 17, "place")]),
    row_of("Nobody.", None),
]


def test_every_text_of_a_task_with_two_parts_has_a_line_of_its_own(tmp_path: Path):
    lines = [json.loads(line) for line in written("marks", tmp_path / "marks", *ROWS_OF_ARDEN).open()]

    key = ROWS_OF_ARDEN[0]["key"]
    assert [line["id"] for line in lines][:2] == [f"{key}.names", f"{key}.signs"]
    assert [line["column"] for line in lines] == ["report", "title"] * 2
    assert lines[0]["annotations"][0]["spans"][2]["words"] == "Arden Hill"
    assert (lines[2]["spans"], lines[2]["annotations"][0]["spans"]) == (None, None)


def test_the_answer_of_reviewers_is_written_in_place_of_what_people_marked(tmp_path: Path):
    final = {"names": [{"start": 0, "end": 3, "label": "place"}], "signs": None}
    lines = [json.loads(line) for line in written("marks", tmp_path / "marks", row_of(ARDEN, [], final)).open()]

    assert (lines[0]["from"], lines[0]["spans"]) == (
        "reviewers", [{"start": 0, "end": 3, "label": "place", "words": "Ada"}],
    )  # fmt: skip
    assert lines[1]["spans"] is None


def test_columns_come_with_what_they_cannot_hold(tmp_path: Path):
    folder = written("conll", tmp_path / "conll", *ROWS_OF_ARDEN)
    left_out = [json.loads(line) for line in (folder / "left_out.jsonl").open()]

    assert "Arden\t7\t12\tB-place\nHill\t13\t17\tI-place\n" in (folder / "marks.conll").read_text()
    assert "Nobody" not in (folder / "marks.conll").read_text()
    assert [(mark["why"], mark.get("words")) for mark in left_out] == [("nested", "Arden"), ("not answered", None)]


def test_a_folder_of_brat_has_a_text_with_its_line_breaks_and_all_labels(tmp_path: Path):
    row = row_of("Ada\r\nLind", [MarkedSpan(0, 9, "person")])
    folder = written("brat", tmp_path / "brat", row)

    name = f"{row['key']}.names"
    assert (folder / f"{name}.txt").read_bytes() == b"Ada\r\nLind"
    assert (folder / f"{name}.ann").read_text() == "T1\tperson 0 3;5 9\tAda Lind\n"
    assert "[entities]\n\nperson\nplace\nsign\n" in (folder / "annotation.conf").read_text()


def test_a_file_for_label_studio_is_a_list_of_tasks(tmp_path: Path):
    tasks = json.loads(written("label_studio", tmp_path / "tasks", *ROWS_OF_ARDEN).read_text())

    assert [len(task["annotations"][0]["result"]) for task in tasks] == [3, 0, 0]
    assert tasks[0]["annotations"][0]["result"][2] == {
        "id": "3", "from_name": "label", "to_name": "text", "type": "labels",
        "value": {"start": 7, "end": 17, "text": "Arden Hill", "labels": ["place"]},
    }  # fmt: skip
    assert json.loads(written("label_studio", tmp_path / "none").read_text()) == []


def test_a_folder_of_tokens_has_classes_with_names_in_its_card(tmp_path: Path):
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = written("tokens", tmp_path / "tokens", *ROWS_OF_ARDEN)

    (first, signs, _) = parquet.read_table(folder / "data" / "tokens.parquet").to_pylist()
    names = ["O", "B-person", "I-person", "B-place", "I-place", "B-sign", "I-sign"]
    card = (folder / "README.md").read_text()
    assert first["tokens"] == ["Ada", "of", "Arden", "Hill"]
    assert [names[number] for number in first["ner_tags"]] == ["B-person", "O", "B-place", "I-place"]
    assert (signs["tokens"], signs["ner_tags"]) == (["A", "!"], [0, 0])
    assert "  - name: ner_tags\n    list:\n      class_label:\n        names:\n          '0': O\n" in card
    assert 'load_dataset("PATH OF THIS FOLDER", "tokens", split="train")' in card
    assert "token-classification" in card
    croissant = json.loads((folder / "croissant.json").read_text())
    assert [field["name"] for field in croissant["recordSet"][0]["field"]][-1] == "tokens/ner_tags"
    assert "B-place" in croissant["recordSet"][0]["field"][-1]["description"]


def test_the_same_release_gives_the_same_files(tmp_path: Path):
    for form in span_formats([SpansOptions.model_validate(asked().options.model_dump())], lambda row: {}):
        made = [written(form.name, tmp_path / f"{form.name}-{number}", *ROWS_OF_ARDEN) for number in range(2)]
        files = [
            {
                path.name: path.read_bytes()
                for path in ([place] if place.is_file() else place.rglob("*"))
                if path.is_file()
            }
            for place in made
        ]
        assert [*files[0].values()] == [*files[1].values()] != []


def test_only_tasks_with_marks_have_files_of_marks():
    _, with_marks = source_of()
    _, without = source_of(described=REPORTS.replace("kind: spans", "kind: text").replace(", text: report", "")
                           .replace(", labels: [person, place], overlap: any", "").replace(", text: title", "")
                           .replace(", labels: [sign], unit: characters", ""))  # fmt: skip

    more = [*with_marks.release.formats][len(without.release.formats) :]
    assert more == ["marks", "spacy", "label_studio", "conll", "brat", "tokens"]
    assert [*without.release.formats] == ["jsonl", "huggingface", "standoff"]
