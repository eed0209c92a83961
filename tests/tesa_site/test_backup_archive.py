from __future__ import annotations

import gzip
import io
import tarfile

import pytest

from tesa_site.kernel.errors import InvalidInput
from tesa_site.kernel.progress import Silent
from tesa_site.kernel.services.backup import archive
from tests.tesa_site.archives import small_archive, tar_gz, unpacked


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
