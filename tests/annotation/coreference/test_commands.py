"""The commands score_coref and convert_coref over files and folders, good and bad."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import CommandError, call_command

from annotation.task_types.coreference.formats import base
from tests.annotation.coreference.test_scoring_across_formats import CONLL, SGML


class Printed(NamedTuple):
    out: str
    problems: list[str]


def run(*arguments: object) -> Printed:
    out, err = io.StringIO(), io.StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err)
    return Printed(out.getvalue(), err.getvalue().splitlines())


def refusal(*arguments: object) -> str:
    with pytest.raises(CommandError) as error:
        run(*arguments)
    assert error.value.returncode == 1
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.sgm"
    path.write_text(SGML, encoding="utf-8")
    return path


@pytest.fixture
def response(tmp_path: Path) -> Path:
    """What a system made of it: it does not know that the ferry is meant by "it"."""
    path = tmp_path / "system.conll"
    path.write_text(CONLL.replace("It (1)", "It (3)"), encoding="utf-8")
    return path


# ---- Scoring


def test_a_key_in_sgml_scores_a_response_in_conll(key: Path, response: Path):
    printed = run("score_coref", key, response)
    assert printed.problems == []
    assert printed.out.splitlines()[1].split() == ["Mentions", "100.00", "3/3", "100.00", "3/3", "100.00"]
    assert printed.out.splitlines()[2].split() == ["MUC", "0.00", "0/1", "–", "0/0", "0.00"]


def test_undefined_values_are_0_as_in_the_reference_scorer(key: Path, response: Path):
    printed = run("score_coref", key, response, "--as-conll", "--metric", "muc")
    assert printed.out.splitlines()[1].split() == ["MUC", "0.00", "0/1", "0.00", "0/0", "0.00"]


def test_several_responses_and_formats_of_the_output(key: Path, response: Path):
    objects = json.loads(run("score_coref", key, response, key, "--json", "--metric", "muc", "lea").out)
    assert [table["response"] for table in objects] == [str(response), str(key)]
    assert [line["metric"] for line in objects[0]["scores"]] == ["muc", "lea"]
    rows = [*csv.DictReader(io.StringIO(run("score_coref", key, response, "--format", "csv", "--documents").out))]
    assert {row["document"] for row in rows} == {"", "boats-1"}
    assert r"\toprule" in run("score_coref", key, response, "--format", "tex").out


def test_documents_are_listed_with_their_errors(key: Path, response: Path):
    assert run("score_coref", key, response, "--documents", "--metric", "muc").out.splitlines()[-2:] == [
        "Document  Errors  Missing  Spurious  Linked wrongly   MUC",
        "boats-1        1        0         0               1  0.00",
    ]


def test_folders_are_matched_document_by_document(tmp_path: Path):
    gold, system = tmp_path / "gold", tmp_path / "system"
    for folder in (gold, system):
        (folder / "sub").mkdir(parents=True)
    (gold / "first.sgm").write_text(SGML, encoding="utf-8")
    (gold / "sub" / "second.sgm").write_text(SGML.replace("boats-1", "boats-2"), encoding="utf-8")
    (gold / "LICENSE").write_text("Do what you like.", encoding="utf-8")
    (gold / "README.txt").write_text("Our two documents.", encoding="utf-8")
    (gold / ".hidden.sgm").write_text("<DOC>", encoding="utf-8")
    (system / "all.conll").write_text(CONLL, encoding="utf-8")
    (system / "sub" / "second.conll").write_text(CONLL.replace("boats-1", "second"), encoding="utf-8")
    printed = run("score_coref", gold, system, "--metric", "mentions")
    assert printed.out.splitlines()[1].split()[2] == "6/6"
    assert printed.problems == [
        f"{gold}/LICENSE, line 1: Its format is not known, so the file was passed over.",
        f"{gold}/README.txt, line 1: Its format is not known, so the file was passed over.",
    ]


def test_problems_are_printed_with_file_and_line(key: Path, tmp_path: Path):
    broken = tmp_path / "broken.conll"
    broken.write_text(CONLL.replace("Mira (2)", "Mira (2"), encoding="utf-8")
    assert run("score_coref", key, broken).problems == [
        f"{broken}, line 7: Document boats-1: entity 2 is opened and never closed; the mention was left out."
    ]


def test_a_missing_document_is_refused_or_empty(key: Path, response: Path, tmp_path: Path):
    both = tmp_path / "gold"
    both.mkdir()
    (both / "a.sgm").write_text(SGML, encoding="utf-8")
    (both / "b.sgm").write_text(SGML.replace("boats-1", "boats-2"), encoding="utf-8")
    words = refusal("score_coref", both, response)
    assert (
        words == f"{response}: the response lacks documents of the key (boats-2). Give both sides the same documents."
    )
    printed = run("score_coref", both, response, "--missing-is-empty", "--metric", "mentions")
    assert printed.out.splitlines()[1].split()[2] == "3/6"
    assert printed.problems == [f"{response}: there is no document boats-2; it counts as empty."]


def test_a_document_without_a_mention_is_scored(key: Path, tmp_path: Path):
    empty = tmp_path / "empty.conll"
    lines = (line.rsplit(" ", 1) for line in CONLL.splitlines())
    empty.write_text("\n".join(f"{line[0]} -" if line[0].startswith("b ") else " ".join(line) for line in lines))
    assert run("score_coref", key, empty, "--metric", "mentions").out.splitlines()[1].split()[1:5] == [
        "0.00", "0/3", "–", "0/0",
    ]  # fmt: skip


def test_different_words_are_refused_unless_positions_are_compared(response: Path, tmp_path: Path):
    other = tmp_path / "other.conll"
    other.write_text(CONLL.replace("ferry", "canoe"), encoding="utf-8")
    words = refusal("score_coref", other, response)
    assert words.startswith(f"{response}: boats-1: key and response have different texts. The first difference is")
    assert (
        run("score_coref", other, response, "--by-position", "--metric", "mentions").out.splitlines()[1].split()[2]
        == "3/3"
    )


BAD = {
    "binary.sgm": (b"<DOC>\x00\x01", "line 1: The file is binary and not a text"),
    "wide.sgm": (SGML.encode("utf-16"), "line 1: The file looks like UTF-16; save it as UTF-8"),
    "open.sgm": (b"<DOC>\n" + b'<COREF ID="1">a ' * 30 + b"</DOC>", "line 2: 30 of 30 COREF tags have no partner"),
    "empty.sgm": (b"", "the response is empty"),
    "words.conllu": (b"nothing of the kind\n", "The file holds no sentence in CoNLL-U"),
    "cut.jsonl": (b'{"text": "Mira", "chains": [[{"sta', "line 1: No line holds a document"),
    "unknown.bin": (b"PK\x03\x04", "The format of this file is not known"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_ends_with_one_sentence(name: str, key: Path, tmp_path: Path):
    content, words = BAD[name]
    bad = tmp_path / name
    bad.write_bytes(content)
    sentence = refusal("score_coref", key, bad)
    assert sentence.startswith(str(bad))
    assert words in sentence
    assert sentence.endswith(".")


def test_broken_nesting_is_reported_and_scored(key: Path, tmp_path: Path):
    broken = tmp_path / "broken.sgm"
    broken.write_text(SGML.replace(">Mira</COREF>", ">Mira"), encoding="utf-8")
    printed = run("score_coref", key, broken, "--metric", "mentions")
    assert any("is not closed, so its mention was left out" in problem for problem in printed.problems)
    assert all(problem.startswith(f"{broken}, line ") for problem in printed.problems)


def test_declared_entities_are_not_expanded(key: Path, tmp_path: Path):
    bomb = tmp_path / "bomb.sgm"
    declared = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    bomb.write_text(f"<!DOCTYPE DOC [<!ENTITY a0 'ha'>{declared}]>{SGML.replace('leaks', '&a11;')}", encoding="utf-8")
    words = refusal("score_coref", key, bomb)
    assert "different texts" in words
    assert len(words) < 400


def test_a_file_over_50_mb_is_not_even_read(key: Path, tmp_path: Path):
    large = tmp_path / "large.sgm"
    with large.open("wb") as file:
        os.truncate(file.fileno(), base.MAX_BYTES + 1)
    assert refusal("score_coref", key, large) == (
        f"{large}, line 1: The file has 50 MB; split it into files of at most 50 MB."
    )


def test_paths_that_lead_nowhere_are_named(key: Path, tmp_path: Path):
    nowhere = tmp_path / "nowhere.sgm"
    assert (
        refusal("score_coref", nowhere, key)
        == f"{nowhere}: this cannot be read: No such file or directory. Check its name"
    )
    (tmp_path / "nothing").mkdir()
    assert "there is no file of coreference here" in refusal("score_coref", key, tmp_path / "nothing")


# ---- Converting


def test_a_folder_is_converted_and_losses_are_named(key: Path, tmp_path: Path):
    target = tmp_path / "written"
    printed = run("convert_coref", key, target, "--to", "conll")
    assert printed.out == f"{target}: 1 document in 1 CoNLL-2012 file\n"
    assert [path.name for path in target.iterdir()] == ["key.conll"]
    assert printed.problems[0].startswith("MUC SGML to CoNLL-2012 leaves out, where a document has it: ")
    assert any("(MIN): left out in 1 mention" in problem for problem in printed.problems)
    assert run("score_coref", key, target).out.splitlines()[1].split()[1] == "100.00"


def test_a_file_that_is_there_is_replaced_only_if_asked(key: Path, tmp_path: Path):
    target = tmp_path / "written"
    target.mkdir()
    (target / "key.conll").write_text("precious", encoding="utf-8")
    words = refusal("convert_coref", key, target, "--to", "conll")
    assert words == (
        f"{target}/key.conll would be replaced; choose another folder, or add --overwrite. Nothing was written."
    )
    assert (target / "key.conll").read_text(encoding="utf-8") == "precious"
    run("convert_coref", key, target, "--to", "conll", "--overwrite")
    assert (target / "key.conll").read_text(encoding="utf-8").startswith("#begin document (boats-1)")
    assert [path.name for path in target.iterdir()] == ["key.conll"]


def test_json_lines_and_back_is_the_same_file(key: Path, tmp_path: Path):
    run("convert_coref", key, tmp_path / "lines", "--to", "json_lines")
    run("convert_coref", tmp_path / "lines", tmp_path / "again", "--to", "muc_sgml")
    assert (tmp_path / "again" / "key.sgm").read_bytes() == key.read_bytes()


def test_a_target_that_is_no_folder_is_refused(key: Path, tmp_path: Path):
    words = refusal("convert_coref", key, key, "--to", "conll")
    assert words == f"{key}: this is a file; choose a folder to write into."
