"""Opening the files of a corpus: only regular files, without ever waiting for a named pipe; plain or compressed.

Compression (gzip, bzip2, xz) is recognized by the first bytes. Compressed files are read as streams, start to end.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import zlib
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
LONGEST_MAGIC = max(map(len, MAGIC))
MAX_XZ_MEMORY = 256 * 2**20  # unpacking `xz -9` needs 65 MiB; a hostile file may ask for 4 GiB
BLOCK = 2**16
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError)  # what reading a damaged file raises

File: TypeAlias = BinaryIO | gzip.GzipFile | bz2.BZ2File | io.BufferedReader


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading; raise OSError if it cannot be opened or is not a regular file."""
    file = open(path, "rb", opener=_open_at_once)  # noqa: SIM115  # the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError("not a regular file")
    return file


def why(error: Exception) -> str:
    """Return the message of the operating system without the path that it repeats."""
    return (error.strerror if isinstance(error, OSError) and error.strerror else str(error)).lower()


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def compression_of(file: BinaryIO) -> str:
    """Return "gzip", "bzip2" or "xz"; "" for any other file. The file is left at its start."""
    start = file.read(LONGEST_MAGIC)
    file.seek(0)
    return next((name for magic, name in MAGIC.items() if start.startswith(magic)), "")


def unpacked(file: BinaryIO) -> File:
    """Return a file with the unpacked bytes; the file itself if it is not compressed."""
    match compression_of(file):
        case "gzip":
            return gzip.GzipFile(fileobj=file)
        case "bzip2":
            return bz2.BZ2File(file)
        case "xz":
            return io.BufferedReader(_XzReader(file), BLOCK)
        case _:
            return file


class _XzReader(io.RawIOBase):
    """The unpacked bytes of an .xz file, with a limit on memory, which `lzma.LZMAFile` does not have.

    It can only seek forward.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.position = file, 0
        self.decompressor = _new_decompressor()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        target = offset + (self.position if whence == io.SEEK_CUR else 0)
        if whence == io.SEEK_END or target < self.position:
            raise io.UnsupportedOperation("an .xz file can only be read forward")
        while self.position < target and self.read(min(BLOCK, target - self.position)):
            pass
        return self.position

    def readinto(self, buffer: Any) -> int:
        data = self._decompressed(len(buffer))
        buffer[: len(data)] = data
        self.position += len(data)
        return len(data)

    def _decompressed(self, size: int) -> bytes:
        """Return at least one of the bytes that follow; b"" at the end of the last stream."""
        data = b""
        while not data:
            if self.decompressor.eof:
                compressed = self._next_stream()
                if not compressed:
                    return b""
                self.decompressor = _new_decompressor()
            elif self.decompressor.needs_input:
                compressed = self.file.read(BLOCK)
                if not compressed:
                    raise EOFError("the file is cut short")
            else:
                compressed = b""
            data = self.decompressor.decompress(compressed, size)
        return data

    def _next_stream(self) -> bytes:
        """Return the first bytes after a finished stream and its zero padding."""
        rest = self.decompressor.unused_data.lstrip(b"\0")
        while not rest and (block := self.file.read(BLOCK)):
            rest = block.lstrip(b"\0")
        return rest


def _new_decompressor() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=MAX_XZ_MEMORY)
