"""Archives are unpacked in memory, and what is too large, damaged or odd is refused with a sentence."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from annotation.task_types.coreference.archives import MOST_MEMBERS, is_zip, unpacked
from kernel.errors import InvalidInput


def zipped(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def refusal(content: bytes, limit: int = 1_000_000) -> str:
    with pytest.raises(InvalidInput) as error:
        unpacked("a.zip", content, limit)
    return str(error.value)


def test_files_in_folders_are_unpacked_and_hidden_ones_passed_over():
    content = zipped(
        {"a/one.sgm": b"1", "two.sgm": b"22", "__MACOSX/a/._one.sgm": b"x", "a/.two.sgm": b"x", "empty/": b""}
    )
    assert is_zip(content)
    assert unpacked("a.zip", content, 3) == {"a/one.sgm": b"1", "two.sgm": b"22"}


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked():
    bomb = zipped({"zeros.sgm": bytes(30_000_000)})
    assert len(bomb) < 100_000
    assert refusal(bomb) == "a.zip: this archive unpacks to more than 1 MB. Choose a smaller one"
    assert "unpacks to more than" in refusal(zipped({f"{n}.sgm": bytes(300_000) for n in range(4)}))


def test_an_archive_that_lies_about_its_sizes_is_refused():
    content = zipped({"zeros.sgm": bytes(3_000_000)})
    lying = content.replace((3_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lying != content
    assert re.match(r"a.zip: this archive (cannot be unpacked|unpacks to more)", refusal(lying))


def test_an_archive_of_very_many_files_is_refused():
    assert refusal(zipped({f"{n}": b"" for n in range(MOST_MEMBERS + 1)})) == (
        "a.zip: this archive holds more than 2,000 files. Choose a smaller one"
    )


@pytest.mark.parametrize("cut", [30, 60, 100])
def test_a_damaged_archive_is_refused(cut: int):
    content = zipped({"one.sgm": b"Mira Holt sails" * 40})
    assert "cannot be unpacked" in refusal(content[:-cut])


def test_an_encrypted_archive_is_refused():
    content = bytearray(zipped({"one.sgm": b"Mira"}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert "cannot be unpacked" in refusal(bytes(content))


def test_an_archive_in_an_archive_is_not_unpacked():
    inner = zipped({"one.sgm": b"Mira"})
    assert unpacked("a.zip", zipped({"inner.zip": inner}), 10_000) == {"inner.zip": inner}
