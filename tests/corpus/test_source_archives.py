from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import SourceArticle
from corpus.sources import archives
from corpus.sources.base import MAX_ARTICLE_BYTES, Problem, read_all
from corpus.sources.files import document_units
from corpus.sources.nitf import NITF
from corpus.sources.text import TEXT
from tests.corpus.nitf_documents import make_nitf
from tests.properties import at_most

MODES = {".tar": "w", ".tar.bz2": "w:bz2", ".tbz2": "w:bz2", ".tar.xz": "w:xz", ".txz": "w:xz"}
FOG = b"Fog\n\nIt fell."


def make_tar(path: Path, *entries: tuple[str, bytes] | tarfile.TarInfo) -> Path:
    """Write a tar, compressed if its name says so, of (name, content) pairs and bare headers."""
    mode: Any = next((mode for ending, mode in MODES.items() if path.name.endswith(ending)), "w:gz")
    with tarfile.open(path, mode) as archive:
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                archive.addfile(entry)
                continue
            info = tarfile.TarInfo(entry[0])
            info.size = len(entry[1])
            archive.addfile(info, io.BytesIO(entry[1]))
    return path


def make_zip(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return path


def make_archive(path: Path, *entries: tuple[str, bytes]) -> Path:
    return make_zip(path, *entries) if path.suffix == ".zip" else make_tar(path, *entries)


def ids(path: Path) -> list[str]:
    return [item.source_id if isinstance(item, SourceArticle) else f"! {item.reason}" for item in read_all(TEXT, path)]


archive_names = pytest.mark.parametrize(
    "name", ["may.tgz", "may.tar.gz", "may.tar", "may.tar.bz2", "may.txz", "MAY.ZIP"]
)


def named(name: str, type_: bytes, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = type_, target
    return info


@archive_names
def test_articles_are_read_from_an_archive_and_nothing_is_written(tmp_path, name):
    path = make_archive(tmp_path / name.lower(), ("./06/1.xml", make_nitf(source_id="1")), ("notes.pdf", b"%PDF"))
    before = sorted(tmp_path.rglob("*"))

    (article,) = read_all(NITF, path)

    assert isinstance(article, SourceArticle)
    assert (article.source_id, article.where) == ("1", f"{path}/06/1.xml")
    assert sorted(tmp_path.rglob("*")) == before


def test_monthly_archives_beside_folders_are_found_in_a_stable_order(tmp_path):
    year = tmp_path / "data/1994"
    (year / "04/01").mkdir(parents=True)
    (year / "04/01/1.xml").write_bytes(make_nitf(source_id="1"))
    make_tar(year / "05.tgz", ("05/06/2.xml", make_nitf(source_id="2")), ("05/06/3.xml", make_nitf(source_id="3")))

    source_ids = [article.source_id for article in read_all(NITF, tmp_path) if isinstance(article, SourceArticle)]

    assert source_ids == ["2", "3", "1"]
    assert [unit.key for unit in NITF.units(tmp_path)] == ["data/1994/05.tgz", "data/1994/04/01[1.xml+1]"]


def test_the_same_id_twice_in_an_archive_is_no_problem_here(tmp_path):
    path = make_zip(tmp_path / "x.zip", ("a/1.xml", make_nitf()), ("b/1.xml", make_nitf()))

    assert [type(item) for item in read_all(NITF, path)] == [SourceArticle, SourceArticle]


@archive_names
@pytest.mark.parametrize(
    "evil", ["../../evil.txt", "/etc/evil.txt", "a/../../evil.txt", "..\\evil.txt", "C:\\evil.txt"]
)
def test_a_name_that_leads_outside_is_refused_and_the_rest_is_read(tmp_path, name, evil):
    path = make_archive(tmp_path / name.lower(), (evil, FOG), ("good.txt", FOG))

    refused, good = read_all(TEXT, path)

    assert isinstance(refused, Problem)
    assert "leads outside the archive" in refused.reason
    assert isinstance(good, SourceArticle)


@pytest.mark.parametrize("type_", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_a_link_in_a_tar_is_not_followed(tmp_path, type_):
    secret = tmp_path / "secret.txt"
    secret.write_text("the keeper's password")
    path = make_tar(tmp_path / "x.tgz", named("link.txt", type_, str(secret)), ("good.txt", FOG))

    assert ids(path) == ["! this is a link, and links in archives are not followed", "x.tgz/good"]


def test_a_link_in_a_zip_is_not_followed(tmp_path):
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    path = make_zip(tmp_path / "x.zip", (link, b"/etc/hostname"), ("good.txt", FOG))

    assert ids(path) == ["! this is a link, and links in archives are not followed", "x.zip/good"]


def test_pipes_and_devices_in_a_tar_are_passed_over(tmp_path):
    path = make_tar(tmp_path / "x.tar", named("pipe.txt", tarfile.FIFOTYPE, ""), ("good.txt", FOG))

    assert ids(path) == ["x.tar/good"]


@archive_names
def test_hidden_members_are_passed_over(tmp_path, name):
    entries = (("._1.txt", FOG), ("__MACOSX/1.txt", FOG), ("a/.b/1.txt", FOG), ("./good.txt", FOG))
    path = make_archive(tmp_path / name.lower(), *entries)

    assert len(ids(path)) == 1


@archive_names
def test_a_member_over_the_limit_is_reported_and_the_rest_is_read(tmp_path, name):
    path = make_archive(tmp_path / name.lower(), ("big.txt", b"x" * (MAX_ARTICLE_BYTES + 1)), ("good.txt", FOG))

    big, good = read_all(TEXT, path)

    assert isinstance(big, Problem)
    assert big.reason == "the file is too large (8,388,609 bytes; at most 8,388,608 are read)"
    assert isinstance(good, SourceArticle)


def test_an_archive_without_articles_says_so(tmp_path):
    path = make_zip(tmp_path / "x.zip", ("picture.png", b"x"))

    assert ids(path) == ["! the archive contains nothing to read (looked for .txt)"]


@archive_names
@pytest.mark.parametrize("content", [b"", b"not an archive at all", b"\0" * 100])
def test_what_only_calls_itself_an_archive_gives_one_problem(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)

    (problem,) = read_all(TEXT, path)

    assert isinstance(problem, Problem)
    assert problem.where == str(path)
    assert "cut short" in problem.reason


@pytest.mark.parametrize("name", ["x.tgz", "x.tar", "x.tar.bz2", "x.tar.xz"])
def test_what_stands_before_the_cut_of_a_truncated_tar_is_read(tmp_path, name):
    path = make_tar(tmp_path / name, *((f"{number}.txt", bytes([65 + number]) * 9_000) for number in range(9)))
    whole = path.read_bytes()

    # Before the end mark of the tar; before what a compressed file says about itself at its end.
    end = 9 * (512 + 9_216) + 512 if name == "x.tar" else len(whole) - 60

    for size in range(600 if name == "x.tar" else 60, end, 487 if name == "x.tar" else 7):
        path.write_bytes(whole[:size])
        *articles, problem = read_all(TEXT, path)
        assert isinstance(problem, Problem), size
        assert "damaged or cut short after" in problem.reason
        assert all(isinstance(article, SourceArticle) for article in articles)


def test_a_tar_cut_exactly_between_two_members_is_noticed(tmp_path):
    path = make_tar(tmp_path / "x.tar", ("1.txt", FOG), ("2.txt", FOG))
    path.write_bytes(path.read_bytes()[:1024])

    assert ids(path) == ["x.tar/1", "! the archive is damaged or cut short after 1 members (the end mark is missing)"]


def test_a_truncated_zip_gives_one_problem(tmp_path):
    path = make_zip(tmp_path / "x.zip", ("1.txt", FOG), ("2.txt", FOG))
    path.write_bytes(path.read_bytes()[:-30])

    (problem,) = ids(path)

    assert problem.startswith("! the zip archive cannot be read, or is cut short")


def test_a_damaged_zip_member_is_reported_and_the_rest_is_read(tmp_path):
    path = make_zip(tmp_path / "x.zip", ("1.txt", FOG), ("2.txt", FOG))
    content = bytearray(path.read_bytes())
    content[content.index(b"1.txt") + 8] ^= 0xFF
    path.write_bytes(content)

    problem, good = ids(path)

    assert problem.startswith("! this member of the archive cannot be unpacked")
    assert good == "x.zip/2"


def test_an_encrypted_zip_member_is_reported(tmp_path):
    path = make_zip(tmp_path / "x.zip", ("1.txt", FOG))
    content = bytearray(path.read_bytes())
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.index(signature) + flags] |= 1
    path.write_bytes(content)

    (problem,) = ids(path)

    assert "encrypted" in problem


def test_an_archive_that_needs_too_much_memory_to_unpack_is_refused(tmp_path):
    path = tmp_path / "x.tar.xz"
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**30}]
    path.write_bytes(lzma.compress(make_tar(tmp_path / "x.tar", ("1.txt", FOG)).read_bytes(), filters=filters))

    (problem,) = ids(path)

    assert "memory usage limit exceeded" in problem


def test_an_xz_archive_of_several_streams_is_read_to_its_end(tmp_path):
    whole = make_tar(tmp_path / "x.tar", *((f"{number}.txt", FOG) for number in range(300))).read_bytes()
    path = tmp_path / "x.tar.xz"
    path.write_bytes(lzma.compress(whole[:70_000]) + bytes(8) + lzma.compress(whole[70_000:]) + bytes(4))

    assert ids(path) == [f"x.tar.xz/{number}" for number in range(300)]


def test_a_header_that_would_fill_the_memory_is_refused(tmp_path):
    header = named("x", tarfile.XHDTYPE, "")
    header.size = 2**32
    path = tmp_path / "x.tgz"
    path.write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(4096)))

    assert ids(path) == ["! the archive is damaged or cut short after 0 members (a header is too large)"]


def test_a_tar_that_unpacks_without_end_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 1_000)
    path = make_tar(tmp_path / "x.tgz", ("1.txt", b"x" * 600), ("2.txt", b"x" * 600), ("3.txt", b"x"))

    assert ids(path) == [
        "x.tgz/1",
        "! the archive is damaged or cut short after 1 members (it unpacks to more than 1,000 bytes)",
    ]


def test_a_negative_size_ends_the_reading(tmp_path):
    header = bytearray(tarfile.TarInfo("1.txt").tobuf())
    header[124:136] = b"\xff" * 11 + b"\0"
    header[148:156] = b"%06o\0 " % (256 + sum(header[:148]) + sum(header[156:512]))
    path = tmp_path / "x.tar"
    path.write_bytes(bytes(header) + bytes(10_240))

    (problem,) = ids(path)

    assert "damaged or cut short" in problem


def test_a_large_zip_is_cut_into_units_that_together_hold_every_member_once(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MEMBERS_PER_UNIT", 3)
    path = make_zip(tmp_path / "x.zip", *((f"{number}.txt", FOG) for number in range(8)))

    units = list(TEXT.units(path))

    assert [unit.key for unit in units] == ["x.zip[0:3]", "x.zip[3:6]", "x.zip[6:8]"]
    assert ids(path) == [f"x.zip/{number}" for number in range(8)]


def test_a_folder_of_many_files_is_cut_into_units(tmp_path):
    for number in range(5):
        (tmp_path / f"{number}.txt").write_bytes(FOG)

    units = list(document_units(tmp_path, (".txt",), per_unit=2))

    assert [unit.key for unit in units] == [".[0.txt+2]", ".[2.txt+2]", ".[4.txt+1]"]
    assert [
        article.source_id for unit in units for article in TEXT.read(unit) if isinstance(article, SourceArticle)
    ] == ["0", "1", "2", "3", "4"]


@at_most(60)
@given(st.data(), st.sampled_from(["x.tgz", "x.tar", "x.zip", "x.tar.bz2", "x.tar.xz"]))
def test_a_damaged_archive_never_crashes(tmp_path_factory, data, name):
    path = make_archive(tmp_path_factory.mktemp("damaged") / name, ("1.txt", FOG), ("2.txt", b"y" * 2_000))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)

    for item in read_all(TEXT, path):
        assert isinstance(item, SourceArticle | Problem)
