"""Clean text, as SourceArticle promises for all its strings."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from unicodedata import normalize

from kernel.errors import InvalidInput

_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0), 0xFEFF) if not chr(code).isspace()}
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_UNWANTED = _CONTROLS | _SURROGATES


def clean(text: str) -> str:
    """Return the text without control characters, byte-order marks and lone surrogates, single-spaced, in NFC."""
    if not text.isprintable():  # also false for a newline; true for most short fields
        text = text.translate(_UNWANTED)
    return normalize("NFC", " ".join(text.split()))


def clean_all(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the cleaned texts, without empty ones."""
    return tuple(cleaned for text in texts if (cleaned := clean(text)))


def paragraphs_of(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the paragraphs of plain text, which are separated by blank lines."""
    groups = groupby(lines, key=lambda line: bool(line.strip()))
    return clean_all("\n".join(group) for is_text, group in groups if is_text)


def decode(content: bytes) -> str:
    """Return UTF-8 bytes as text, or raise InvalidInput with the first byte that is not UTF-8."""
    if b"\0" in content:
        raise InvalidInput("this contains NUL bytes, so it is not UTF-8 text (binary, or UTF-16)")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"byte {error.start + 1:,} is 0x{content[error.start]:02x}"
        raise InvalidInput(f"this is not UTF-8 ({byte})") from error
