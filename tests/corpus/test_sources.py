"""What every source keeps to, run over the registry."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import SourceArticle
from corpus.sources import SOURCES
from corpus.sources.base import Problem, read_all
from kernel.errors import InvalidInput
from tests.corpus.nitf_documents import make_nitf
from tests.properties import at_most

SAMPLES = {
    "nitf": (".xml", make_nitf()),
    "reuters21578": (".sgm", b'<REUTERS NEWID="1">\n<TEXT><TITLE>FOG</TITLE></TEXT>\n</REUTERS>\n'),
    "jsonl": (".jsonl", json.dumps({"id": "1", "title": "Fog", "text": ""}).encode() + b"\n"),
    "text": (".txt", b"Fog\n\nIt fell.\n"),
}
every_source = pytest.mark.parametrize("name", [*SOURCES])


@pytest.fixture
def corpus(tmp_path: Path, name: str) -> Path:
    """A folder of three good files in two folders."""
    suffix, content = SAMPLES[name]
    for place in ("b/one", "a/two", "three"):
        path = tmp_path / "corpus" / f"{place}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "corpus"


@every_source
def test_a_source_bears_the_name_it_is_registered_under(name):
    assert SOURCES[name].name == name


@every_source
def test_a_folder_and_a_single_file_are_read(name, corpus):
    suffix, _ = SAMPLES[name]

    assert [type(item) for item in read_all(SOURCES[name], corpus)] == [SourceArticle] * 3
    assert [type(item) for item in read_all(SOURCES[name], corpus / f"three{suffix}")] == [SourceArticle]


@every_source
def test_units_are_listed_alike_each_time_and_survive_pickling(name, corpus):
    units = list(SOURCES[name].units(corpus))

    assert units == list(SOURCES[name].units(corpus))
    assert len({unit.key for unit in units}) == len(units)
    copies = pickle.loads(pickle.dumps(units))
    assert [[*SOURCES[name].read(copy)] for copy in copies] == [[*SOURCES[name].read(unit)] for unit in units]


@every_source
def test_keys_do_not_depend_on_where_the_corpus_stands(name, corpus, tmp_path):
    keys = [unit.key for unit in SOURCES[name].units(corpus)]

    moved = corpus.rename(tmp_path / "elsewhere")

    assert [unit.key for unit in SOURCES[name].units(moved)] == keys


@every_source
def test_a_path_that_is_not_there_is_refused(name, tmp_path):
    for path in (tmp_path / "nowhere", tmp_path / "nul\0byte", tmp_path / ("x" * 5_000)):
        with pytest.raises(InvalidInput, match="cannot be read"):
            list(SOURCES[name].units(path))


@every_source
def test_a_folder_with_nothing_to_read_is_refused_by_name(name, tmp_path):
    (tmp_path / "picture.png").write_bytes(b"x")
    (tmp_path / ".hidden").mkdir()

    with pytest.raises(InvalidInput, match=f"nothing to read .looked for \\{SAMPLES[name][0]}"):
        list(SOURCES[name].units(tmp_path))


@every_source
def test_a_path_we_may_not_open_is_refused(name, corpus, monkeypatch):
    deny(monkeypatch, lambda path: path == corpus)

    with pytest.raises(InvalidInput, match="permission denied"):
        list(SOURCES[name].units(corpus))


@every_source
def test_a_folder_below_that_we_may_not_list_is_one_problem(name, corpus, monkeypatch):
    deny(monkeypatch, lambda path: path.name == "a")

    items = list(read_all(SOURCES[name], corpus))

    (problem,) = [item for item in items if isinstance(item, Problem)]
    assert len(items) == 3
    assert problem.where == str(corpus / "a")


@every_source
def test_a_file_that_vanished_since_it_was_listed_is_one_problem(name, corpus):
    suffix, _ = SAMPLES[name]
    units = list(SOURCES[name].units(corpus))
    (corpus / f"three{suffix}").unlink()

    items = [item for unit in units for item in SOURCES[name].read(unit)]

    (problem,) = [item for item in items if isinstance(item, Problem)]
    assert len(items) == 3
    assert str(problem) == f"{corpus}/three{suffix}: the file cannot be read (no such file or directory)"


@every_source
def test_a_named_pipe_is_not_waited_for(name, tmp_path):
    pipe = tmp_path / f"pipe{SAMPLES[name][0]}"
    os.mkfifo(pipe)

    with pytest.raises(InvalidInput, match="neither a file nor a folder"):
        list(SOURCES[name].units(pipe))
    (problem,) = read_all(SOURCES[name], tmp_path)
    assert isinstance(problem, Problem)


@every_source
def test_an_empty_file_is_one_problem(name, tmp_path):
    path = tmp_path / f"empty{SAMPLES[name][0]}"
    path.touch()

    (problem,) = read_all(SOURCES[name], path)

    assert problem == Problem(str(path), "the file is empty")


@every_source
@at_most(50)
@given(content=st.binary(max_size=400))
def test_random_bytes_never_raise_and_every_problem_is_one_line(name, content, tmp_path_factory):
    path = tmp_path_factory.mktemp("random") / f"x{SAMPLES[name][0]}"
    path.write_bytes(content)

    for item in read_all(SOURCES[name], path):
        assert isinstance(item, SourceArticle | Problem)
        assert isinstance(item, SourceArticle) or len(str(item).splitlines()) == 1


@every_source
def test_a_file_name_that_is_not_utf8_can_still_be_shown_and_stored(name, tmp_path):
    suffix, content = SAMPLES[name]
    path = tmp_path / os.fsdecode(b"caf\xe9" + suffix.encode())
    path.write_bytes(content)

    (article,) = read_all(SOURCES[name], tmp_path)

    assert isinstance(article, SourceArticle)
    assert f"{article.source_id}{article.where}".encode()


def deny(monkeypatch: pytest.MonkeyPatch, is_denied: Callable[[Path], bool]) -> None:
    """Make listing and opening these paths fail as for a user without permission (tests may run as root)."""
    scandir, open_ = os.scandir, os.open

    def refuse(path: object) -> bool:
        if is_denied(Path(str(path))):
            raise PermissionError(13, "Permission denied", str(path))
        return False

    monkeypatch.setattr(os, "scandir", lambda path: refuse(path) or scandir(path))
    monkeypatch.setattr(os, "open", lambda path, *args: refuse(path) or open_(path, *args))
