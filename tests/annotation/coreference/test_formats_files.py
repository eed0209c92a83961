"""Every format is recognized, JSON lines and brat lose nothing they can hold, and bad files are refused kindly."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.task_types.coreference.document import ChainMention, CorefDocument, SourceText, Zone
from annotation.task_types.coreference.formats import FORMATS, base, lost, read, read_files, write
from annotation.task_types.coreference.formats.base import Reading, as_read
from kernel.errors import InvalidInput, UnknownPlugin
from tests.annotation.coreference.invented import documents

EXAMPLES = {
    "muc_sgml": ("a.txt", b"<doc><TXT><coref id=1>Mira</coref></TXT></doc>"),
    "conll": ("a.txt", b"#begin document (a);\na\t0\t0\tMira\t(1)\n\n#end document\n"),
    "corefud": ("a.txt", b"# newdoc id = a\n1\tMira\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1)\n"),
    "json_lines": ("a.txt", b'{"text": "Mira", "chains": [[{"start": 0, "end": 4}]]}\n'),
}
DESCRIBED = CorefDocument(
    "a story",
    "Mira Holt, she said, sails",
    ((ChainMention(0, 9, (5, 9), False, (), "4", "", "e1", (("KIND", "a"), ("x", ""))),
      ChainMention(11, 14, None, True, (), "5", "4")),
     (ChainMention(0, 26, None, False, ((0, 4), (21, 26))),)),
    (Zone("HL", 0, 10), Zone("TXT", 10, 26, ((10, 12),))),
    (((0, 4), (5, 9)), ((11, 14),)),
    "002",
    SourceText("muc_sgml", "a.sgm", "<DOC>", "latin-1"),
)  # fmt: skip


def test_every_format_has_an_example():
    assert {*EXAMPLES, "brat"} == {*FORMATS}


@pytest.mark.parametrize("format_name", EXAMPLES)
def test_a_format_is_recognized_by_its_content(format_name: str):
    name, content = EXAMPLES[format_name]
    if format_name == "muc_sgml":
        name = "a"
    (document,) = read(name.removesuffix(".txt"), content).documents
    assert [[document.text[slice(*mention.span)] for mention in chain] for chain in document.chains] == [["Mira"]]


def test_json_lines_keep_everything():
    (content,) = write([DESCRIBED], "json_lines").files.values()
    (again,) = read("a.jsonl", content).documents
    assert (again, again.source, as_read(again)) == (DESCRIBED, DESCRIBED.source, as_read(DESCRIBED))


@given(documents(may_cross=True))
def test_chains_come_back_from_json_lines(document: CorefDocument):
    (content,) = write([document], "json_lines").files.values()
    assert read("a.jsonl", content).documents == (document,)


@given(documents(may_cross=True))
def test_chains_come_back_from_brat(document: CorefDocument):
    files, warnings = write([document], "brat")
    (again,) = read_files(files).documents
    assert (again.text, {*again.chains}, warnings) == (document.text, {*document.chains}, ())


def test_sgml_comes_back_byte_for_byte_by_way_of_json_lines():
    content = b"<doc>\r\n<TXT>\r\n<coref id=1>Mira</coref>\r\n</TXT>\r\n</doc>"
    (lines,) = write(read("a.sgm", content).documents, "json_lines").files.values()
    assert write(read("a.jsonl", lines).documents, "muc_sgml").files == {"a.sgm": content}


BRAT = {
    "a.txt": "Mira Holt met Öl AG.\r\nShe left.".encode(),
    "a.ann": "T1\tPerson 0 9\tMira Holt\nT2\tPerson 22 25\tShe\r\nE1\tMeet:T3\nT3\tFirm 14 16;17 19\tÖl AG\n"
    "R1\tCoref Arg1:T2 Arg2:T1\t\nR2\tWorksFor Arg1:T1 Arg2:T3\n"
    "#1\tAnnotatorNotes T1\tsure\nA1\tOptional T2\n".encode(),
}


def test_brat_comes_back_byte_for_byte_and_keeps_other_lines_where_chains_change():
    (document,), problems = read_files(BRAT)
    assert problems == ()
    assert [[mention.id for mention in chain] for chain in document.chains] == [["T1", "T2"], ["T3"]]
    assert document.chains[0][1].is_optional
    assert document.chains[1][0].pieces == ((14, 16), (17, 19))
    assert write([document], "brat") == (BRAT, ())
    lines = write([replace(document, chains=document.chains[:1])], "brat").files["a.ann"].decode().split("\n")
    assert "R2\tWorksFor Arg1:T1 Arg2:T3" in lines
    assert "*\tCoreference T1 T2" in lines
    assert not any(line.startswith("T3") for line in lines)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("T2\tPerson 5 99\tx", "mention_outside"),
        ("T1\tPerson 0 4\tMira", "repeated_id"),
        ("T2\tPerson 5 9\tMira", "other_words"),
        ("T2\tPerson", "unreadable_line"),
        ("T2\tPerson 2 6\tra H", "crossing"),
        ("*\tCoreference T1 T7", "dangling_ref"),
        ("*\tCoreference T1 T1", "ref_to_itself"),
        ("#1\tMin T1\t5 9", "min_absent"),
    ],
)
def test_each_problem_of_a_brat_file_is_named_with_its_line(line: str, kind: str):
    files = {"a.txt": b"Mira Holt", "a.ann": f"T1\tPerson 0 4\tMira\n{line}\n".encode()}
    reading = read_files(files)
    assert [(problem.kind, problem.file, problem.line) for problem in reading.problems] == [(kind, "a.ann", 2)]
    assert reading.documents[0].chains[0][0].id == "T1"


def test_brat_needs_both_files():
    with pytest.raises(InvalidInput, match=r"a\.ann, line 1: brat keeps the text in a file of its own; give a\.txt"):
        read("a.ann", b"T1\tPerson 0 4\tMira\n")


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[" * 100_000,
        '{"text": 7}',
        '{"text": "\\ud800"}',
        '{"text": "Mira", "chains": [[7]]}',
        '{"text": "Mira", "zones": [{"start": 0, "end": 99}]}',
        '{"text": "Mira", "sentences": [[[true, 3]]]}',
        '{"text": "Mira", "chains": [[{"start": 0, "end": 4, "attributes": [["a"]]}]]}',
        '{"text": "Mira", "part": ' + "9" * 5000 + "}",
    ],
)
def test_a_line_that_is_no_document_is_reported_and_the_others_are_read(line: str):
    reading = read("a.jsonl", f'{{"text": "Mira"}}\n{line}\n'.encode())
    assert [(problem.kind, problem.line) for problem in reading.problems] == [("unreadable_line", 2)]
    assert [document.text for document in reading.documents] == ["Mira"]
    with pytest.raises(InvalidInput, match=r"^a\.jsonl, line 1: No line holds a document"):
        read("a.jsonl", line.encode(), "json_lines")


def test_mentions_outside_of_the_text_are_reported_and_left_out():
    mentions = [{"start": 0, "end": 9}, {"start": 0, "end": 4, "min": [1, 3]}, {"start": 2, "end": 4, "min": [0, 3]}]
    reading = read("a.jsonl", json.dumps({"text": "Mira", "chains": [mentions]}).encode())
    assert reading.documents[0].chains == ((ChainMention(0, 4, (1, 3)), ChainMention(2, 4)),)
    assert [problem.kind for problem in reading.problems] == ["mention_outside", "min_absent"]


def test_crossing_mentions_of_json_lines_are_kept_and_reported():
    chains = [[{"start": 0, "end": 3}], [{"start": 1, "end": 4}], [{"start": 1, "end": 3}]]
    reading = read("a.jsonl", json.dumps({"text": "Mira", "chains": chains}).encode())
    assert len(reading.documents[0].chains) == 3
    assert [(problem.kind, problem.line) for problem in reading.problems] == [("crossing", 1)]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("<TXT>Mira</TXT>".encode("utf-16"), "a.txt, line 1: The file looks like UTF-16; save it as UTF-8"),
        ("<TXT>Mira</TXT>".encode("utf-16-le"), "a.txt, line 1: The file looks like UTF-16"),
        (b"<TXT>\nMira\n\0\1</TXT>", "a.txt, line 3: The file is binary"),
        (b"<TXT>\n\xff\xfa\x02 Mira sails to Norsund", "a.txt, line 2: The file is binary"),
    ],
)
@pytest.mark.parametrize("format_name", FORMATS)
def test_files_that_are_no_text_are_refused_with_a_sentence(content: bytes, sentence: str, format_name: str):
    files = {"a.ann": b"", "a.txt": content} if format_name == "brat" else {"a.txt": content}
    with pytest.raises(InvalidInput, match=f"^{sentence}"):
        read_files(files, format_name)


def test_a_file_over_fifty_megabytes_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(base, "MAX_BYTES", 10)
    with pytest.raises(InvalidInput, match=r"^a\.sgm, line 1: The file has .* MB; split it"):
        read("a.sgm", b"<TXT>Mira</TXT>")


@pytest.mark.parametrize("content", [b"Mira sails.", b""])
def test_a_file_of_no_known_format_is_refused(content: bytes):
    with pytest.raises(InvalidInput, match=r"^a\.doc, line 1: The format of this file is not known"):
        read("a.doc", content)


def test_unknown_formats_and_mixed_files_are_refused():
    with pytest.raises(UnknownPlugin, match="choose one of muc_sgml"):
        read("a.sgm", b"x", "gate")
    with pytest.raises(InvalidInput, match=r"several formats \(JSON lines, MUC SGML\)"):
        read_files({"a.sgm": b"<DOC></DOC>", "b.jsonl": b"{}"})
    with pytest.raises(InvalidInput, match="no file to read"):
        read_files({})


def test_what_a_conversion_loses_is_listed():
    assert lost("muc_sgml", "json_lines") == []
    assert any("MIN" in feature for feature in lost("muc_sgml", "conll"))
    assert not any("MIN" in feature for feature in lost("muc_sgml", "brat"))


def test_documents_get_files_of_their_own_and_no_name_leaves_the_folder():
    files = write(
        [CorefDocument("../a/b", "x"), CorefDocument("a b", "x"), CorefDocument("A B", "x")], "muc_sgml"
    ).files
    assert sorted(files) == ["A B-2.sgm", "_a_b.sgm", "a b.sgm"]


def read_or_refusal(files: dict[str, bytes], format_name: str) -> Reading | InvalidInput:
    try:
        return read_files(files, format_name)
    except InvalidInput as error:
        return error


@given(st.binary(max_size=60), st.sampled_from([*FORMATS]))
def test_bytes_of_any_kind_are_read_or_refused(content: bytes, format_name: str):
    files = {"a.ann": content, "a.txt": b"Mira"} if format_name == "brat" else {"a": content}
    reading = read_or_refusal(files, format_name)
    if isinstance(reading, InvalidInput):
        assert str(reading).startswith(("a, line", "a.ann, line"))
    elif format_name not in {"corefud", "json_lines"}:
        assert write(reading.documents, format_name).files == files


PIECES = [
    '<COREF ID="1">', "<COREF ID=2 REF=1>", "</COREF>", "<TXT>", "</TXT>", "<DOC>", "</DOC>", "<DD>", "</DD>", "\n@",
    "Mira", "&amp;", "&x;", "<!--", "-->", "<DOCID>", "</DOCID>", "\r\n", "<COREF", ">", '"', "<COREF>",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_markup_of_any_kind_comes_back_byte_for_byte_or_is_refused(pieces: list[str]):
    content = "".join(pieces).encode()
    reading = read_or_refusal({"a.sgm": content}, "muc_sgml")
    if isinstance(reading, InvalidInput):
        assert "no partner" in str(reading)
        return
    assert write(reading.documents, "muc_sgml").files == {"a.sgm": content}
    for document in reading.documents:
        fresh = write([replace(document, source=None)], "muc_sgml").files
        (again,) = read_files(fresh, "muc_sgml").documents
        assert (again.text, again.chains) == (document.text, document.chains)
