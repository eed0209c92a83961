from __future__ import annotations

import gzip
import io
import json
import tarfile
import tracemalloc
from typing import Any

import pytest

from kernel.errors import InvalidInput, WrongState
from kernel.progress import Silent
from kernel.services.backup import archive
from tests.kernel.archives import small_archive, tar_gz, unpacked


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", gzip.compress(b""), gzip.compress(b"hello" * 1000), tar_gz({"a.txt": b"a"}).getvalue()],
    ids=["empty", "text", "gzip of nothing", "gzip of text", "another archive"],
)
def test_a_file_that_is_no_backup_is_refused(content):
    with pytest.raises(InvalidInput, match="not a TESA backup"):
        archive.check(io.BytesIO(content), Silent())


def test_a_truncated_backup_is_refused_wherever_it_ends(tmp_path):
    content = small_archive(tmp_path)
    assert archive.check(io.BytesIO(content), Silent()).rows == 1

    for length in (len(content) // 2, len(content) - 300, len(content) - 9, len(content) - 1):
        with pytest.raises(InvalidInput, match="truncated"):
            archive.check(io.BytesIO(content[:length]), Silent())


def test_a_backup_cut_between_two_members_is_truncated(tmp_path):
    members = unpacked(io.BytesIO(small_archive(tmp_path)))
    del members["manifest.json"]

    with pytest.raises(InvalidInput, match="truncated"):
        archive.check(tar_gz(members), Silent())


def test_a_changed_byte_is_noticed_wherever_it_is(tmp_path):
    content = small_archive(tmp_path)
    for position in range(20, len(content), 97):
        changed = bytearray(content)
        changed[position] ^= 0x10

        with pytest.raises(InvalidInput, match=r"damaged|truncated|not a TESA backup"):
            archive.check(io.BytesIO(changed), Silent())


def test_a_changed_member_is_named(tmp_path):
    members = unpacked(io.BytesIO(small_archive(tmp_path)))
    members["tables/a.jsonl"] = b'["id"]\n[2]\n'

    with pytest.raises(InvalidInput, match=r"damaged: the content of 'tables/a\.jsonl'"):
        archive.check(tar_gz(members), Silent())


def test_a_member_too_many_or_too_few_is_refused(tmp_path):
    members = unpacked(io.BytesIO(small_archive(tmp_path)))
    manifest = members.pop("manifest.json")

    with pytest.raises(InvalidInput, match=r"3 members instead of 2"):
        archive.check(tar_gz({**members, "files/more": b"", "manifest.json": manifest}), Silent())
    with pytest.raises(InvalidInput, match="after its manifest"):
        archive.check(tar_gz({**members, "manifest.json": manifest, "files/more": b""}), Silent())
    del members["files/noise"]
    with pytest.raises(InvalidInput, match="1 members instead of 2"):
        archive.check(tar_gz({**members, "manifest.json": manifest}), Silent())


def test_a_link_in_an_archive_is_refused():
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as tar:
        link = tarfile.TarInfo("files/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)

    with pytest.raises(InvalidInput, match="not a plain file"):
        archive.check(target, Silent())


MEMBER = {"name": "tables/a.jsonl", "size": 11, "sha256": "0", "rows": 1}


def with_manifest(folder, **changes: Any) -> io.BytesIO:
    members = unpacked(io.BytesIO(small_archive(folder)))
    manifest = {**json.loads(members["manifest.json"]), **changes}
    return tar_gz({**members, "manifest.json": json.dumps(manifest).encode()})


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 5},
        {"created": None},
        {"migrations": "kernel.0001_initial"},
        {"migrations": [{}]},
        {"members": "tables/a.jsonl"},
        {"members": [["tables/a.jsonl", 11, "0", 1]]},
        {"members": [{**MEMBER, "rows": "many"}]},
        {"members": [{**MEMBER, "rows": -1}]},
        {"members": [{**MEMBER, "rows": True}]},
        {"members": [{**MEMBER, "name": 5}]},
        {"format": "1" * 100},
        {"more": 1},
    ],
    ids=str,
)
def test_a_manifest_of_another_shape_is_refused(tmp_path, changes):
    with pytest.raises(InvalidInput, match=r"^manifest\.json: ") as refused:
        archive.check(with_manifest(tmp_path, **changes), Silent())

    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    "text", [b"[" * 100_000, b'{"format":' * 100_000, b'{"format": ' + b"9" * 5000 + b"}", b"\xff"]
)
def test_a_manifest_that_is_no_json_is_refused_in_one_sentence(tmp_path, text):
    members = unpacked(io.BytesIO(small_archive(tmp_path))) | {"manifest.json": text}

    with pytest.raises(InvalidInput, match=r"^manifest\.json: ") as refused:
        archive.check(tar_gz(members), Silent())

    assert len(str(refused.value)) < 200


def peak_of_check(source: io.BytesIO, problem: str) -> int:
    """Return the most bytes that were held while the archive was refused."""
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match=problem):
            archive.check(source, Silent())
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


BLANKS = 40 * archive.CHUNK
LITTLE = 20 * archive.CHUNK


def test_a_manifest_that_unpacks_to_gigabytes_is_not_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_MANIFEST", 1000)
    source = tar_gz(unpacked(io.BytesIO(small_archive(tmp_path))) | {"manifest.json": b" " * BLANKS})

    assert peak_of_check(source, r"^manifest\.json: has over .* damaged") < LITTLE


# What Python makes most of: objects, lists and strings of a few bytes each.
WORST = (b"{},", b"[],", b'"ab",', b'"a":1,', b"1234,", b'"\\"",')


def filled_up(worst: bytes, size: int) -> bytes:
    return b'{"format":1,"members":[' + worst * (size // len(worst)) + b"0]}"


@pytest.mark.parametrize("worst", WORST)
def test_a_manifest_of_more_values_than_the_archive_has_members_is_not_parsed(tmp_path, worst):
    manifest = filled_up(worst, 4 * archive.CHUNK)
    source = tar_gz(unpacked(io.BytesIO(small_archive(tmp_path))) | {"manifest.json": manifest})

    assert peak_of_check(source, "not the list of contents") < 64 * archive.CHUNK  # reading is most of it


@pytest.mark.slow
@pytest.mark.parametrize("worst", WORST)
def test_the_largest_manifest_that_is_read_stays_small_whatever_is_in_it(tmp_path, worst):
    manifest = filled_up(worst, archive.MOST_MANIFEST - 100)
    source = tar_gz(unpacked(io.BytesIO(small_archive(tmp_path))) | {"manifest.json": manifest})

    assert peak_of_check(source, "not the list of contents") < 4 * archive.MOST_MANIFEST


@pytest.mark.parametrize("worst", WORST)
def test_json_is_parsed_only_if_it_has_few_values(worst):
    text = b"[" + worst.replace(b":", b",") * (archive.CHUNK // len(worst)) + b"0]"

    with pytest.raises(ValueError, match="it has over 100 values"):
        archive.parsed_json(text, 100)


def test_marks_in_texts_are_no_values():
    text = '[{,"\\,' * archive.CHUNK

    assert archive.parsed_json(json.dumps([text, None]).encode(), 3) == [text, None]


def test_a_header_that_unpacks_to_gigabytes_is_not_read_whole():
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as tar:
        header = tarfile.TarInfo("header")
        header.type, header.size = tarfile.XHDTYPE, BLANKS
        tar.addfile(header, io.BytesIO(b" " * BLANKS))

    assert peak_of_check(target, "damaged: a header") < LITTLE


def test_an_archive_of_more_members_than_a_manifest_can_list_is_refused(tmp_path, monkeypatch):
    source = io.BytesIO(small_archive(tmp_path))
    monkeypatch.setattr(archive, "MOST_MEMBERS", 1)

    with pytest.raises(InvalidInput, match="damaged: it holds over 1 member"):
        archive.check(source, Silent())


def test_a_sparse_file_in_an_archive_is_refused():
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz", format=tarfile.PAX_FORMAT) as tar:
        endless = tarfile.TarInfo("files/endless")
        endless.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(2**60)}
        tar.addfile(endless)

    with pytest.raises(InvalidInput, match="not a plain file"):
        archive.check(target, Silent())


def test_a_backup_that_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_MANIFEST", 200)

    with pytest.raises(WrongState, match="more files than one backup can list"):
        small_archive(tmp_path)
